package kubectl

import (
	"slices"
	"sync"

	"github.com/reconcile-playground/reconcile/core/kubectl/flag"
)

var theRoot struct {
	sync.Once
	command *command
}

// root is kubectl itself with all commands, in the order of its help. It is not
// changed once it is made.
func root() *command {
	theRoot.Do(func() {
		k := &command{name: "kubectl", short: "kubectl controls the Kubernetes cluster manager."}
		k.subs = slices.Concat(basicCommands(), otherCommands(), serverCommands(), changeCommands(), settingsCommands())
		adopt(k)
		theRoot.command = k
	})
	return theRoot.command
}

// adopt gives the commands below one their parent and all their flags.
func adopt(c *command) {
	c.flags = slices.Concat(c.own, globalFlags)
	for _, s := range c.subs {
		s.parent = c
		adopt(s)
	}
}

func sets(groups ...flag.Set) flag.Set { return slices.Concat(groups...) }

func basicCommands() []*command {
	return []*command{
		createCommand(),
		unsupported("expose", "Expose a resource as a new Kubernetes service"),
		unsupported("run", "Run a particular image on the cluster"),
		unsupported("set", "Set specific features on objects"),
		{name: "explain", use: "TYPE [--recursive=FALSE|TRUE] [--api-version=api-version-group]", short: "Get documentation for a resource", run: (*call).explain,
			own: flag.Set{boolean("recursive", "", "Print the fields of fields too."), text("api-version", "", "", "Group and version to explain."),
				text("output", "o", "plaintext", "plaintext is the only form here.")}},
		{name: "get", use: "[(-o|--output=)FORM] (TYPE[.VERSION][.GROUP] [NAME | -l label] | TYPE[.VERSION][.GROUP]/NAME ...) [flags]",
			short: "Display one or many resources", suggests: []string{"list", "ls"}, run: (*call).getCommand,
			own: sets(printFlags(), fileFlags(), flag.Set{
				boolean("no-headers", "", "Print no headers."),
				boolean("show-labels", "", "Print all labels in a column."), boolean("show-kind", "", "Print the kind with the name."),
				text("sort-by", "", "", "Field to sort by, a JSONPath."), list("label-columns", "L", "Labels to print as columns."),
				text("raw", "", "", "Path to ask the server for."),
				boolean("watch", "w", "Go on printing changes."), boolean("watch-only", "", "Print changes alone."),
				boolean("output-watch-events", "", "Print the types of changes too."),
				boolean("ignore-not-found", "", "An object that is missing is no error."),
				fieldSelectorFlag(), allNamespacesFlag(), selectorFlag(), subresourceFlag(),
				number("chunk-size", "500", "How many items a page of a list has."),
				truthy("server-print", "The server makes the table."),
			})},
		{name: "edit", use: "(RESOURCE/NAME | -f FILENAME)", short: "Edit a resource on the server", run: (*call).edit,
			own: sets(printFlags(), fileFlags(), flag.Set{validateFlag(), managerFlag("kubectl-edit"), subresourceFlag(), recordFlag(),
				boolean("save-config", "", "Keep the applied text in an annotation."), boolean("output-patch", "", "Print the patch."), boolean("windows-line-endings", "", "Has no effect here.")})},
		{name: "delete", use: "([-f FILENAME] | [-k DIRECTORY] | TYPE [(NAME | -l label | --all)])",
			short: "Delete resources by file names, stdin, resources and names, or by resources and label selector", suggests: []string{"rm", "remove"}, run: (*call).deleteCommand,
			own: sets(fileFlags(), deleteFlags(true), flag.Set{selectorFlag(), fieldSelectorFlag(), boolean("all", "", "Delete all of the types named."),
				allNamespacesFlag(), boolean("now", "", "Give no time for an orderly end."),
				boolean("ignore-not-found", "", "An object that is missing is no error."), text("output", "o", "", "name: print names alone."),
				text("raw", "", "", "Path to send the request to."), boolean("interactive", "i", "Ask before."), dryRunFlag()})},
	}
}

// otherCommands are those of a cluster with nodes and containers.
func otherCommands() []*command {
	return []*command{
		unsupported("rollout", "Manage the rollout of a resource"),
		{name: "scale", use: "[--resource-version=version] [--current-replicas=count] --replicas=COUNT (-f FILENAME | TYPE NAME)",
			short: "Set a new size for a deployment, replica set, or replication controller", required: []string{"replicas"}, run: (*call).scale,
			own: sets(printFlags(), fileFlags(), flag.Set{boolean("all", "", "Scale all of the types named."), number("replicas", "0", "The size wanted."),
				number("current-replicas", "-1", "Size that must be the present one."), text("resource-version", "", "", "Version that must be the present one."),
				duration("timeout", "0s", "How long to wait."), dryRunFlag(), selectorFlag(), recordFlag()})},
		unsupported("autoscale", "Auto-scale a deployment, replica set, stateful set, or replication controller"),
		unsupported("certificate", "Modify certificate resources"),
	}
}

