package kubectl

import (
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/kubectl/flag"
	"github.com/reconcile-playground/reconcile/core/object"
)

func createCommand() *command {
	common := func(more ...*flag.Flag) flag.Set {
		return sets(printFlags(), flag.Set{boolean("save-config", "", "Keep the applied text in an annotation."), validateFlag(), dryRunFlag(), managerFlag("kubectl-create")}, more)
	}
	hash := func() *flag.Flag { return boolean("append-hash", "", "Append a hash of the content to the name.") }
	values := func(more ...*flag.Flag) flag.Set {
		return common(append(more, list("from-file", "", "Files whose texts become values: file or key=file."), array("from-literal", "A value: key=value."),
			list("from-env-file", "", "Files with lines of key=value."), hash())...)
	}
	registry := common(hash())
	registry = append(registry, text("docker-server", "", "https://index.docker.io/v1/", "The registry's server."))
	for _, name := range []string{"username", "password", "email"} {
		registry = append(registry, text("docker-"+name, "", "", "The registry's "+name+"."))
	}
	ports := func(kind, short string, more ...*flag.Flag) *command {
		return &command{name: strings.ToLower(kind), use: "NAME [--tcp=port:targetPort] [--dry-run=server|client|none]", short: short,
			own: common(append(more, list("tcp", "", "Ports: port or port:targetPort."))...), run: func(c *call) error { return c.createService(kind) }}
	}
	external := ports("ExternalName", "Create an ExternalName service", text("external-name", "", "", "Name outside of the cluster."))
	external.required = []string{"external-name"}
	return &command{name: "create", use: "-f FILENAME", short: "Create a resource from a file or from stdin", run: (*call).createCommand,
		own: sets(printFlags(), fileFlags(), flag.Set{boolean("save-config", "", "Keep the applied text in an annotation."), validateFlag(), dryRunFlag(), selectorFlag(),
			text("raw", "", "", "Path to send the request to."), managerFlag("kubectl-create"), boolean("edit", "", "Edit before."), boolean("windows-line-endings", "", "Has no effect here."), recordFlag()}),
		subs: []*command{
			{name: "namespace", aliases: []string{"ns"}, use: "NAME [--dry-run=server|client|none]", short: "Create a namespace with the specified name", own: common(), run: (*call).createNamespace},
			unsupported("quota", "Create a quota with the specified name"),
			{name: "secret", use: "(docker-registry | generic | tls)", short: "Create a secret using a specified subcommand", run: (*call).group, long: "Create a secret with specified type.\n\n" +
				" A docker-registry type secret is for accessing a container registry.\n\n A generic type secret indicate an Opaque secret type.\n\n" +
				" A tls type secret holds TLS certificate and its associated key.\n\n", subs: []*command{
				{name: "docker-registry", use: "NAME --docker-username=user --docker-password=password --docker-email=email [--docker-server=string] [--from-file=[key=]source] [--dry-run=server|client|none]",
					short: "Create a secret for use with a Docker registry", own: registry, run: (*call).createRegistrySecret},
				{name: "generic", use: "NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]",
					short: "Create a secret from a local file, directory, or literal value", own: values(text("type", "", "", "The secret's type.")), run: (*call).createSecret},
				{name: "tls", use: "NAME --cert=path/to/cert/file --key=path/to/key/file [--dry-run=server|client|none]", short: "Create a TLS secret",
					own: common(text("cert", "", "", "File with a certificate in PEM."), text("key", "", "", "File with its private key in PEM."), hash()), run: (*call).createTLSSecret},
			}},
			{name: "configmap", aliases: []string{"cm"}, use: "NAME [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]",
				short: "Create a config map from a local file, directory or literal value", own: values(), run: (*call).createConfigMap},
			unsupported("serviceaccount", "Create a service account with the specified name"),
			{name: "service", aliases: []string{"svc"}, use: "[flags]", short: "Create a service using a specified subcommand", run: (*call).group, subs: []*command{
				ports("ClusterIP", "Create a ClusterIP service", text("clusterip", "", "", "The address, or None.")),
				external,
				ports("LoadBalancer", "Create a LoadBalancer service"),
				ports("NodePort", "Create a NodePort service", number("node-port", "0", "Port of the nodes.")),
			}},
			unsupported("deployment", "Create a deployment with the specified name"),
			unsupported("clusterrole", "Create a cluster role"),
			unsupported("clusterrolebinding", "Create a cluster role binding for a particular cluster role"),
			unsupported("role", "Create a role with single rule"),
			unsupported("rolebinding", "Create a role binding for a particular role or cluster role"),
			unsupported("poddisruptionbudget", "Create a pod disruption budget with the specified name"),
			unsupported("priorityclass", "Create a priority class with the specified name"),
			unsupported("job", "Create a job with the specified name"),
			unsupported("cronjob", "Create a cron job with the specified name"),
			unsupported("ingress", "Create an ingress with the specified name"),
			unsupported("token", "Request a service account token"),
		}}
}

