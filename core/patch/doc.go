// Package patch applies and makes patches: JSON patch (RFC 6902), merge patch
// (RFC 7386) and strategic merge patch, over the immutable trees of package
// object. What a patch does not touch is shared with the document.
//
// Models gopkg.in/evanphx/json-patch.v4, which the API server uses, with its
// error texts and its departures from the RFCs; and
// k8s.io/apimachinery/pkg/util/{jsonmergepatch,strategicpatch}, which kubectl
// apply uses.
package patch
