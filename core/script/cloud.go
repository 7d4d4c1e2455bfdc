package script

import (
	"errors"
	"fmt"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
	"github.com/reconcile-playground/reconcile/core/object"
	"github.com/reconcile-playground/reconcile/core/script/tool"
)

const cloudUsage = `usage: cloud TYPE list [--name NAME] [--tag KEY=VALUE]...
       cloud TYPE create --name NAME [--tag KEY=VALUE]...
       cloud TYPE get ID
       cloud TYPE delete ID
TYPE is lb or db.
`

// cloud is the program that reaches what is outside the cluster. Exit status 1:
// it said no, or nothing; 2: the command line is no good.
func (s *session) cloud(p *tool.Proc) int {
	req, err := cloudRequest(p.Args[1:])
	if err != nil {
		fmt.Fprintf(p.Stderr, "cloud: %s\n%s", err, cloudUsage)
		return 2
	}
	c := client{s, p}
	c.count()
	resp := c.wire.Cloud(req)
	c.late()
	if resp.Err != nil {
		fmt.Fprintln(p.Stderr, resp.Err)
		var ce *api.CloudError
		if errors.As(resp.Err, &ce) && ce.Reason == api.ReasonBadRequest {
			return 2
		}
		return 1
	}
	var out []byte
	switch req.Verb {
	case api.Delete:
		return 0
	case api.List:
		out = append(out, '[')
		for i, item := range resp.Items {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendItem(out, item)
		}
		out = append(out, ']')
	default:
		out = appendItem(out, resp.Items[0])
	}
	_, _ = p.Stdout.Write(append(out, '\n'))
	return 0
}

// appendItem prints an item with its fields in the order in which the page on scripts shows them.
func appendItem(b []byte, item api.CloudItem) []byte {
	for i, f := range []struct{ key, value string }{{"id", item.ID}, {"type", item.Type}, {"name", item.Name}, {"address", item.Address}} {
		b = append(b, "{,,,"[i])
		b = append(object.AppendJSON(b, f.key), ':')
		b = object.AppendJSON(b, f.value)
	}
	b = append(b, `,"tags":`...)
	return append(object.AppendJSON(b, object.StringMap(item.Tags)), '}')
}

// cloudRequest reads the command line.
func cloudRequest(args []string) (api.CloudRequest, error) {
	if len(args) < 2 {
		return api.CloudRequest{}, errors.New("a type and a verb are required")
	}
	req := api.CloudRequest{Type: args[0], Verb: api.Verb(args[1])}
	if req.Type != "lb" && req.Type != "db" {
		return req, fmt.Errorf("unknown type %q", req.Type)
	}
	selects := false
	switch req.Verb {
	case api.Create, api.List:
		selects = true
	case api.Get, api.Delete:
	default:
		return req, fmt.Errorf("unknown verb %q", args[1])
	}
	rest := args[2:]
	for len(rest) > 0 {
		arg := rest[0]
		rest = rest[1:]
		flag, value, has := strings.Cut(arg, "=")
		switch {
		case selects && (flag == "--name" || flag == "--tag"):
			if !has {
				if len(rest) == 0 {
					return req, fmt.Errorf("%s needs a value", flag)
				}
				value, rest = rest[0], rest[1:]
			}
			if err := cloudFlag(&req, flag, value); err != nil {
				return req, err
			}
		case strings.HasPrefix(arg, "-"):
			return req, fmt.Errorf("unknown flag %s", arg)
		case selects || req.ID != "":
			return req, fmt.Errorf("unexpected argument %q", arg)
		default:
			req.ID = arg
		}
	}
	switch {
	case req.Verb == api.Create && req.Name == "":
		return req, errors.New("--name is required")
	case !selects && req.ID == "":
		return req, errors.New("an ID is required")
	}
	return req, nil
}

func cloudFlag(req *api.CloudRequest, flag, value string) error {
	if flag == "--name" {
		req.Name = value
		return nil
	}
	k, v, ok := strings.Cut(value, "=")
	if !ok || k == "" {
		return fmt.Errorf("--tag wants KEY=VALUE, not %q", value)
	}
	if req.Tags == nil {
		req.Tags = map[string]string{}
	}
	req.Tags[k] = v
	return nil
}
