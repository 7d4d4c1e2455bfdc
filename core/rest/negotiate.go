package rest

import (
	"slices"
	"strconv"
	"strings"

	"github.com/reconcile-playground/reconcile/core/api"
)

// Format is how an answer is written, and an error in its place: an error is
// written in no other form, so that a clause that asks for one does not count.
type Format string

// The formats: of all answers alike, or of answers and errors.
const (
	JSON Format = "application/json"
	YAML Format = "application/yaml"

	yamlErrors Format = "application/json, errors application/yaml"
	jsonErrors Format = "application/yaml, errors application/json"
)

// formats are what answers may be written in. The real server also offers
// protobuf, and its error texts say so.
var formats = []Format{JSON, YAML}

// of is the media type of an answer.
func (f Format) of(failed bool) Format {
	if f == YAML || f == jsonErrors && !failed || f == yamlErrors && failed {
		return YAML
	}
	return JSON
}

// withErrors is the format of answers in one media type and errors in another.
func (f Format) withErrors(errors Format) Format {
	switch {
	case f == errors:
		return f
	case f == YAML:
		return jsonErrors
	}
	return yamlErrors
}

// clause is one of an Accept header.
type clause struct {
	kind, sub string
	q         float64
	params    map[string]string
}

// less models goautoneg's order, which is none in the strict sense.
func (c clause) less(d clause) bool {
	return c.q > d.q || c.kind != "*" && d.kind == "*" || c.sub != "*" && d.sub == "*"
}

// parseAccept reads an Accept header, what is wanted most first. Models
// goautoneg.ParseAccept.
func parseAccept(header string) []clause {
	var out []clause
	for part := range strings.SplitSeq(header, ",") {
		name, params, _ := strings.Cut(strings.Trim(part, " "), ";")
		kind, sub, _ := strings.Cut(name, "/")
		c := clause{kind: strings.Trim(kind, " "), q: 1, params: map[string]string{}}
		switch {
		case sub == "" && c.kind == "*":
			sub = "*"
		case sub == "" || strings.Contains(strings.TrimSuffix(sub, "/"), "/"):
			continue
		}
		c.sub = strings.Trim(strings.TrimSuffix(sub, "/"), " ")
		for p := range strings.SplitSeq(params, ";") {
			key, value, _ := strings.Cut(p, "=")
			if key = strings.Trim(key, " "); value == "" || strings.Contains(value[:len(value)-1], "=") {
				continue
			}
			value = strings.TrimSuffix(value, "=")
			if key == "q" {
				c.q, _ = strconv.ParseFloat(value, 32)
				continue
			}
			c.params[key] = strings.Trim(value, " ")
		}
		out = append(out, c)
		for i := len(out) - 1; i > 0 && out[i].less(out[i-1]); i-- {
			out[i], out[i-1] = out[i-1], out[i]
		}
	}
	return out
}

// form is what a clause asks an answer to be turned into; the zero one is the
// object itself.
type form struct{ as, group, version string }

func (c clause) form() form { return form{c.params["as"], c.params["g"], c.params["v"]} }

// accepts reports whether the clause takes a format as it is written here. Models
// acceptMediaTypeOptions.
func (c clause) accepts(f Format) bool {
	kind, sub, _ := strings.Cut(string(f), "/")
	fits := c.kind == kind && (c.sub == sub || c.sub == "*") || c.kind == "*" && c.sub == "*"
	if stream := c.params["stream"]; stream != "" && (f != JSON || stream != "watch") {
		return false
	}
	return fits
}

// negotiate finds the first clause that can be served: a format, and a form that
// allowed takes. Models NegotiateMediaTypeOptions.
func negotiate(header string, allowed func(c clause) bool) (Format, form, bool) {
	if header == "" {
		return JSON, form{}, true
	}
	for _, c := range parseAccept(header) {
		for _, f := range formats {
			if c.accepts(f) && allowed(c) {
				return f, c.form(), true
			}
		}
	}
	return JSON, form{}, false
}

