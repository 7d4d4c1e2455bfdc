// Package judge says what is wrong with a run, without knowing the reconciler.
//
// A Monitor follows the events of a run and finds what must not be at any time:
// something made outside that nothing guards, two where one is wanted, a write
// to what is somebody else's. A world at rest is judged by its last passes and
// its objects: what stayed behind, what does not come to an end, what differs
// from the desired state that the scenario states, if it states one.
//
// It reads events, records of passes and objects, and never looks inside the
// API server. The same run gives the same findings.
package judge
