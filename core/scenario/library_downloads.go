//go:build !js

package scenario

import "embed"

// downloads are members download/PATH that stand beside their document.
//
//go:embed library/downloads/*.txtar
var downloads embed.FS
