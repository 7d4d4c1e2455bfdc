//go:build !js || scripts

package scenario

import "embed"

//go:embed library/*.txtar
var library embed.FS

// headsApart says that of some documents there is the head alone.
const headsApart = false
