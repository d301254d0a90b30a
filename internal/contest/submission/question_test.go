package submission

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestChecklist checks that each question is asked only about the solvers that it concerns, with its section and
// deadline.
func TestChecklist(t *testing.T) {
	r := Rules{First: "2026-05-27", Questions: []Question{
		{Of: "every", Due: "first", Section: "§1", Text: "all"},
		{Of: "derived", Due: "final", Section: "§2", Text: "base"},
		{Of: "wrapper", Section: "§3", Text: "wrapped"},
		{Of: "several", Section: "§4", Text: "two"},
		{Of: "nobody", Section: "§5", Text: "none"},
	}}
	ann := []Contact{{Name: "Ann", Address: "ann@solver.net"}}
	one := &Submission{Name: "One", Type: Derived, Contacts: ann}
	two := &Submission{Name: "Two", Type: Wrapped, Contacts: ann}
	alone := &Submission{Name: "Alone", Type: Standalone, Contacts: []Contact{{Name: "Bob", Address: "bob@solver.net"}}}
	known := &Known{Entries: []Entry{{Submission: one}, {Submission: two}, {Submission: alone}}}
	for s, want := range map[*Submission]string{
		one:   "all (§1; due on 2026-05-27)|base (§2)|two (§4)",
		two:   "all (§1; due on 2026-05-27)|wrapped (§3)|two (§4)",
		alone: "all (§1; due on 2026-05-27)",
	} {
		if diff := cmp.Diff(want, strings.Join(r.checklist(s, known), "|")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", s.Name, diff)
		}
	}
}

// TestSameAuthors checks that a base solver must be from a different group of authors (SMT-COMP 2026 rules, §4 "Derived
// Tool").
func TestSameAuthors(t *testing.T) {
	base := &Submission{Name: "foo", Contributors: []Contributor{{Name: "A. Author"}, {Name: "B. Author"}}}
	s := &Submission{Name: "foo-bar", Type: Derived, Contributors: []Contributor{{Name: "b. author"}}}
	known := &Known{Submissions: []*Submission{s, base}}
	v := &Review{Submission: s}
	const want = "foo has the same authors (b. author)"
	if v.sameAuthors(known); len(v.Warnings) != 1 || !strings.Contains(v.Warnings[0].Text, want) {
		t.Errorf("%v", v.Warnings)
	}
	s.Contributors[0].Name = "C. Author"
	v = &Review{Submission: s}
	if v.sameAuthors(known); len(v.Warnings) != 0 {
		t.Errorf("others: %v", v.Warnings)
	}
}

// TestWrapperName checks that a wrapper tool's name must end with the wrapped tool's name (SMT-COMP 2008 rules, §2).
func TestWrapperName(t *testing.T) {
	r := Rules{WrappedAreBases: true}
	for name, wrong := range map[string]bool{"Flash+CVC3": false, "Flash": true, "Flash+": true} {
		if got := r.wrapperName(&Submission{Name: name, Type: Wrapped}); (got != "") != wrong {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := r.wrapperName(&Submission{Name: "Flash", Type: Standalone}); got != "" {
		t.Errorf("no wrapper: %q", got)
	}
}
