package score_test

import (
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// TestExamples checks that a rule set's examples hold, or are reported with the actual ranks. They must not affect
// keys.
func TestExamples(t *testing.T) {
	t.Parallel()
	rs, _, diags := rules.FindScoring("2026", "")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	const runs = `
  run {
    solver    = "sure"
    answer    = "sat"
    wall_time = "10s"
  }
  run {
    solver    = "quick"
    answer    = "sat"
    wall_time = "3s"
  }
  run {
    solver    = "wrong"
    answer    = "unsat"
    wall_time = "1s"
  }
  run { solver = "lost" }
`
	for _, x := range []struct{ name, block, want string }{
		{"holds", `track = "single_query"
  view = "par"` + runs + `ranks = { quick = 1, sure = 2, lost = 3, wrong = 4 }`, ""},
		{"does not hold", `track = "single_query"
  view = "par"` + runs + `ranks = { sure = 1, wrong = 4 }`,
			`In example "x", sure has rank 2, but 1 is expected (e = 0, n = 1, w = 10`},
		{"24 seconds", `track = "single_query"
  view  = "24s"
  limit = "30s"
  run {
    solver    = "late"
    answer    = "sat"
    wall_time = "25s"
    cpu_time  = "20s"
  }
  run {
    solver    = "early"
    answer    = "sat"
    wall_time = "23s"
    cpu_time  = "29s"
  }
  ranks = { early = 1, late = 2 }`, ""}, // 2026 rules, §7.2.4: solved within 24 s of wall time
		{"cores", `track = "unsat_core"
  view = "par"
  run {
    solver     = "small"
    answer     = "unsat"
    wall_time  = "9s"
    core_size  = 2
    validation = "valid"
  }
  run {
    solver     = "large"
    answer     = "unsat"
    wall_time  = "1s"
    core_size  = 7
    validation = "valid"
  }
  run {
    solver     = "refuted"
    answer     = "unsat"
    wall_time  = "1s"
    core_size  = 1
    validation = "invalid"
  }
  ranks = { small = 1, large = 2, refuted = 3 }`, ""},
		{"dialogues", `track = "incremental"
  view = "par"
  run {
    solver         = "four"
    wall_time      = "9s"
    checks_correct = 4
  }
  run {
    solver         = "one"
    wall_time      = "1s"
    checks_correct = 1
  }
  ranks = { four = 1, one = 2 }`, ""},
		{"models", `track = "model_validation"
  view = "par"
  run {
    solver     = "a"
    answer     = "sat"
    wall_time  = "9s"
    validation = "valid"
  }
  run {
    solver     = "b"
    answer     = "sat"
    wall_time  = "1s"
    validation = "invalid"
  }
  ranks = { a = 1, b = 2 }`, ""},
		{"no such view", `track = "single_query"
  view = "fast"` + runs + `ranks = { sure = 1 }`, `has no ranking by the view "fast"`},
		{"no such solver", `track = "single_query"
  view = "par"` + runs + `ranks = { nobody = 1 }`, "nobody has no rank, but 1 is expected"},
	} {
		src := string(rs.Source()) + "\nexample \"x\" {\n  " + x.block + "\n}\n"
		own, diags := score.Parse([]byte(src), "my.rules.hcl", nil)
		if diags.HasErrors() {
			t.Errorf("%s: %v", x.name, diags)
			continue
		}
		said, err := own.Rehearse(score.Readings{})
		if err != nil || (x.want == "") != (len(said) == 0) || x.want != "" && !strings.Contains(said.Error(), x.want) {
			t.Errorf("%s: %v, %v", x.name, err, said)
		}
		if own.Canonical() != rs.Canonical() || string(own.Tree()) != string(rs.Tree()) {
			t.Errorf("%s: the example changes the canonical form or the tree", x.name)
		}
	}
	for block, want := range map[string]string{
		`example "x" {}`: "needs the track of its runs",
		"example \"x\" {\n  track = \"single_query\"\n  view = \"par\"\n  ranks = { a = 1 }\n}":           "at least one run",
		"example \"x\" {\n  track = \"single_query\"\n  view = \"par\"\n  run {}\n  ranks = { a = 1 }\n}": `the attribute "solver"`,
		"example \"x\" {\n  track = \"single-quary\"\n}":                                                  "no track",
		"example \"x\" {\n  track = \"single_query\"\n  view = \"par\"\n  ranks = { a = \"x\" }\n}":       "ranks must be a map of number",
	} {
		_, diags := score.Parse([]byte(string(rs.Source())+"\n"+block+"\n"), "my.rules.hcl", nil)
		all := ""
		for _, d := range diags {
			all += d.Error() + "\n"
		}
		if !strings.Contains(all, want) {
			t.Errorf("%s: want %q, got %s", block, want, all)
		}
	}
}