func serverCommands() []*command {
	return []*command{
		{name: "cluster-info", short: "Display cluster information", run: (*call).clusterInfo, own: flag.Set{}, subs: []*command{
			unsupported("dump", "Dump relevant information for debugging and diagnosis")}},
		unsupported("top", "Display resource (CPU/memory) usage"),
		unsupported("cordon", "Mark node as unschedulable"),
		unsupported("uncordon", "Mark node as schedulable"),
		unsupported("drain", "Drain node in preparation for maintenance"),
		unsupported("taint", "Update the taints on one or more nodes"),
		{name: "describe", use: "(-f FILENAME | TYPE [NAME_PREFIX | -l label] | TYPE/NAME)", short: "Show details of a specific resource or group of resources", run: (*call).describe,
			own: sets(fileFlags(), flag.Set{selectorFlag(), allNamespacesFlag(), truthy("show-events", "Print the events about the object."), number("chunk-size", "500", "How many items a page of a list has.")})},
		unsupported("logs", "Print the logs for a container in a pod"),
		unsupported("attach", "Attach to a running container"),
		unsupported("exec", "Execute a command in a container"),
		unsupported("port-forward", "Forward one or more local ports to a pod"),
		unsupported("proxy", "Run a proxy to the Kubernetes API server"),
		unsupported("cp", "Copy files and directories to and from containers"),
		{name: "auth", use: "[flags]", short: "Inspect authorization", run: (*call).group, subs: []*command{
			{name: "can-i", use: "VERB [TYPE | TYPE/NAME | NONRESOURCEURL]", short: "Check whether an action is allowed", run: (*call).canI,
				own: flag.Set{allNamespacesFlag(), boolean("quiet", "q", "Print nothing."), subresourceFlag(), boolean("list", "", "Is refused here."), boolean("no-headers", "", "Print no headers.")}},
			unsupported("reconcile", "Reconciles rules for RBAC role, role binding, cluster role, and cluster role binding objects"),
			{name: "whoami", short: "Experimental: Check self subject attributes", run: (*call).whoami, own: printFlags()},
		}},
		unsupported("debug", "Create debugging sessions for troubleshooting workloads and nodes"),
		{name: "events", use: "[(-o|--output=)json|yaml|name] [--for TYPE/NAME] [--watch] [--types=Normal,Warning]", short: "List events", run: (*call).events,
			own: sets(printFlags(), flag.Set{text("for", "", "", "Object that the events are about."), list("types", "", "Types of events: Normal, Warning."),
				boolean("watch", "w", "Go on printing."), allNamespacesFlag(), number("chunk-size", "500", "How many items a page has."), boolean("no-headers", "", "Print no headers.")})},
	}
}

func changeCommands() []*command {
	return []*command{
		{name: "diff", use: "-f FILENAME", short: "Diff the live version against a would-be applied version", errorCode: 2, run: (*call).diff,
			own: sets(fileFlags(), flag.Set{boolean("server-side", "", "Apply on the server."), boolean("force-conflicts", "", "Take fields that others own."),
				managerFlag("kubectl-client-side-apply"), selectorFlag(), boolean("show-managed-fields", "", "Print metadata.managedFields too."),
				boolean("show-secrets", "", "Print the values of secrets."), boolean("prune", "", "Is refused here."), array("prune-allowlist", "Is refused here."), number("concurrency", "1", "Has no effect here.")})},
		applyCommand(),
		{name: "patch", use: "(-f FILENAME | TYPE NAME) [-p PATCH|--patch-file FILE]", short: "Update fields of a resource", run: (*call).patchCommand,
			own: sets(printFlags(), fileFlags(), flag.Set{text("patch", "p", "", "The patch, JSON or YAML."), text("patch-file", "", "", "File with the patch."),
				text("type", "", "strategic", "strategic, merge or json."), boolean("local", "", "Patch what the file holds."),
				dryRunFlag(), managerFlag("kubectl-patch"), subresourceFlag(), recordFlag()})},
		{name: "replace", use: "-f FILENAME", short: "Replace a resource by file name or stdin", run: (*call).replaceCommand,
			own: sets(printFlags(), fileFlags(), deleteFlags(false), flag.Set{validateFlag(), boolean("save-config", "", "Keep the applied text in an annotation."),
				dryRunFlag(), text("raw", "", "", "Path to send the request to."), managerFlag("kubectl-replace"), subresourceFlag(), recordFlag()})},
		{name: "wait", use: "([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) [--for=create|--for=delete|--for condition=available|--for=jsonpath='{}'[=value]]",
			short: "Wait for a specific condition on one or many resources", run: (*call).wait,
			own: sets(printFlags(), fileFlags(), flag.Set{array("for", "What to wait for: create, delete, condition=NAME[=VALUE], jsonpath=EXPRESSION[=VALUE]."),
				duration("timeout", "30s", "How long to wait."), selectorFlag(), fieldSelectorFlag(), boolean("all", "", "Wait for all of the types named."), allNamespacesFlag(), boolean("local", "", "Do not ask the server.")})},
		unsupported("kustomize", "Build a kustomization target from a directory or URL"),
	}
}

