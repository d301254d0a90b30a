package submission_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/admission"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

const singleQuery = `{"tracks": ["SingleQuery"], "divisions": ["QF_Bitvec"]}`

func TestBase(t *testing.T) {
	for _, c := range []struct {
		name    string
		others  string // names of the other solvers; a * marks derived ones
		base    string // expected result of BaseName
		problem string // part of the expected result of BaseProblem; empty: no problem
	}{
		{"foo-mine", "foo-mine-base bar", "foo-mine-base", ""},
		{"foo-mine", "foo foo-base", "foo-base", ""},
		{"foo-mine", "bar foo", "foo", ""},
		{"foo-mine-debug", "foo-mine foo", "foo-mine", ""},
		{"foo-mine", "", "foo", `no solver is named "foo-mine-base", "foo-base" or "foo"`},
		{"foo-mine", "bar Foo", "foo", `did you mean "Foo"?`},
		{"bitwzla-mine", "bitwuzla z3", "bitwzla", `did you mean "bitwuzla"?`},
		{"foo-mine", "*foo-mine-base foo", "foo-mine-base", ""}, // a chain: each is compared with its own base
		{"foo-mine-base", "foo-mine foo", "foo", ""},
		{"foo-base", "foo", "foo", `"foo-base" does not say what it is derived from`},
	} {
		all := []*submission.Submission{derived(t, c.name)}
		for name := range strings.FieldsSeq(c.others) {
			if plain, ok := strings.CutPrefix(name, "*"); ok {
				all = append(all, derived(t, plain))
			} else {
				all = append(all, with(t, name, singleQuery))
			}
		}
		if got := submission.BaseName(all[0], all); got != c.base {
			t.Errorf("%s among %q: the base is %q, want %q", c.name, c.others, got, c.base)
		}
		got := submission.BaseProblem(all[0], all)
		if (got == "") != (c.problem == "") || !strings.Contains(got, c.problem) {
			t.Errorf("%s among %q: the problem is %q, want %q", c.name, c.others, got, c.problem)
		}
	}
}

func derived(t *testing.T, name string) *submission.Submission {
	t.Helper()
	s := with(t, name, singleQuery)
	s.Type = submission.Derived
	return s
}

// TestBaseOfManyParts checks that a long name with many parts, each of which could end the base's name, costs little.
func TestBaseOfManyParts(t *testing.T) {
	mine := derived(t, "foo"+strings.Repeat("-x", 4000))
	foo := with(t, "foo-x-base", singleQuery)
	for _, c := range []struct {
		all  []*submission.Submission
		base string
	}{
		{[]*submission.Submission{mine, with(t, "foo", singleQuery), foo}, "foo-x-base"},
		{[]*submission.Submission{mine, with(t, "bar", singleQuery)}, "foo"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		name := submission.BaseName(mine, c.all)
		submission.BaseProblem(mine, c.all)
		runtime.ReadMemStats(&after)
		if name != c.base {
			t.Errorf("the base is %q, want %q", name, c.base)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 4<<20 {
			t.Errorf("finding the base %s allocated %d bytes", name, n)
		}
	}
}

// TestBaseOfItself checks that a base with the same name, and two solvers that are each other's base, do not count.
func TestBaseOfItself(t *testing.T) {
	mine, base := derived(t, "foo-mine"), with(t, "foo-mine", singleQuery)
	base.File = "foo-mine-base.json"
	if got := submission.BaseProblem(mine, []*submission.Submission{mine, base}); !strings.Contains(got,
		"has the same name") {
		t.Errorf("a base of the same name: got %q", got)
	}
	a, b := derived(t, "foo-mine"), derived(t, "foo-mine-x")
	a.File, b.File = "x.json", "x-base.json"
	for _, s := range []*submission.Submission{a, b} {
		if got := submission.BaseProblem(s, []*submission.Submission{a, b}); !strings.Contains(got,
			"in turn derived from it") {
			t.Errorf("%s: got %q", s.Name, got)
		}
	}
}

// TestBaseInTheSameTracks checks that the base solver must enter the same track and logics (SMT-COMP 2026 rules, §4
// "Derived Tool").
func TestBaseInTheSameTracks(t *testing.T) {
	mine := with(t, "foo-mine", `{"tracks": ["SingleQuery", "Incremental"], "divisions": ["QF_Bitvec"]}`)
	mine.Type = submission.Derived
	for _, c := range []struct{ base, want string }{
		{`{"tracks": ["SingleQuery", "Incremental"], "logics": ["QF_BV", "QF_ABV", "LIA"]}`, ""},
		{`{"tracks": ["SingleQuery"], "divisions": ["QF_Bitvec"]}`,
			`its base solver foo is not there in the track incremental`},
		{`{"tracks": ["SingleQuery", "Incremental"], "logics": ["QF_BV"]}`,
			`its base solver foo is not there in the track single_query for QF_ABV`},
	} {
		base := with(t, "foo", c.base)
		entries, err := mine.Expand(smallCatalog(t))
		if err != nil {
			t.Fatal(err)
		}
		more, err := base.Expand(smallCatalog(t))
		if err != nil {
			t.Fatal(err)
		}
		said := submission.Rules{BaseMustEnter: true}
		err = said.CheckBase(mine, []*submission.Submission{mine, base}, append(entries, more...))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("base in %s: %v", c.base, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(),
			"foo-mine.json:1:10: /name: ")):
			t.Errorf("base in %s: got %v, want %s", c.base, err, c.want)
		}
	}
}

// TestIdle: if the rules do not let a derived solver run or be ranked without its base, it may still do so wherever the
// base takes part.
func TestIdle(t *testing.T) {
	mine, base := derived(t, "foo-mine"), with(t, "foo", `{"tracks": ["SingleQuery"], "logics": ["QF_BV"]}`)
	all := []*submission.Submission{mine, base}
	var entries []submission.Entry
	for _, s := range all {
		more, err := s.Expand(smallCatalog(t))
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, more...)
	}
	said := submission.Rules{BaseMustEnter: true, Reasons: map[string]admission.Rule{"no_base": {}}}
	got := said.Admit(entries, all)
	want := []comp.Logic{"QF_ABV"}
	if !slices.Equal(got[0].Idle, want) || !got[0].Runs || !slices.Equal(got[0].Unranked, want) || !got[0].Ranked {
		t.Errorf("got %+v; want %v idle and unranked, and the rest not", got[0], want)
	}
	if got[1].Idle != nil || got[1].Unranked != nil {
		t.Errorf("got %+v for the base", got[1])
	}
}
