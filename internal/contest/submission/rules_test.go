package submission_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/submission"
)

// TestPortfolio checks that portfolio solvers are allowed only in the parallel track (SMT-COMP 2026 rules, §4).
func TestPortfolio(t *testing.T) {
	rules := submission.Rules{PortfolioTracks: []string{"parallel"}}
	s := with(t, "m", `{"tracks": ["SingleQuery", "Parallel", "SingleQuery"], "logics": ["QF_BV"]}`)
	entries, err := s.Expand(smallCatalog(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := rules.Check(s, entries); err != nil {
		t.Errorf("a standalone solver: %v", err)
	}
	s.Type = submission.Portfolio
	want := "m.json:3:16: /solver_type: a portfolio solver may not enter the track single_query; the rules open only " +
		"parallel to them"
	if err := rules.Check(s, entries); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if err := (submission.Rules{}).Check(s, entries); err != nil {
		t.Errorf("rules without a word about them: %v", err)
	}
	for i, a := range rules.Admit(entries, []*submission.Submission{s}) {
		if wrong := entries[i].Track == "single_query"; (a.Refused() != "") != wrong || a.Competes == wrong {
			t.Errorf("%v: %+v", entries[i].Track, a)
		}
	}
}

// TestNegativeSeeds: the sum of the submissions' numbers is passed to srandom(), which accepts unsigned numbers
// (SMT-COMP 2026 rules, §6). In earlier years, the numbers have 32 bits (2022 rules, §4).
func TestNegativeSeeds(t *testing.T) {
	s := with(t, "m", "")
	for _, c := range []struct {
		bits int
		seed int64
		want string
	}{
		{0, 0, ""}, {0, 1 << 40, ""}, {32, 1<<32 - 1, ""},
		{0, -1, "/seed: the number for the competition's seed must be at least 0, not -1"},
		{32, -1, "/seed: the rules ask for an unsigned integer of 32 bits, from 0 to 4294967295, not -1"},
		{32, 1 << 32, "/seed: the rules ask for an unsigned integer of 32 bits, from 0 to 4294967295, not 4294967296"},
	} {
		s.Seed = &c.seed
		err := submission.Rules{SeedBits: c.bits}.Check(s, nil)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)) {
			t.Errorf("%d, %d bits: got %v, want %q", c.seed, c.bits, err, c.want)
		}
	}
}

// TestCrowds: at most two solvers per team are encouraged (SMT-COMP 2026 rules, §4, Multiple versions). A base solver
// that does not compete does not count.
func TestCrowds(t *testing.T) {
	var entries []submission.Entry
	for _, name := range []string{"a1", "a2", "a3", "b1", "b2", "b-base"} {
		s := with(t, name, `{"tracks": ["SingleQuery"], "logics": ["QF_BV"]},
{"tracks": ["SingleQuery"], "logics": ["LIA"]}`)
		s.Competitive = name != "b-base"
		more, err := s.Expand(smallCatalog(t))
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, more...)
	}
	teams := map[string]string{}
	for _, e := range entries {
		teams[e.Submission.Name] = strings.ToUpper(e.Submission.Name[:1])
	}
	want := []string{"the team A enters track single_query with 3 solvers (a1, a2, a3); the rules encourage teams to enter " +
		"at most 2"}
	if diff := cmp.Diff(want, submission.Rules{SolversPerTeam: 2}.Crowds(entries, teams)); diff != "" {
		t.Error(diff)
	}
	if got := (submission.Rules{}).Crowds(entries, teams); got != nil {
		t.Errorf("no number is given: %v", got)
	}
}
