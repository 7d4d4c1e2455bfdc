//go:build js

package scenario

import "embed"

// downloads are none in the page's modules: the page loads what stands beside a
// document when it is asked for (web/bundle).
var downloads embed.FS
