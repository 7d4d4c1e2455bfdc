package kubectl

import (
	"encoding/base64"
	"encoding/hex"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/reconcile-playground/reconcile/core/digest"
	"github.com/reconcile-playground/reconcile/core/object"
)

// values gathers the data of a ConfigMap or Secret.
type values struct {
	*call
	name   string
	secret bool
	data   *object.Map
	binary *object.Map
}

func (c *call) createConfigMap() error {
	v, err := c.values(false)
	if err != nil {
		return err
	}
	root := c.begin("ConfigMap", v.name)
	if v.data.Len() > 0 {
		root = root.With("data", v.data)
	}
	if v.binary.Len() > 0 {
		root = root.With("binaryData", v.binary)
	}
	return c.made(v.hashed(root), "failed to create configmap: ")
}

func (c *call) createSecret() error {
	v, err := c.values(true)
	if err != nil {
		return err
	}
	root := c.begin("Secret", v.name)
	if v.data.Len() > 0 {
		root = root.With("data", v.data)
	}
	if kind := c.flags.Text("type"); kind != "" {
		root = root.With("type", kind)
	}
	return c.made(v.hashed(root), "failed to create secret ")
}

// createRegistrySecret makes the secret that names a registry's user.
func (c *call) createRegistrySecret() error {
	f := c.flags
	name, err := c.oneName()
	if err != nil {
		return err
	}
	user, password, server := f.Text("docker-username"), f.Text("docker-password"), f.Text("docker-server")
	if user == "" || password == "" || server == "" {
		return errorf("either --from-file or the combination of --docker-username, --docker-password and --docker-server is required")
	}
	email := f.Text("docker-email")
	if email != "" {
		email = `,"email":` + compactJSON(email)
	}
	auths := `{"auths":{` + compactJSON(server) + `:{"username":` + compactJSON(user) + `,"password":` + compactJSON(password) + email + `,"auth":` + compactJSON(encoded(user+":"+password)) + "}}}"
	v := &values{call: c, name: name, secret: true, data: object.NewMap(object.Field{Key: ".dockerconfigjson", Value: encoded(auths)})}
	return c.made(v.hashed(c.begin("Secret", name).With("data", v.data).With("type", "kubernetes.io/dockerconfigjson")), "failed to create secret ")
}

// createTLSSecret makes the secret of a certificate and its key, which are not held
// against each other.
func (c *call) createTLSSecret() error {
	name, err := c.oneName()
	if err != nil {
		return err
	}
	if c.flags.Text("cert") == "" || c.flags.Text("key") == "" {
		return errorf("key and cert must be specified")
	}
	data := object.NewMap()
	for _, part := range []struct{ flag, key, what string }{{"cert", "tls.crt", "certificate"}, {"key", "tls.key", "key"}} {
		file := c.flags.Text(part.flag)
		text, err := c.readFile(file)
		if err != nil {
			return errorf("Cannot read file %s, %v", file, openError(file, err))
		}
		if !strings.Contains(string(text), "-----BEGIN ") {
			return errorf("tls: failed to find any PEM data in %s input", part.what)
		}
		data = data.With(part.key, encoded(string(text)))
	}
	v := &values{call: c, name: name, secret: true, data: data}
	return c.made(v.hashed(c.begin("Secret", name).With("data", data).With("type", "kubernetes.io/tls")), "failed to create secret ")
}

