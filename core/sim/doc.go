// Package sim holds the world: an API server, the collector, a cloud and
// controller processes, joined by a network on which everything waits for a
// step. It is the only place where both sides of the wire meet, so every fault
// lies here.
//
// A World is passive. Enabled lists what could happen next, Step makes one of
// it happen and returns the one Event that says what came of it. Nothing in it
// reads a clock, draws from a global generator or starts a goroutine: the same
// scenario and the same choices give the same events, byte for byte.
package sim
