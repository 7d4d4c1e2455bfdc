// Package grade grades a reconciler by what it does: it plays the life of a
// scenario without faults and holds it against what the scenario wants and what
// any reconciler owes. It never looks at the text of a script.
//
// Each check says what was expected and what happened, with the choices that
// show it.
package grade
