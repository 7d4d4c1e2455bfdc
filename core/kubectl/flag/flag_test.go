package flag

import (
	"slices"
	"testing"
	"time"
)

var known = Set{
	{Name: "namespace", Short: "n"}, {Name: "output", Short: "o"},
	{Name: "watch", Short: "w", Kind: Bool, Default: "false"}, {Name: "all", Short: "A", Kind: Bool},
	{Name: "wait", Kind: Bool, Default: "true"}, {Name: "dry-run", Default: "none", Bare: "unchanged"},
	{Name: "timeout", Kind: Duration, Default: "0s"}, {Name: "chunk-size", Kind: Int, Default: "500"},
	{Name: "filename", Short: "f", Kind: Strings}, {Name: "from-literal", Kind: Array},
}

func TestParse(t *testing.T) {
	v, err := Parse(known, []string{"get", "-n", "a", "pods", "-ojson", "-wA", "--wait=false", "--dry_run", "x", "--timeout", "3s",
		"--chunk-size=0x10", "-f", "a,b", "--filename=c", "--from-literal", "k=a,b", "-n=b", "--", "-o", "yaml"})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"get", "pods", "x", "-o", "yaml"}; !slices.Equal(v.Args, want) || v.Dash != 3 {
		t.Errorf("args %q, dash %d", v.Args, v.Dash)
	}
	if v.Text("namespace") != "b" || v.Text("output") != "json" || !v.Bool("watch") || !v.Bool("all") || v.Bool("wait") {
		t.Errorf("%+v", v.given)
	}
	if v.Text("dry-run") != "unchanged" || v.Duration("timeout") != 3*time.Second || v.Int("chunk-size") != 16 {
		t.Errorf("%+v", v.given)
	}
	if files := v.List("filename"); !slices.Equal(files, []string{"a", "b", "c"}) {
		t.Errorf("files %q", files)
	}
	if literals := v.List("from-literal"); !slices.Equal(literals, []string{"k=a,b"}) {
		t.Errorf("literals %q", literals)
	}
	if v.Given("chunk-size") != true || v.Given("raw") {
		t.Error("what is given")
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"--nope"}, "unknown flag: --nope"},
		{[]string{"-wZ"}, "unknown shorthand flag: 'Z' in -Z"},
		{[]string{"--output"}, "flag needs an argument: --output"},
		{[]string{"-wo"}, "flag needs an argument: 'o' in -o"},
		{[]string{"--=x"}, "bad flag syntax: --=x"},
		{[]string{"--watch=x"}, `invalid argument "x" for "-w, --watch" flag: strconv.ParseBool: parsing "x": invalid syntax`},
		{[]string{"--timeout=x"}, `invalid argument "x" for "--timeout" flag: time: invalid duration "x"`},
		{[]string{"--chunk-size=x"}, `invalid argument "x" for "--chunk-size" flag: strconv.ParseInt: parsing "x": invalid syntax`},
	} {
		if _, err := Parse(known, c.words); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.words, err, c.want)
		}
	}
}

func TestDefaults(t *testing.T) {
	v, err := Parse(known, nil)
	if err != nil || v.Text("dry-run") != "none" || !v.Bool("wait") || v.Int("chunk-size") != 500 || v.List("filename") != nil || v.Dash != -1 {
		t.Errorf("%+v %v", v, err)
	}
}

func TestWords(t *testing.T) {
	for _, c := range []struct {
		in, want []string
	}{
		{[]string{"-n", "a", "get", "pods"}, []string{"get", "pods"}},
		{[]string{"--namespace=a", "get", "-w", "pods"}, []string{"get", "pods"}},
		{[]string{"--unknown", "get", "pods"}, []string{"pods"}},
		{[]string{"get", "--", "pods"}, []string{"get"}},
		{[]string{"-n"}, nil},
	} {
		if got := Words(known, c.in); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}
