package reconcile

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestFinalizers(t *testing.T) {
	app := &WebApp{}
	if !AddFinalizer(app, "a") || AddFinalizer(app, "a") || !AddFinalizer(app, "b") || !ContainsFinalizer(app, "a") {
		t.Fatalf("finalizers %v", app.Finalizers)
	}
	copied := app.Finalizers
	if !RemoveFinalizer(app, "a") || RemoveFinalizer(app, "a") || !slices.Equal(app.Finalizers, []string{"b"}) {
		t.Fatalf("finalizers %v", app.Finalizers)
	}
	if !slices.Equal(copied, []string{"a", "b"}) {
		t.Fatalf("a slice that somebody else holds was changed: %v", copied)
	}
}

func TestSetControllerReference(t *testing.T) {
	owner := &WebApp{ObjectMeta: ObjectMeta{Name: "a", UID: "u1"}}
	child := &ConfigMap{ObjectMeta: ObjectMeta{Namespace: "default", Name: "x"}}
	if err := SetControllerReference(owner, child); err != nil {
		t.Fatal(err)
	}
	if !IsControlledBy(child, owner) || !*child.OwnerReferences[0].BlockOwnerDeletion || child.OwnerReferences[0].APIVersion != "lab.example.com/v1" {
		t.Fatalf("references %+v", child.OwnerReferences)
	}
	no := false
	child.OwnerReferences[0].BlockOwnerDeletion = &no
	if err := SetControllerReference(owner, child); err != nil || len(child.OwnerReferences) != 1 || !*child.OwnerReferences[0].BlockOwnerDeletion {
		t.Fatalf("a damaged reference was not repaired: %v, %+v", err, child.OwnerReferences)
	}
	other := &WebApp{ObjectMeta: ObjectMeta{Name: "b", UID: "u2"}}
	want := "Object default/x is already owned by another WebApp controller a"
	if err := SetControllerReference(other, child); err == nil || err.Error() != want || IsControlledBy(child, other) {
		t.Fatalf("%v, want %s", err, want)
	}
	again := &WebApp{ObjectMeta: ObjectMeta{Name: "a", UID: "u3"}}
	if IsControlledBy(child, again) {
		t.Fatal("the same name with another uid counts as the same owner")
	}
}

func TestSetStatusCondition(t *testing.T) {
	at := func(seconds int) time.Time { return time.Date(2026, 1, 1, 0, 0, seconds, 500, time.UTC) }
	var conditions []Condition
	c := Condition{Type: "Ready", Status: "False", Reason: "A"}
	for n, step := range []struct {
		status, reason string
		changed        bool
		since          int
	}{
		{"False", "A", true, 0},
		{"False", "A", false, 0},
		{"False", "B", true, 0},
		{"True", "B", true, 3},
		{"True", "B", false, 3},
	} {
		c.Status, c.Reason = step.status, step.reason
		if changed := SetStatusCondition(&conditions, c, at(n)); changed != step.changed {
			t.Errorf("step %d changed something: %v", n, changed)
		}
		if got := conditions[0]; len(conditions) != 1 || got.LastTransitionTime != NewTime(at(step.since)) || got.Reason != step.reason {
			t.Errorf("step %d: %+v, want it to stand since %d", n, conditions, step.since)
		}
	}
	SetStatusCondition(&conditions, Condition{Type: "Other"}, at(9))
	if len(conditions) != 2 || conditions[0].Type != "Ready" {
		t.Errorf("conditions %+v", conditions)
	}
}

func TestTerminalError(t *testing.T) {
	cause := errors.New("boom")
	err := fmt.Errorf("pass: %w", TerminalError(cause))
	if !IsTerminal(err) || !errors.Is(err, TerminalError(nil)) || !errors.Is(err, cause) || err.Error() != "pass: terminal error: boom" {
		t.Errorf("%v", err)
	}
	if IsTerminal(cause) || IsTerminal(nil) || TerminalError(nil).Error() != "nil terminal error" {
		t.Error("an error that is not terminal counts as such")
	}
}
