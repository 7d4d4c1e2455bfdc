// Command compare times the same operations on our API server and on
// controller-runtime's fake client, at several numbers of objects, and prints
// what a call costs each, and how many times faster ours is than the fake client
// that knows a single kind.
package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/reconcile-playground/reconcile/core/peers"
)

func main() {
	sizes := flag.String("sizes", "100,1000,10000,100000", "numbers of objects, joined by commas")
	each := flag.Duration("each", 500*time.Millisecond, "time for each operation, peer and number")
	only := flag.String("only", "", "operations, joined by commas")
	flag.Parse()
	if err := compare(*sizes, *only, *each); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func compare(sizes, only string, each time.Duration) error {
	operations := peers.Operations
	if only != "" {
		operations = strings.Split(only, ",")
	}
	all := []peers.Peer{&peers.Server{}, &peers.Typed{}, &peers.FakeClient{}, &peers.FakeClient{Full: true}}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "operation\tobjects\t")
	for _, p := range all {
		fmt.Fprintf(w, "%s\t", p.Name())
	}
	fmt.Fprint(w, "times faster\twith structs\tgrowth of ours\t\n")
	first := map[string]time.Duration{}
	for _, size := range strings.Split(sizes, ",") {
		n, err := strconv.Atoi(size)
		if err != nil {
			return err
		}
		rows, err := peers.Measure(all, n, each, operations)
		for _, r := range rows {
			fmt.Fprintf(w, "%s\t%d\t", r.Operation, r.Objects)
			for _, t := range r.PerCall {
				fmt.Fprintf(w, "%.1f µs\t", float64(t)/1000)
			}
			if first[r.Operation] == 0 {
				first[r.Operation] = r.PerCall[0]
			}
			fmt.Fprintf(w, "%.1f\t%.1f\t%.2f\t\n", ratio(r.PerCall[2], r.PerCall[0]), ratio(r.PerCall[2], r.PerCall[1]), ratio(r.PerCall[0], first[r.Operation]))
		}
		w.Flush()
		if err != nil {
			return err
		}
	}
	return nil
}

func ratio(a, b time.Duration) float64 { return float64(a) / float64(b) }