// plain allows no form. Models DefaultEndpointRestrictions.
func plain(c clause) bool { return c.form() == form{} && c.params["sv"] == "" }

// ofResource allows the forms of objects and lists. Models
// RequestScope.AllowsMediaTypeTransform.
func ofResource(c clause) bool {
	f, sv := c.form(), c.params["sv"]
	if sv != "" && sv != "v1" {
		return false
	}
	known := f.group == "meta.k8s.io" && (f.version == "v1" || f.version == "v1beta1")
	return f == form{} || known && slices.Contains([]string{string(api.AsTable), string(api.AsPartial), string(asPartialList)}, f.as)
}

// ofDiscovery allows the one document that has all.
func ofDiscovery(c clause) bool { return c.form().discovery() && c.params["sv"] == "" }

func (f form) discovery() bool {
	return f.as == string(api.AsDiscovery) && f.group == "apidiscovery.k8s.io" && (f.version == "v2" || f.version == "v2beta1")
}

// known reports whether an Accept header names a media type as it is offered: the
// router of built-in resources asks that first, and knows no weights and no
// wildcard but one. Models go-restful's Route.matchesAccept.
func known(header string) bool {
	if header == "" {
		return true
	}
	for part := range strings.SplitSeq(header, ",") {
		name, _, _ := strings.Cut(part, ";")
		switch strings.TrimSpace(name) {
		case "*/*", string(JSON), string(YAML), "application/vnd.kubernetes.protobuf":
			return true
		}
	}
	return false
}

// asPartialList is what a client asked for; whether it fits is seen later.
const asPartialList api.As = "PartialObjectMetadataList"

// setForm sets the form that an Accept header asks for, and returns the format.
func setForm(req *api.Request, header string) Format {
	errors, _, served := negotiate(header, plain)
	if !known(header) && (req.Path != "" || slices.Contains(builtinGroups, req.Group)) {
		req.As = api.AsUnknown
		return errors
	}
	if req.Verb == api.Discover {
		all := strings.TrimSuffix(req.Path, "/")
		if _, _, ok := negotiate(header, ofDiscovery); ok && header != "" && (all == "/api" || all == "/apis") {
			req.As = api.AsDiscovery
		} else if !served {
			req.As = api.AsUnacceptable
		}
		return errors
	}
	format, f, ok := negotiate(header, ofResource)
	if !ok {
		req.As = api.AsUnacceptable
		return errors
	}
	req.As = api.As(f.as)
	if f.version == "v1beta1" {
		req.AsVersion = f.version
	}
	return format.withErrors(errors)
}

// fitForm judges the form that was asked for by what is answered.
func fitForm(req *api.Request, format Format) {
	if req.As == api.AsUnknown || req.As == api.AsUnacceptable {
		return
	}
	list := req.Verb == api.List || req.Verb == api.DeleteCollection
	switch {
	case req.Verb == api.Watch && format.of(false) == YAML:
		req.As = api.AsUnstreamed
	case req.As == asPartialList && !list, req.As == api.AsPartial && list:
		req.As = api.AsWrongPartial
	case req.As == asPartialList:
		req.As = api.AsPartial
	}
}

// mediaType reads a Content-Type as far as it names a type; empty for one that
// cannot be read. Models mime.ParseMediaType.
func mediaType(header string) string {
	if header == "" {
		return string(JSON)
	}
	name, params, more := strings.Cut(header, ";")
	name = strings.ToLower(strings.TrimSpace(name))
	for more {
		if strings.TrimSpace(params) == "" {
			break
		}
		var p string
		p, params, more = strings.Cut(params, ";")
		if key, value, ok := strings.Cut(strings.TrimSpace(p), "="); !ok || !isToken(key) || !isToken(strings.Trim(value, `"`)) {
			return ""
		}
	}
	return name
}

// isToken reports whether a text is a token as RFC 2045 has it.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`()<>@,;:\"/[]?=`, r) })
}