func encoded(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// hashed appends a hash of what is in an object to its name where that is asked
// for. Models kubectl's util/hash.
func (v *values) hashed(root *object.Map) *object.Map {
	if !v.flags.Bool("append-hash") {
		return root
	}
	content := object.NewMap(object.Field{Key: "data", Value: orEmpty(v.data)}, object.Field{Key: "kind", Value: "ConfigMap"}, object.Field{Key: "name", Value: v.name})
	if v.secret {
		kind, _ := root.Get("type")
		text, _ := kind.(string)
		content = content.With("kind", "Secret").With("type", text)
	} else if v.binary.Len() > 0 {
		content = content.With("binaryData", v.binary)
	}
	sum := digest.SHA256([]byte(compactJSON(content)))
	hash := strings.NewReplacer("0", "g", "1", "h", "3", "k", "a", "m", "e", "t").Replace(hex.EncodeToString(sum[:5]))
	return object.Set(root, v.name+"-"+hash, "metadata", "name")
}

func (c *call) values(secret bool) (*values, error) {
	name, err := c.oneName()
	if err != nil {
		return nil, err
	}
	v := &values{call: c, name: name, secret: secret}
	if _, err := c.dryRunOr(); err != nil {
		return nil, err
	}
	files, literals, env := c.flags.List("from-file"), c.flags.List("from-literal"), c.flags.List("from-env-file")
	if len(env) > 0 && len(files)+len(literals) > 0 {
		return nil, errorf("from-env-file cannot be combined with from-file or from-literal")
	}
	steps := []func() error{func() error { return v.each(files, v.file) }, func() error { return v.each(literals, v.literal) }}
	if secret {
		steps[0], steps[1] = steps[1], steps[0]
	}
	for _, step := range append(steps, func() error { return v.each(env, v.envFile) }) {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return v, nil
}

func (v *values) each(list []string, f func(string) error) error {
	for _, s := range list {
		if err := f(s); err != nil {
			return err
		}
	}
	return nil
}

func (v *values) literal(s string) error {
	key, value, ok := strings.Cut(s, "=")
	if !ok || key == "" {
		return errorf("invalid literal source %v, expected key=value", s)
	}
	return v.add(key, []byte(trimQuotes(value)))
}

// trimQuotes drops quotes around a value.
func trimQuotes(s string) string {
	if len(s) >= 2 && s[0] == s[len(s)-1] && (s[0] == '"' || s[0] == '\'') {
		return s[1 : len(s)-1]
	}
	return s
}

// file reads one --from-file: file, key=file or a folder.
func (v *values) file(s string) error {
	key, name, named := strings.Cut(s, "=")
	switch {
	case !named:
		name = s
		key = path.Base(s)
	case key == "":
		return errorf("key name for file path %v missing", name)
	case name == "":
		return errorf("file path for key name %v missing", key)
	case strings.Contains(name, "="):
		return errorf("key names or file paths cannot contain '='")
	}
	text, err := v.readFile(name)
	if err == nil {
		return v.add(key, text)
	}
	if v.env.ReadDir != nil {
		if names, derr := v.env.ReadDir(name); derr == nil {
			if named {
				return errorf("cannot give a key name for a directory path")
			}
			return v.each(names, func(n string) error {
				text, err := v.readFile(path.Join(name, n))
				if err != nil {
					return nil
				}
				return v.add(n, text)
			})
		}
	}
	return errorf("error reading %s: %s", name, strings.TrimPrefix(openError(name, err).Error(), "open "+name+": "))
}

// envFile reads lines of key=value.
func (v *values) envFile(name string) error {
	text, err := v.readFile(name)
	if err != nil {
		return errorf("error reading %s: %s", name, strings.TrimPrefix(openError(name, err).Error(), "open "+name+": "))
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		line = strings.TrimLeft(strings.TrimSuffix(line, "\r"), " \t")
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok {
			value = v.getenv(key)
		}
		if key == "" || badKey(key) != "" || key[0] >= '0' && key[0] <= '9' {
			return errorf("%q is not a valid key name: %s", key, envNameText)
		}
		if err := v.add(key, []byte(value)); err != nil {
			return err
		}
	}
	return nil
}

const envNameText = "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')"

const keyText = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"

// badKey says what is wrong with a key. Models validation.IsConfigMapKey.
func badKey(key string) string {
	letters := strings.Trim(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._")
	switch {
	case len(key) > 253:
		return "must be no more than 253 characters"
	case key == "" || letters != "":
		return keyText
	case key == ".":
		return "must not be '.'"
	case strings.HasPrefix(key, ".."):
		return "must not start with '..'"
	}
	return ""
}

func (v *values) add(key string, value []byte) error {
	if why := badKey(key); why != "" {
		if v.secret {
			return errorf("%q is not valid key name for a Secret %s", key, why)
		}
		return errorf("%q is not a valid key name for a ConfigMap: %s", key, why)
	}
	switch {
	case v.secret && v.data.Has(key):
		return errorf("cannot add key %s, another key by that name already exists", key)
	case v.data.Has(key):
		return errorf("cannot add key %q, another key by that name already exists in Data for ConfigMap %q", key, v.name)
	case v.binary.Has(key):
		return errorf("cannot add key %q, another key by that name already exists in BinaryData for ConfigMap %q", key, v.name)
	case v.secret:
		v.data = v.data.With(key, base64.StdEncoding.EncodeToString(value))
	case utf8.Valid(value):
		v.data = v.data.With(key, string(value))
	default:
		v.binary = v.binary.With(key, base64.StdEncoding.EncodeToString(value))
	}
	return nil
}

// createService makes a service of one type.
func (c *call) createService(kind string) error {
	name, err := c.oneName()
	if err != nil {
		return err
	}
	tcp, ip := c.flags.List("tcp"), c.flags.Text("clusterip")
	if ip != "None" && len(tcp) == 0 && kind != "ExternalName" {
		return errorf("at least one tcp port specifier must be provided")
	}
	app := object.NewMap(object.Field{Key: "app", Value: name})
	spec := object.NewMap(object.Field{Key: "selector", Value: app}, object.Field{Key: "type", Value: kind})
	var list []any
	for _, s := range tcp {
		port, err := servicePort(s, c.flags.Int("node-port"))
		if err != nil {
			return err
		}
		list = append(list, port)
	}
	if len(list) > 0 {
		spec = spec.With("ports", object.NewList(list...))
	}
	if ip != "" {
		spec = spec.With("clusterIP", ip)
	}
	if outside := c.flags.Text("external-name"); outside != "" {
		spec = spec.With("externalName", outside)
	}
	root := object.Set(c.begin("Service", name), app, "metadata", "labels").With("spec", spec)
	root = root.With("status", object.NewMap(object.Field{Key: "loadBalancer", Value: object.NewMap()}))
	return c.made(root, "failed to create "+kind+" service: ")
}

func servicePort(s string, node int64) (*object.Map, error) {
	first, target, has := strings.Cut(s, ":")
	port, err := strconv.ParseUint(first, 10, 16)
	if err != nil {
		return nil, errorf("%v", err)
	}
	var to any = int64(port)
	if has {
		if n, err := strconv.ParseUint(target, 10, 16); err == nil {
			to = int64(n)
		} else {
			to = target
		}
	}
	m := object.NewMap(object.Field{Key: "name", Value: strings.ReplaceAll(s, ":", "-")}, object.Field{Key: "port", Value: int64(port)},
		object.Field{Key: "protocol", Value: "TCP"}, object.Field{Key: "targetPort", Value: to})
	if node != 0 {
		m = m.With("nodePort", node)
	}
	return m, nil
}
