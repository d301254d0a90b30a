package scoreio

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/pipelines"
)

// changedRules returns a year's rule set with one text replaced and another appended.
func changedRules(t *testing.T, year, old, text, more string) *score.RuleSet {
	t.Helper()
	src, err := pipelines.Files.ReadFile(year + "/scoring.rules.hcl")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(src), old) {
		t.Fatalf("the rule set has no %q", old)
	}
	rs, diags := score.Parse([]byte(strings.Replace(string(src), old, text, 1)+"\n"+more), "x", nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return rs
}

// commended returns the entries of a new entrants recognition as "division solver second score".
func commended(v score.RecognitionView) string {
	var parts []string
	for _, x := range v.Entries {
		parts = append(parts, fmt.Sprintf("%s %s %s %v", x.Division, x.Solver, x.Second, x.Score))
	}
	return strings.Join(parts, ", ")
}

// TestNewEntrants checks that new entrants that beat an existing solver in a division are commended (SMT-COMP 2019,
// 2022 and 2026 rules, §7.4).
func TestNewEntrants(t *testing.T) {
	const fresh = " new_entrant=yes"
	for _, test := range []struct{ name, runs, want string }{
		{
			"those strictly behind are beaten, whoever submitted them; others that are new do not count",
			"x New sat sat 5 5" + fresh + "\nx Best sat sat 1 1\nx Same sat sat 5 5\nx Old sat sat 9 9\n" +
				"x Host sat sat 8 8 competitive=no\nx Late sat sat 7 7" + fresh + "\nx Last sat unknown 1 1",
			"D Late Host 3, D New Host 3",
		},
		{"a tie beats nobody", "x New sat sat 5 5" + fresh + "\nx Same sat sat 5 5", ""},
		{"nor does the last place", "x New sat sat 5 5" + fresh + "\nx Best sat sat 1 1", ""},
		{"hors concours", "x New sat sat 5 5 competitive=no" + fresh + "\nx Old sat sat 9 9\nx A sat sat 9 9", ""},
		{"barred", "x New sat sat 5 5 barred=portfolio" + fresh + "\nx Old sat sat 9 9", ""},
		{"nothing solved, but no error", "x New sat unknown 5 5" + fresh + "\nx Old sat unsat 9 9", ""},
		{"divisions by name", "x New sat sat 5 5" + fresh + "\nx Old sat sat 9 9\n" +
			"y New sat sat 5 5 division=B logic=B" + fresh + "\ny Old sat sat 9 9 division=B logic=B",
			"B New Old 1, D New Old 1"},
	} {
		_, res := compute(t, "2026", handRuns(t, test.runs))
		v := recognition(t, res, "new_entrants", "par")
		if got := commended(v); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
		if len(v.Winners) != len(v.Entries) {
			t.Errorf("%s: %d winners of %d", test.name, len(v.Winners), len(v.Entries))
		}
	}
}

// TestNewEntrantsDisqualified: in a rule set that commends new entrants, a disqualified solver (SMT-COMP 2008 rules,
// §5: four wrong answers) beats nobody and is beaten by nobody.
func TestNewEntrantsDisqualified(t *testing.T) {
	rs := changedRules(t, "2008", "view \"points\" {", "view \"points\" {\n  recognise = true",
		"recognition \"new_entrants\" {\n tracks = [\"single_query\"]\n}")
	wrong := "b %[1]s sat unsat 1 1%[2]s\nc %[1]s sat unsat 1 1%[2]s\nd %[1]s sat unsat 1 1%[2]s\n" +
		"e %[1]s sat unsat 1 1%[2]s\n"
	var right strings.Builder // 40 - 4 * 8 = 8 points are still positive
	for i := range 40 {
		fmt.Fprintf(&right, "r%d New sat sat 1 1 new_entrant=yes\n", i)
	}
	for _, test := range []struct{ name, runs, want string }{
		{"the one that is beaten", "a New sat sat 1 1 new_entrant=yes\n" + fmt.Sprintf(wrong, "Old", "") +
			"a Other sat unknown 1 1", "D New Other 1"},
		{"the new one", fmt.Sprintf(wrong, "New", " new_entrant=yes") + right.String() + "a Other sat unknown 1 1", ""},
	} {
		res, err := score.Compute(context.Background(), rs, handRuns(t, test.runs), score.Readings{})
		if err != nil {
			t.Fatal(err)
		}
		if got := commended(recognition(t, res, "new_entrants", "points")); got != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

// TestContributors checks that each new benchmark counts once, by the submitter's folder (SMT-COMP 2019 rules, §7.4).
func TestContributors(t *testing.T) {
	_, res := compute(t, "2026", handRuns(t, `a A sat sat 1 1 family=Mia/one new=yes
a B sat sat 1 1 family=Mia/one new=yes
b A sat sat 1 1 family=Mia/two new=yes
c A sat sat 1 1 family=Ada new=yes
d A sat sat 1 1 family=Old/x new=no
e A sat sat 1 1`))
	var got []string
	for _, x := range recognition(t, res, "new_benchmarks", "").Entries {
		got = append(got, fmt.Sprintf("%s %v", x.Item, x.Score))
	}
	if diff := cmp.Diff([]string{"Ada 1", "Mia 2"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
