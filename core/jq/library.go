package jq

import (
	"fmt"
	"sync"

	"github.com/itchyny/gojq"
)

// library defines functions in terms of others, as jq 1.7's builtin.jq does.
const library = `
def not: if . then false else true end;
def map_values(f): .[] |= f;
def in(xs): . as $x | xs | has($x);
def inside(xs): . as $x | xs | contains($x);
def to_entries: [keys_unsorted[] as $k | {key: $k, value: .[$k]}];
def from_entries: reduce .[] as $x ({};
  . + {($x | .key // .Key // .name // .Name): ($x | if has("value") then .value else .Value end)});
def with_entries(f): to_entries | map(f) | from_entries;
def paths(node_filter): . as $dot | paths | select(. as $p | $dot | getpath($p) | node_filter);
def join($x): reduce .[] as $i (null;
  (if . == null then "" else . + $x end) +
  ($i | if . == null then "" elif type == "string" then . elif type == "boolean" or type == "number" then tojson else . end)) // "";
def flatten: _flatten(-1);
def flatten($x): if $x < 0 then error("flatten depth must not be negative") else _flatten($x) end;
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type | . == "array" or . == "object");
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def finites: select(isinfinite or isnan | not);
def normals: select(isnormal);
def strings: select(type == "string");
def nulls: select(. == null);
def values: select(. != null);
def scalars: select(type | . != "array" and . != "object");
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdateiso8601: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def todateiso8601: strftime("%Y-%m-%dT%H:%M:%SZ");
def fromdate: fromdateiso8601;
def _pattern: type as $t | if $t == "string" then [., null] elif $t == "array" and length > 0 then [.[0], .[1]] else error($t + " not a string or array") end;
def match(re): (re | _pattern) as [$re, $flags] | _match($re; $flags; false) | .[];
def match($re; $flags): _match($re; $flags; false) | .[];
def test(re): (re | _pattern) as [$re, $flags] | _match($re; $flags; true);
def test($re; $flags): _match($re; $flags; true);
def capture(re): match(re) | _captures;
def capture($re; $flags): match($re; $flags) | _captures;
def scan($re): scan($re; null);
def scan($re; $flags): match($re; "g" + $flags) | if (.captures | length) > 0 then [.captures[].string] else .string end;
def splits($re): splits($re; null);
def splits($re; $flags): split($re; $flags) | .[];
def sub($re; str): sub($re; str; "");
def sub($re; str; $flags): . as $in |
  (reduce _match($re; $flags; false)[] as $m ([0, [""]];
    . as [$from, $acc]
    | [($m | _captures | str)] as $texts
    | [$m.offset + $m.length, [$acc[] as $a | $texts[] as $s | $a + $in[$from:$m.offset] + $s]]))
  | .[0] as $end | .[1][] + $in[$end:];
def gsub($re; str): sub($re; str; "g");
def gsub($re; str; $flags): sub($re; str; $flags + "g");
def first: .[0];
def last: .[-1];
def nth($n): .[$n];
def nth($n; f): if $n < 0 then error("nth doesn't support negative indices")
  else first(foreach f as $x (-1; . + 1; if . >= $n then $x else empty end)) end;
def isfinite: type == "number" and (isinfinite | not);
def reverse: [.[length - 1 - range(0; length)]];
def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;
def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f; w;
def env: $ENV;
def halt_error: halt_error(5);
def INDEX(stream; idx_expr): reduce stream as $row ({}; .[$row | idx_expr | tostring] |= $row);
def INDEX(idx_expr): INDEX(.[]; idx_expr);
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def JOIN($idx; idx_expr): [.[] | [., $idx[idx_expr]]];
def JOIN($idx; stream; idx_expr): stream | [., $idx[idx_expr]];
def JOIN($idx; stream; idx_expr; join_expr): stream | [., $idx[idx_expr]] | join_expr;
def tostream: path(def r: (.[]? | r), .; r) as $p | getpath($p) | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
def fromstream(f): {x: null, e: false} as $init
  | foreach f as $i ($init;
      if .e then $init else . end
      | if $i | length == 2
        then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
        else setpath(["e"]; $i[0] | length == 1) end;
      if .e then .x else empty end);
def truncate_stream(stream): . as $n | null | stream | . as $input | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;
def pick(pathexps): . as $top | reduce path(pathexps) as $p (null; setpath($p; $top | getpath($p)));
def abs: if . < 0 then -. else . end;
`

var compiledLibrary struct {
	sync.Mutex
	parsed map[string]*gojq.FuncDef
	ready  map[string]*function
}

// libraryNames lists what is defined in jq text.
func libraryNames() []string {
	libraryFunction("not/0") // it is parsed by then
	compiledLibrary.Lock()
	defer compiledLibrary.Unlock()
	return sortedNames(compiledLibrary.parsed)
}

// libraryFunction returns a function that is defined in jq text, compiled on its
// first use; nil where there is none.
func libraryFunction(name string) (*function, error) {
	l := &compiledLibrary
	l.Lock()
	defer l.Unlock()
	if l.parsed == nil {
		q, err := gojq.Parse(library)
		if err != nil {
			return nil, err
		}
		l.parsed, l.ready = map[string]*gojq.FuncDef{}, map[string]*function{}
		for _, d := range q.FuncDefs {
			l.parsed[fmt.Sprintf("%s/%d", d.Name, len(d.Args))] = d
		}
	}
	if f := l.ready[name]; f != nil {
		return f, nil
	}
	d := l.parsed[name]
	if d == nil {
		return nil, nil
	}
	l.Unlock() // its body may name others
	c := &compiler{src: library, inside: true}
	b := c.define(d, nil)
	l.Lock()
	if c.err != nil {
		return nil, c.err
	}
	l.ready[name] = b.def
	return b.def, nil
}
