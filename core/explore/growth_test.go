package explore_test

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/reconcile-playground/reconcile/core/explore"
	"github.com/reconcile-playground/reconcile/core/reconcile"
	"github.com/reconcile-playground/reconcile/core/scenario"
	"github.com/reconcile-playground/reconcile/core/sim"
)

var update = flag.Bool("update", false, "write docs/growth.svg anew")

// reading keeps a load balancer as it should, after so many reads more than that
// takes.
func reading(more int) reconcile.Func {
	return func(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
		for range more {
			if _, err := cloud.List(ctx, "db", nil); err != nil {
				return reconcile.Result{}, err
			}
		}
		return mistakes{}.Reconcile(ctx, req)
	}
}

// many is a life of so many WebApps: all are created at once, then each is edited,
// then each is deleted.
func many(t testing.TB, keys, reads int) explore.Subject {
	t.Helper()
	s, err := scenario.Load("lab")
	if err != nil {
		t.Fatal(err)
	}
	s.Controllers[0].Reads = "live"
	outside, _ := s.File("outside.yaml")
	x := subject(t, s, reading(reads))
	x.Life = [][]string{nil}
	var edits, deletes []string
	for i := range keys {
		name := fmt.Sprintf("outside-%d", i+1)
		x.Life[0] = append(x.Life[0], sim.Act("apply", strings.Replace(outside, "name: outside", "name: "+name, 1)).String())
		edits = append(edits, sim.Act("patch", "WebApp/default/"+name, `{"spec":{"replicas":7}}`).String())
		deletes = append(deletes, "delete WebApp/default/"+name)
	}
	x.Life = append(x.Life, explore.Each(append(edits, deletes...)...)...)
	return x
}

// point is what one exploration took.
type point struct{ size, runs, steps, naive int }

func measure(t testing.TB, size, keys, reads int) point {
	t.Helper()
	steps := func(o explore.Options) (runs, steps int) {
		x, err := explore.New(many(t, keys, reads), o)
		if err != nil {
			t.Fatal(err)
		}
		for done := false; !done; {
			if done, err = x.Step(1000); err != nil {
				t.Fatal(err)
			}
		}
		return len(x.Outcomes()), x.Steps()
	}
	p := point{size: size}
	p.runs, p.steps = steps(explore.Options{})
	_, p.naive = steps(explore.Options{Unpruned: true})
	return p
}

// measured has what the plot in the docs is drawn from, a point on each line.
const measured = "testdata/growth.txt"

// How the work grows with the number of keys and of calls in a pass is drawn in
// docs/growth.svg, from steps and not from times: it is the same on every machine.
// The small points are measured anew each time, with -update all of them.
func TestGrowth(t *testing.T) {
	const file = "../../docs/growth.svg"
	if *update {
		var b strings.Builder
		for _, n := range []int{1, 2, 3, 4, 6} {
			fmt.Fprintln(&b, "keys", fields(measure(t, n, n, 0)))
		}
		for _, n := range []int{0, 4, 8, 16} {
			fmt.Fprintln(&b, "calls", fields(measure(t, 5+n, 1, n)))
		}
		if err := os.WriteFile(measured, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(measured)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string][]point{}
	for line := range strings.Lines(string(text)) {
		var what string
		var p point
		if _, err := fmt.Sscan(line, &what, &p.size, &p.runs, &p.steps, &p.naive); err != nil {
			t.Fatalf("%s: %q: %v", measured, line, err)
		}
		known[what] = append(known[what], p)
	}
	keys, calls := known["keys"], known["calls"]
	near := func(now, then point) {
		for _, n := range [][2]int{{now.runs, then.runs}, {now.steps, then.steps}, {now.naive, then.naive}} {
			if math.Abs(math.Log(float64(n[0])/float64(n[1]))) > 0.25 {
				t.Errorf("measured %s, the plot has %s: go test ./core/explore -run TestGrowth -update", fields(now), fields(then))
			}
		}
	}
	near(measure(t, 1, 1, 0), keys[0])
	near(measure(t, 2, 2, 0), keys[1])
	near(measure(t, 9, 1, 4), calls[1])
	first, last := keys[0], keys[len(keys)-1]
	if saved := float64(last.naive) / float64(last.steps); saved < 4 {
		t.Errorf("with %d keys pruning saves a factor of %.1f alone", last.size, saved)
	}
	if float64(last.steps)/float64(first.steps) > math.Pow(float64(last.size), 2) {
		t.Errorf("from 1 key to %d the steps grow from %d to %d", last.size, first.steps, last.steps)
	}
	got := drawn([]panel{{"keys", keys}, {"calls in a pass", calls}})
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(file); err != nil || string(want) != got {
		t.Errorf("docs/growth.svg is not what %s draws (%v)", measured, err)
	}
}

func fields(p point) string { return fmt.Sprint(p.size, p.runs, p.steps, p.naive) }

// panel is one plot: what grows, and what that takes.
type panel struct {
	what   string
	points []point
}

// drawn is the plots side by side, as SVG, each against the first of its points.
func drawn(panels []panel) string {
	const width, height, left, top, w, h = 760, 330, 60, 50, 290, 220
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">\n", width, height)
	fmt.Fprintf(&b, "<title>How the work of proving grows with keys and with calls in a pass</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", width, height)
	for i, p := range panels {
		x0, first, last := left+i*(w+80), p.points[0], p.points[len(p.points)-1]
		most := math.Ceil(float64(last.naive) / float64(first.steps))
		x := func(size int) float64 { return float64(x0) + float64(w)*float64(size)/float64(last.size) }
		y := func(n int) float64 {
			return float64(top+h) - float64(h)*math.Log(float64(n)/float64(first.runs))/math.Log(most*float64(first.steps)/float64(first.runs))
		}
		fmt.Fprintf(&b, "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"#444\"/>\n", x0, top, top+h, x0+w)
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#222\">%s</text>\n", x0+w/2, top+h+42, p.what)
		for _, q := range p.points {
			fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\" fill=\"#444\">%d</text>\n", x(q.size), top+h+18, q.size)
		}
		for at := 1; float64(first.runs*at) <= most*float64(first.steps); at *= 10 {
			fmt.Fprintf(&b, "<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"#444\">%d×</text>\n", x0, y(first.runs*at), x0+w, x0-6, y(first.runs*at)+4, at)
		}
		for _, line := range []struct {
			name, colour string
			of           func(point) int
		}{
			{"steps, every run to its end", "#b3261e", func(q point) int { return q.naive }},
			{"steps", "#1a5fb4", func(q point) int { return q.steps }},
			{"runs", "#26734d", func(q point) int { return q.runs }},
		} {
			for j, q := range p.points {
				fmt.Fprintf(&b, "%s%.1f %.1f", map[bool]string{true: "<path d=\"M", false: "L"}[j == 0], x(q.size), y(line.of(q)))
			}
			fmt.Fprintf(&b, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", line.colour)
			fmt.Fprintf(&b, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\" fill=\"%s\">%s</text>\n", x0+w, y(line.of(last))-7, line.colour, line.name)
		}
	}
	b.WriteString("<text x=\"60\" y=\"24\" fill=\"#222\">1× is the number of runs of the smallest world; the scale is logarithmic</text>\n</svg>\n")
	return b.String()
}
