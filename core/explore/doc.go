// Package explore looks for the run that breaks a reconciler. It plays the life
// of a scenario once without faults (the baseline), and then again for every
// fault at every call of every pass and at every delivery; the world runs on to
// the end of the life and is judged on the way: what must not be at any time,
// and whether it comes to the same as without the fault.
//
// It is exhaustive within its bounds, which a Result states, and thrifty: a run
// begins as a copy of the baseline's world at the call, and ends where it has
// come to a state that was seen before at the same place of the life: at rest, or
// between two passes. What is compared there leaves out uids, revisions, ids and times, so that two runs
// which came to the same are the same.
//
// The same subject and options give the same Result, in whatever slices and by
// however many workers: every run has a number, a worker takes those of its
// shard, and Merge puts them in their order.
package explore