func (c *call) createCommand() error {
	f := c.flags
	files := f.List("filename")
	if len(files) == 0 && f.Text("kustomize") == "" {
		if len(c.args) > 0 {
			return c.usage("Unexpected args: %v", c.args)
		}
		return errorf("must specify one of -f and -k")
	}
	if len(c.args) > 0 {
		return c.usage("Unexpected args: %v", c.args)
	}
	d, err := c.dryRunOr()
	if err != nil {
		return err
	}
	validation, err := c.validation()
	if err != nil {
		return err
	}
	p, err := c.operationPrinter("created", false)
	if err != nil {
		return err
	}
	switch raw := f.Text("raw"); {
	case raw != "":
		return c.createRaw(raw, files)
	case f.Bool("edit"):
		return errorf("--edit is not part of this kubectl: write the object to a file, edit that and create from it")
	}
	return c.createFiles(p, d, validation)
}

func (c *call) createRaw(raw string, files []string) error {
	f := c.flags
	switch {
	case len(files) != 1:
		return errorf("--raw can only use a single local file or stdin")
	case f.Bool("recursive"):
		return errorf("--raw and --recursive are mutually exclusive")
	case f.Text("selector") != "":
		return errorf("--raw and --selector (-l) are mutually exclusive")
	case f.Text("output") != "":
		return errorf("--raw and --output are mutually exclusive")
	}
	return c.raw("POST", raw, files)
}

func (c *call) createFiles(p printer, d dry, validation string) error {
	q := c.query()
	q.strict = validation != "Ignore"
	count := 0
	err := q.do().each(func(i *info) error {
		i.object = annotated(i.object, c.flags.Bool("save-config"), false)
		i.subresource = ""
		if d != dryClient {
			root, err := c.create(i, write{manager: c.flags.Text("field-manager"), validation: validation, dryRun: d == dryServer})
			if err != nil {
				return withSource("creating", i.source, err)
			}
			i.refresh(root)
		}
		count++
		return p.print(c.out, "", i.object)
	})
	if err != nil {
		return err
	}
	if count == 0 {
		return errorf("no objects passed to create")
	}
	return nil
}

// oneName is the NAME of create TYPE NAME.
func (c *call) oneName() (string, error) {
	n := len(c.args)
	if c.flags.Dash >= 0 {
		n = c.flags.Dash
	}
	if n != 1 {
		return "", c.usage("exactly one NAME is required, got %d", n)
	}
	if c.args[0] == "" {
		return "", errorf("name must be specified")
	}
	return c.args[0], nil
}

// made creates an object that kubectl made itself. why says of an error what
// failed; empty leaves it as it is.
func (c *call) made(root *object.Map, why string) error {
	d, err := c.dryRunOr()
	if err != nil {
		return err
	}
	p, err := c.operationPrinter("created", true)
	if err != nil {
		return err
	}
	validation, err := c.validation()
	if err != nil {
		return err
	}
	root = annotated(root, c.flags.Bool("save-config"), true)
	if d != dryClient {
		req := api.Request{Verb: api.Create, GVR: object.GVR{Version: "v1", Resource: plurals[object.New(root).Kind()]}, Body: root}
		if req.Resource != "namespaces" {
			req.Namespace = c.namespace
		}
		req.Options = write{manager: c.flags.Text("field-manager"), validation: validation, dryRun: d == dryServer}.options()
		resp := c.do(req)
		if err := resp.Err(); err != nil {
			if why == "" {
				return err
			}
			return errorf("%s%v", why, err)
		}
		root = tree(resp)
	}
	return p.print(c.out, "", root)
}

var plurals = map[string]string{"ConfigMap": "configmaps", "Secret": "secrets", "Namespace": "namespaces", "Service": "services"}

// begin is an object of the core group.
func (c *call) begin(kind, name string) *object.Map {
	meta := object.NewMap(object.Field{Key: "name", Value: name})
	if c.explicit && kind != "Namespace" {
		meta = meta.With("namespace", c.namespace)
	}
	return object.NewMap(object.Field{Key: "apiVersion", Value: "v1"}, object.Field{Key: "kind", Value: kind}, object.Field{Key: "metadata", Value: meta})
}

func (c *call) createNamespace() error {
	name, err := c.oneName()
	if err != nil {
		return err
	}
	root := c.begin("Namespace", name).With("spec", object.NewMap()).With("status", object.NewMap())
	return c.made(root, "")
}
