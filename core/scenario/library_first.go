//go:build js && !scripts

package scenario

import "embed"

// What a first visit can run, and of everything else what a list says of it: the
// module that runs scripts has the whole of it.
//
//go:embed library/lab.txtar library/incident-stuck-finalizer.txtar library/incident-uninstall-order.txtar library/heads/*.txtar
var library embed.FS

// headsApart says that of some documents there is the head alone.
const headsApart = true
