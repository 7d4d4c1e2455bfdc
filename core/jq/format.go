package jq

import (
	"encoding/base32"
	"encoding/base64"
	"strconv"
	"strings"
)

var base32Encoding = base32.StdEncoding

// formatter is @name.
func formatter(name string) node {
	return func(m *machine, _ *scope, in any, p *trail, yield yieldFunc) error {
		v, err := format(in, name)
		if err == nil {
			err = m.made(v)
		}
		if err != nil {
			return err
		}
		return yield(v, p.off())
	}
}

func format(v any, name string) (any, error) {
	switch name {
	case "text":
		return textOf(v), nil
	case "json":
		return Encode(v), nil
	case "csv", "tsv":
		return row(v, name)
	case "html":
		return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "'", "&#39;", `"`, "&quot;").Replace(textOf(v)), nil
	case "uri":
		return uri(textOf(v)), nil
	case "sh":
		return shell(v)
	case "base64":
		return base64.StdEncoding.EncodeToString([]byte(textOf(v))), nil
	case "base64d":
		return fromBase64(v)
	}
	return nil, failf("%s is not a valid format", name)
}

func row(v any, name string) (any, error) {
	list, ok := v.([]any)
	if !ok {
		return nil, failf("%s cannot be %s-formatted, only array", shown(v), name)
	}
	cells := make([]string, len(list))
	for i, item := range list {
		switch t := item.(type) {
		case nil:
		case bool:
			cells[i] = strconv.FormatBool(t)
		case float64, Number:
			cells[i] = Encode(item)
		case string:
			if name == "csv" {
				cells[i] = `"` + strings.ReplaceAll(t, `"`, `""`) + `"`
			} else {
				cells[i] = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`).Replace(t)
			}
		default:
			return nil, failf("%s is not valid in a csv row", shown(item))
		}
	}
	return strings.Join(cells, map[string]string{"csv": ",", "tsv": "\t"}[name]), nil
}

func uri(s string) string {
	const plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~"
	var b strings.Builder
	for i := range len(s) {
		if strings.IndexByte(plain, s[i]) >= 0 {
			b.WriteByte(s[i])
		} else {
			b.WriteString("%" + strings.ToUpper(strconv.FormatUint(uint64(s[i])+256, 16)[1:]))
		}
	}
	return b.String()
}

func shell(v any) (any, error) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	words := make([]string, len(list))
	for i, item := range list {
		switch t := item.(type) {
		case string:
			words[i] = "'" + strings.ReplaceAll(t, "'", `'\''`) + "'"
		case []any, *Object:
			return nil, failf("%s can not be escaped for shell", shown(item))
		default:
			words[i] = Encode(item)
		}
	}
	return strings.Join(words, " "), nil
}

const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

func fromBase64(v any) (any, error) {
	s := strings.TrimRight(textOf(v), "=")
	b, err := base64.RawStdEncoding.DecodeString(s)
	if err != nil {
		if len(s)%4 == 1 {
			b, err = base64.RawStdEncoding.DecodeString(s[:len(s)-1])
		}
		switch {
		case err != nil || len(s) == 1 && !strings.ContainsAny(s, base64Letters):
			return nil, failf("%s is not valid base64 data", shown(v))
		case len(s)%4 == 1:
			return nil, failf("%s trailing base64 byte found", shown(v))
		}
	}
	return strings.ToValidUTF8(string(b), "\ufffd"), nil
}
