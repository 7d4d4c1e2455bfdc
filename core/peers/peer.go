package peers

import (
	"fmt"
	"strconv"
	"strings"
)

// Peer is a cluster that is filled with WebApps, and a client of it.
type Peer interface {
	Name() string
	// Fill makes the cluster hold the WebApps 0 to n-1, of which ten share a
	// label.
	Fill(n int) error
	// Stored is what the cluster holds of a WebApp: its message, and the
	// observedGeneration of its status.
	Stored(name string) (message string, observed int64, err error)
	// Ready makes one call of an operation on a WebApp ready, which is what is timed:
	// what is to be written is read and changed before, as each peer has its objects.
	// A write makes the WebApp say n, or its status; a list is of all that share
	// its label.
	Ready(op, name string, n int) (call func() error, err error)
}

// nameOf is the name of the WebApp i.
func nameOf(i int) string { return fmt.Sprintf("app-%06d", i) }

// groupSize is how many WebApps share a label.
const groupSize = 10

func groupOf(i int) string { return fmt.Sprintf("g%d", i/groupSize) }

// groupOfName is the group of the WebApp of a name that nameOf gave.
func groupOfName(name string) string {
	i, err := strconv.Atoi(strings.TrimPrefix(name, "app-"))
	if err != nil {
		panic(err)
	}
	return groupOf(i)
}

// wholeGroup is the error of a list that does not find a whole group.
func wholeGroup(found int, err error) error {
	if err == nil && found != groupSize {
		err = fmt.Errorf("%d found", found)
	}
	return err
}

// unknown is the error of an operation that a peer does not have.
func unknown(op string) error { return fmt.Errorf("no operation %q", op) }

// message is what a WebApp says: a line of text that tells n.
func message(n int) string {
	return fmt.Sprintf("hello for the %d. time from a page that is served by a container in a pod on a node of a cluster somewhere", n)
}
