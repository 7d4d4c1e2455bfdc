// Package report gives an account of a run that stands by itself: what every
// resource wanted, what was there, what was done about it and what became of
// that, with the evidence that doing it again changes nothing, and with the
// scenario and the choices, so that anyone can play the run again.
//
// It reads the records of passes and the objects, and never looks inside the
// API server. The same run gives the same bytes.
package report
