package selection_test

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/selection"
)

// pastRun is a run of the single-query track; -1 is a CPU time that was not measured.
type pastRun struct {
	year   int
	answer comp.Answer
	cpu    float64
}

const (
	sat   = comp.AnswerSat
	unsat = comp.AnswerUnsat
	none  = comp.AnswerNone // stopped
	gave  = comp.AnswerUnknown
)

// TestPast has what the organisers' tool makes of runs, by its description: trivial, this year's answer, and hardness
// with a limit of 180 s.
func TestPast(t *testing.T) {
	const now = selection.ThisYear
	for _, c := range []struct {
		name     string
		runs     []pastRun
		trivial  bool
		says     comp.Status
		hardness selection.Hardness
	}{
		{"never run", nil, false, comp.StatusUnknown, selection.Untried},
		{"quick", []pastRun{{2024, sat, 1}, {2024, sat, 0.1}}, true, comp.StatusUnknown, selection.NotHard},
		{"stopped at once", []pastRun{{2024, sat, 1}, {2024, none, 0.1}}, true, comp.StatusUnknown, selection.NotHard},
		{"gave up", []pastRun{{2024, sat, 1}, {2024, gave, 0.1}}, false, comp.StatusUnknown, selection.NotHard},
		{"quick without an answer", []pastRun{{2024, none, 1}, {2024, none, 1}}, true, comp.StatusUnknown,
			selection.Unsolved},
		{"not measured", []pastRun{{2024, sat, -1}, {2024, sat, 1}}, false, comp.StatusUnknown, selection.NotHard},
		{"nothing measured", []pastRun{{2024, sat, -1}, {2024, sat, -1}}, false, comp.StatusUnknown, selection.Hard},
		{"single slow run", []pastRun{{2023, sat, 9}, {2024, sat, 1}, {2024, sat, 1}}, true, comp.StatusUnknown,
			selection.NotHard},
		{"single quick runs", []pastRun{{2023, sat, 1}, {2024, sat, 1}}, false, comp.StatusUnknown, selection.NotHard},
		{"slow in one year", []pastRun{{2023, sat, 2}, {2023, sat, 1}, {2024, sat, 1}, {2024, sat, 1}}, false,
			comp.StatusUnknown, selection.NotHard},
		{"disputed by a single run", []pastRun{{2023, unsat, 1}, {2024, sat, 1}, {2024, sat, 1}}, false,
			comp.StatusUnknown, selection.NotHard},
		{"180 s", []pastRun{{2024, none, 1200}, {2024, unsat, 180}}, false, comp.StatusUnknown, selection.NotHard},
		{"more than 180 s", []pastRun{{2024, none, 1}, {2024, unsat, 180.1}, {2020, sat, 999}}, false,
			comp.StatusUnknown, selection.Hard},
		{"unsolved", []pastRun{{2024, gave, 2}}, false, comp.StatusUnknown, selection.Unsolved},
		{"two say so", []pastRun{{now, unsat, 5}, {now, none, 5}, {now, unsat, 5}}, false, comp.StatusUnsat,
			selection.NotHard},
		{"two say so, another year", []pastRun{{2024, sat, 5}, {2024, sat, 5}}, false, comp.StatusUnknown,
			selection.NotHard},
		{"one says so", []pastRun{{now, sat, 5}, {now, none, 5}}, false, comp.StatusUnknown, selection.NotHard},
		{"an earlier year disagrees", []pastRun{{now, sat, 5}, {now, sat, 5}, {2019, unsat, 5}}, false,
			comp.StatusUnknown, selection.NotHard},
	} {
		t.Run(c.name, func(t *testing.T) {
			var past selection.Past
			for _, r := range c.runs {
				past.Add("UF/x.smt2", r.year, r.answer, r.cpu)
			}
			past.Add("UF/other.smt2", 2024, sat, 99)
			if got := past.Trivial("UF/x.smt2"); got != c.trivial {
				t.Errorf("trivial is %v", got)
			}
			if got := past.Says("UF/x.smt2"); got != c.says {
				t.Errorf("this year says %q, want %q", got, c.says)
			}
			if got := past.Hardness("UF/x.smt2", 180); got != c.hardness {
				t.Errorf("hardness is %q, want %q", got, c.hardness)
			}
		})
	}
}

// TestOrganisers has who is drawn from in each track. Two runs of this year called the benchmark "said" unsat.
func TestOrganisers(t *testing.T) {
	var past selection.Past
	for range 2 {
		past.Add("UF/easy.smt2", 2024, sat, 0.5)
		past.Add("UF/said.smt2", selection.ThisYear, unsat, 7)
	}
	logics := map[comp.Logic]bool{"UF": true}
	fact := func(name string, status comp.Status, asserts int) selection.Facts {
		return selection.Facts{Path: "UF/" + name + ".smt2", Logic: "UF", Status: status, Asserts: asserts}
	}
	incremental, retired, other := fact("x", comp.StatusSat, 5), fact("x", comp.StatusSat, 5), fact("x", "sat", 5)
	incremental.Incremental, retired.Retired, other.Logic = true, "broken", "LIA"
	for _, c := range []struct {
		name  string
		track comp.Track
		facts selection.Facts
		want  selection.Reason
	}{
		{"easy", comp.SingleQuery, fact("easy", comp.StatusSat, 5), selection.TooEasy},
		{"easy, another track", comp.ModelValidation, fact("easy", comp.StatusSat, 5), selection.Eligible},
		{"easy, hard instances", comp.Parallel, fact("easy", comp.StatusSat, 5), selection.Eligible},
		{"unknown", comp.SingleQuery, fact("x", comp.StatusUnknown, 5), selection.Eligible},
		{"incremental", comp.SingleQuery, incremental, selection.OtherKind},
		{"not incremental", comp.Incremental, fact("easy", comp.StatusSat, 5), selection.OtherKind},
		{"retired", comp.Cloud, retired, "retired: broken"},
		{"logic", comp.Cloud, other, selection.LogicNotRun},
		{"one assert", comp.UnsatCore, fact("x", comp.StatusUnsat, 1), selection.SingleAssert},
		{"unsat", comp.UnsatCore, fact("x", comp.StatusUnsat, 2), selection.Eligible},
		{"sat", comp.UnsatCore, fact("x", comp.StatusSat, 2), selection.StatusSat},
		{"sat, but two say unsat", comp.UnsatCore, fact("said", comp.StatusSat, 2), selection.Eligible},
		{"two say unsat", comp.UnsatCore, fact("said", comp.StatusUnknown, 2), selection.Eligible},
		{"nobody says unsat", comp.UnsatCore, fact("x", comp.StatusUnknown, 2), selection.NobodySaysNo},
		{"two say unsat, models", comp.ModelValidation, fact("said", comp.StatusUnknown, 2), selection.NobodySaysSat},
		{"unsat, models", comp.ModelValidation, fact("x", comp.StatusUnsat, 2), selection.StatusUnsat},
		{"sat, models", comp.ModelValidation, fact("x", comp.StatusSat, 0), selection.Eligible},
	} {
		t.Run(c.name, func(t *testing.T) {
			o, err := selection.NewOrganisers(c.track, &past)
			if err != nil {
				t.Fatal(err)
			}
			o.Logics = logics
			if got := o.Exclude(c.facts); got != c.want {
				t.Errorf("reason %q, want %q", got, c.want)
			}
		})
	}
	if _, err := selection.NewOrganisers(comp.ProofExhibition, &past); err == nil {
		t.Error("the tool selects nothing for proofs")
	}
}