func settingsCommands() []*command {
	return []*command{
		{name: "label", use: "[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]", short: "Update the labels on a resource", run: (*call).label, own: markFlags("kubectl-label")},
		{name: "annotate", use: "[--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]", short: "Update the annotations on a resource", run: (*call).annotate, own: markFlags("kubectl-annotate")},
		unsupported("completion", "Output shell completion code for the specified shell (bash, zsh, fish, or powershell)"),
		{name: "config", use: "SUBCOMMAND", short: "Modify kubeconfig files", long: configLong, run: (*call).group, subs: []*command{
			{name: "current-context", short: "Display the current-context", run: (*call).currentContext, own: flag.Set{}},
			unsupported("delete-cluster", "Delete the specified cluster from the kubeconfig"),
			unsupported("delete-context", "Delete the specified context from the kubeconfig"),
			unsupported("delete-user", "Delete the specified user from the kubeconfig"),
			{name: "get-clusters", short: "Display clusters defined in the kubeconfig", run: (*call).getClusters, own: flag.Set{}},
			{name: "get-contexts", short: "Describe one or many contexts", run: (*call).getContexts, own: flag.Set{boolean("no-headers", "", "Print no headers."), text("output", "o", "", "name: print names alone.")}},
			{name: "get-users", short: "Display users defined in the kubeconfig", run: (*call).getUsers, own: flag.Set{}},
			unsupported("rename-context", "Rename a context from the kubeconfig file"),
			unsupported("set", "Set an individual value in a kubeconfig file"),
			unsupported("set-cluster", "Set a cluster entry in kubeconfig"),
			unsupported("set-context", "Set a context entry in kubeconfig"),
			unsupported("set-credentials", "Set a user entry in kubeconfig"),
			unsupported("unset", "Unset an individual value in a kubeconfig file"),
			{name: "use-context", aliases: []string{"use"}, use: "CONTEXT_NAME", short: "Set the current-context in a kubeconfig file", run: (*call).useContext, own: flag.Set{}},
			{name: "view", short: "Display merged kubeconfig settings or a specified kubeconfig file", run: (*call).configView,
				own: sets(printFlags(), flag.Set{boolean("minify", "", "Has no effect here."), boolean("raw", "", "Has no effect here."), boolean("flatten", "", "Has no effect here.")})},
		}},
		unsupported("plugin", "Provides utilities for interacting with plugins"),
		{name: "version", short: "Print the client and server version information", run: (*call).version,
			own: flag.Set{boolean("client", "", "Print the client's version alone."), text("output", "o", "", "json or yaml.")}},
		{name: "api-versions", short: `Print the supported API versions on the server, in the form of "group/version"`, run: (*call).apiVersions, own: flag.Set{}},
		{name: "api-resources", use: "[flags]", short: "Print the supported API resources on the server", run: (*call).apiResources,
			own: flag.Set{text("output", "o", "", "name, wide, json, yaml."), boolean("show-managed-fields", "", ""), text("api-group", "", "", "Group to print."), truthy("namespaced", "Print those in namespaces, or not in namespaces."),
				list("verbs", "", "Verbs that a resource must have."), text("sort-by", "", "", "name or kind."), boolean("cached", "", "Has no effect here."),
				list("categories", "", "Categories that a resource must be in."), boolean("no-headers", "", "Print no headers.")}},
		{name: "options", short: "Print the list of flags inherited by all commands", run: (*call).options, own: flag.Set{}},
		{name: "help", use: "[command]", short: "Help about any command", run: (*call).helpCommand, own: flag.Set{}},
	}
}

func markFlags(manager string) flag.Set {
	return sets(printFlags(), fileFlags(), flag.Set{boolean("overwrite", "", "Change values that are there."), boolean("list", "", "Print what is there."),
		boolean("local", "", "Work on what the file holds."), fieldSelectorFlag(), boolean("all", "", "All of the types named."), allNamespacesFlag(),
		text("resource-version", "", "", "Version that must be the present one."), dryRunFlag(), managerFlag(manager), selectorFlag(), recordFlag()})
}

const configLong = `Modify kubeconfig files using subcommands like "kubectl config set current-context my-context".

 The loading order follows these rules:

  1.  If the --kubeconfig flag is set, then only that file is loaded. The flag may only be set once and no merging takes place.
  2.  If $KUBECONFIG environment variable is set, then it is used as a list of paths (normal path delimiting rules for your system). These paths are merged. When a value is modified, it is modified in the file that defines the stanza. When a value is created, it is created in the first file that exists. If no files in the chain exist, then it creates the last file in the list.
  3.  Otherwise, ${HOME}/.kube/config is used and no merging takes place.

`

// unsupported is a command that is refused, whatever its flags.
func unsupported(name, short string) *command {
	return &command{name: name, short: short, refused: true}
}

func (c *command) refusal() error {
	return errorf("%s is not part of this cluster, which has an API server and controllers, but no nodes, no containers and none of the kinds that need them", c.path())
}
