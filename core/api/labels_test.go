package api

import (
	"testing"

	"github.com/reconcile-playground/reconcile/core/object"
)

func TestLabelSelector(t *testing.T) {
	labels := object.StringMap(map[string]string{"app": "x", "tier": "", "a.b/c": "1"})
	for _, tc := range []struct {
		selector string
		want     bool
	}{
		{"", true},
		{"app=x", true},
		{"app==x", true},
		{" app = x , tier ", true},
		{"app=y", false},
		{"app!=y", true},
		{"other!=y", true},
		{"app!=x", false},
		{"tier", true},
		{"tier=", true},
		{"other", false},
		{"!other", true},
		{"! app", false},
		{"app in (x, y)", true},
		{"app in (y)", false},
		{"tier in ()", true},
		{"app notin (y,z)", true},
		{"other notin (y)", true},
		{"app notin (x)", false},
		{"a.b/c=1,app in (x)", true},
		{"a.b/c=1,app in (y)", false},
		{"a.b/c>0", true},
		{"a.b/c<1", false},
		{"app>0", false},
	} {
		sel, err := ParseLabelSelector(tc.selector)
		if err != nil {
			t.Errorf("%q: %v", tc.selector, err)
			continue
		}
		if got := sel.Matches(labels); got != tc.want {
			t.Errorf("%q matches: %v", tc.selector, got)
		}
	}
}

func TestLabelSelectorErrors(t *testing.T) {
	for _, s := range []string{"=x", "a b", "app in", "app in (", "app within (x)", "in (x)", "!", ",", "a,", "app=x y", "a=b=c", "a>b", "app=x,app=-"} {
		if _, err := ParseLabelSelector(s); err == nil {
			t.Errorf("%q was accepted", s)
		}
	}
}
