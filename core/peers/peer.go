package peers

import "fmt"

// Peer is a cluster that is filled with WebApps, and a client that holds one of
// each in its hands. Each method makes one call; only Hold and Fill are not
// timed.
type Peer interface {
	Name() string
	// Fill makes the cluster hold the WebApps 0 to n-1, of which ten share a
	// label.
	Fill(n int) error
	// Hold reads a WebApp to be written.
	Hold(name string) error
	// Stored is what the cluster holds of a WebApp: its message, and the
	// observedGeneration of its status.
	Stored(name string) (message string, observed int64, err error)

	Get(name string) error
	Create(name string) error
	// Update, UpdateStatus, MergePatch and Apply change what is held: it says n
	// afterwards.
	Update(n int) error
	UpdateStatus(n int) error
	MergePatch(n int) error
	Apply(n int) error
	// ListByLabel lists the ten of a group and returns their number.
	ListByLabel(group int) (int, error)
	Delete(name string) error
}

// nameOf is the name of the WebApp i.
func nameOf(i int) string { return fmt.Sprintf("app-%06d", i) }

// groupSize is how many WebApps share a label.
const groupSize = 10

func groupOf(i int) string { return fmt.Sprintf("g%d", i/groupSize) }

// message is what a WebApp says: a line of text that tells n.
func message(n int) string {
	return fmt.Sprintf("hello for the %d. time from a page that is served by a container in a pod on a node of a cluster somewhere", n)
}
