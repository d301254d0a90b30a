package score_test

import (
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// TestRehearse checks that no year's rules rank a solver worse for doing better, and that changes to the rules that
// would are found.
func TestRehearse(t *testing.T) {
	t.Parallel()
	for _, year := range rules.Names() {
		rs, _, diags := rules.FindScoring(year, "")
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		said, err := rs.Rehearse(score.Readings{})
		if err != nil || len(said) > 0 {
			t.Errorf("%s: %v, %v", year, err, said)
		}
	}
	rs, _, diags := rules.FindScoring("2026", "")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	for _, m := range []struct{ name, old, new, want string }{
		{"a minus less", `order     = ["e", "-n", "w", "c"]`, `order     = ["e", "n", "w", "c"]`,
			"solves one more benchmark than another ranks worse"},
		{"a minus more", `order     = ["e", "-n", "w", "c"]`, `order     = ["-e", "-n", "w", "c"]`, "has one error fewer"},
		{"the slowest", `order     = ["e", "-n", "w", "c"]`, `order     = ["e", "-n", "-w", "c"]`, "needs less time"},
		{"a minus less, as it is meant", `order     = ["e", "-n", "w", "c"]`,
			"upside_down = \"a joke\"\n  order     = [\"e\", \"n\", \"w\", \"c\"]", ""},
		{"all made-up runs are dropped", `rule_set {`, "drop \"other\" { when = b.logic != \"LIA\" }\nrule_set {", ""},
		{"divisions that made-up runs are not in", `rule_set {`, "rule_set {\n  regroup = true", ""},
		{"errors that do not count", `order     = ["e", "-n", "w", "c"]`, `order     = ["-n", "w", "c"]`, `Is "e" missing in order`},
		{"answers that are never wrong", "e      = counts && wrong", "e      = false", `Is "e" missing in order`},
		{"errors count", `order     = ["e", "-n", "w", "c"]`, `order     = ["-n", "e", "w", "c"]`, ""},
	} {
		src := string(rs.Source())
		if !strings.Contains(src, m.old) {
			t.Fatalf("%s: there is no %s", m.name, m.old)
		}
		changed, diags := score.Parse([]byte(strings.ReplaceAll(src, m.old, m.new)), "my.rules.hcl", nil)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		said, err := changed.Rehearse(score.Readings{})
		if err != nil || (m.want == "") != (len(said) == 0) || m.want != "" && !strings.Contains(said.Error(), m.want) {
			t.Errorf("%s: %v, %v", m.name, err, said)
		}
	}
}

// TestWarnOfLimits checks that a view limit that no run reaches is reported as a mistake, such as minutes instead of
// seconds.
func TestWarnOfLimits(t *testing.T) {
	t.Parallel()
	rs, _, diags := rules.FindScoring("2026", "")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	src := strings.Replace(string(rs.Source()), `limit     = "24s"`, `limit     = "24m"`, 1)
	minutes, diags := score.Parse([]byte(src), "my.rules.hcl", nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	limits := func(track string, t time.Duration) map[string]time.Duration {
		return map[string]time.Duration{track: t}
	}
	for _, m := range []struct {
		name    string
		rs      *score.RuleSet
		longest map[string]time.Duration
		want    int
	}{
		{"24 s of 20 minutes", rs, limits("single_query", 20*time.Minute), 0},
		{"24 s of a rehearsal", rs, limits("single_query", time.Second), 0},
		{"24 minutes of 20", minutes, limits("single_query", 20*time.Minute), 1},
		{"24 minutes of an hour", minutes, limits("single_query", time.Hour), 0},
		{"a track that does not have the view", minutes, limits("parallel", 20*time.Minute), 0},
		{"limits that are not known", minutes, nil, 0},
	} {
		if said := m.rs.WarnOfLimits(m.longest); len(said) != m.want {
			t.Errorf("%s: %v", m.name, said)
		}
	}
}
