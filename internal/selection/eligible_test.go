package selection_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/selection"
)

// TestExclude has the rules of each year and track, one fact against them per row.
func TestExclude(t *testing.T) {
	sat := selection.Facts{Logic: "LIA", Status: comp.StatusSat, Asserts: 3}
	unsat := selection.Facts{Logic: "LIA", Status: comp.StatusUnsat, Asserts: 3}
	unknown := selection.Facts{Logic: "LIA", Status: comp.StatusUnknown, Asserts: 3}
	with := func(f selection.Facts, change func(*selection.Facts)) selection.Facts {
		change(&f)
		return f
	}
	saysSat := with(unknown, func(f *selection.Facts) { f.SaysSat = true })
	saysUnsat := with(unknown, func(f *selection.Facts) { f.SaysUnsat = true })
	disputed := with(unknown, func(f *selection.Facts) { f.SaysSat, f.SaysUnsat = true, true })
	oneAssert := with(unsat, func(f *selection.Facts) { f.Asserts = 1 })
	twoAsserts := with(unsat, func(f *selection.Facts) { f.Asserts = 2 })
	retired := with(sat, func(f *selection.Facts) { f.Retired = "not well-formed" })
	incremental := selection.Facts{Logic: "LIA", Incremental: true, KnownPrefix: 4}
	noPrefix := selection.Facts{Logic: "LIA", Incremental: true}
	easy := func(year int) selection.Facts {
		var h selection.Histories
		h.Add("x", year, true, 0.1, 0.1)
		h.Add("x", year, true, 0.1, 0.1)
		return with(sat, func(f *selection.Facts) { f.History = h.Of("x") })
	}
	const (
		sq  = comp.SingleQuery
		inc = comp.Incremental
		uc  = comp.UnsatCore
		mv  = comp.ModelValidation
		pe  = comp.ProofExhibition
	)
	for _, c := range []struct {
		name  string
		year  int
		track comp.Track
		facts selection.Facts
		want  selection.Reason
	}{
		{"2008 known", 2008, sq, sat, selection.Eligible},
		{"2008 unknown", 2008, sq, unknown, selection.StatusUnknown},
		{"2008 has no easy ones", 2008, sq, easy(2007), selection.Eligible},
		{"2015 known", 2015, sq, unsat, selection.Eligible},
		{"2015 unknown", 2015, sq, unknown, selection.StatusUnknown},
		{"2015 known prefix", 2015, inc, incremental, selection.Eligible},
		{"2015 no known prefix", 2015, inc, noPrefix, selection.NothingIsKnown},
		{"2015 other collection", 2015, inc, sat, selection.OtherKind},
		{"2019 unknown may be run", 2019, sq, unknown, selection.Eligible},
		{"2019 easy in 2018", 2019, sq, easy(2018), selection.TooEasy},
		{"2019 easy in 2017", 2019, sq, easy(2017), selection.Eligible},
		{"2019 core", 2019, uc, twoAsserts, selection.Eligible},
		{"2019 core of one assert", 2019, uc, oneAssert, selection.SingleAssert},
		{"2019 core of unknown", 2019, uc, saysUnsat, selection.StatusUnknown},
		{"2019 model", 2019, mv, sat, selection.Eligible},
		{"2019 model of unknown", 2019, mv, saysSat, selection.StatusUnknown},
		{"2019 incremental without known prefix", 2019, inc, noPrefix, selection.Eligible},
		{"2019 challenge takes both collections", 2019, comp.IndustryChallenge, incremental, selection.Eligible},
		{"2022 easy in 2020", 2022, sq, easy(2020), selection.TooEasy},
		{"2022 easy in 2021", 2022, sq, easy(2021), selection.Eligible},
		{"2022 easy does not matter for cores", 2022, uc,
			with(easy(2020), func(f *selection.Facts) { f.Status = comp.StatusUnsat }), selection.Eligible},
		{"2022 core of sat", 2022, uc, sat, selection.StatusSat},
		{"2022 core of unknown that is unsat", 2022, uc, saysUnsat, selection.Eligible},
		{"2022 core of unknown that is sat", 2022, uc, saysSat, selection.NobodySaysNo},
		{"2022 core of disputed", 2022, uc, disputed, selection.Eligible},
		{"2022 model of unsat", 2022, mv, unsat, selection.StatusUnsat},
		{"2022 model of unknown that is sat", 2022, mv, saysSat, selection.Eligible},
		{"2022 model of unknown", 2022, mv, unknown, selection.NobodySaysSat},
		{"2022 proof of one assert", 2022, pe, oneAssert, selection.Eligible},
		{"2022 proof of sat", 2022, pe, sat, selection.StatusSat},
		{"2022 parallel takes unknown", 2022, comp.Parallel, unknown, selection.Eligible},
		{"2026 easy in 2024", 2026, sq, easy(2024), selection.TooEasy},
		{"2026 core of one assert", 2026, uc, oneAssert, selection.SingleAssert},
		{"2026 retired", 2026, sq, retired, "retired: not well-formed"},
		{"2026 incremental in single query", 2026, sq, incremental, selection.OtherKind},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := selection.NewPolicy(c.year, c.track)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Exclude(c.facts); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			p.Logics = map[comp.Logic]bool{"NIA": true}
			if got := p.Exclude(c.facts); got == selection.Eligible {
				t.Error("a benchmark of a logic that is not run is eligible")
			}
		})
	}
}

func TestNewPolicyRefuses(t *testing.T) {
	for _, c := range []struct {
		year  int
		track comp.Track
	}{{2020, comp.SingleQuery}, {2008, comp.Incremental}, {2015, comp.UnsatCore}, {2019, comp.Parallel},
		{2026, comp.Cloud}} {
		if _, err := selection.NewPolicy(c.year, c.track); err == nil {
			t.Errorf("%d has no track %v", c.year, c.track)
		}
	}
}

// TestEasy has runs of 2018 to 2020 and the readings of "solved by all solvers in less than one second".
func TestEasy(t *testing.T) {
	type run struct {
		year   int
		solved bool
		cpu    float64
		wall   float64
	}
	quick := func(year int) run { return run{year, true, 0.5, 0.5} }
	rule, err := selection.EasyRuleOf(2022)
	if err != nil {
		t.Fatal(err)
	}
	reading := func(years, clock string) selection.EasyRule {
		r := rule
		if err := r.ParseEasy(years, clock); err != nil {
			t.Fatal(err)
		}
		return r
	}
	organisers := selection.EasyRule{Years: []int{2018, 2019, 2020, 2021}, AnyYear: true, CPU: true, LimitS: 1,
		Inclusive: true, MinRuns: 2}
	all, any, cpu := rule, reading("any", "wall"), reading("all", "cpu")
	for _, c := range []struct {
		name string
		runs []run
		rule selection.EasyRule
		want bool
	}{
		{"never run", nil, all, false},
		{"one solver", []run{quick(2018)}, all, false},
		{"two solvers", []run{quick(2018), quick(2018)}, all, true},
		{"one solver in each of two years", []run{quick(2018), quick(2019)}, all, true},
		{"one solver in each of two years, any", []run{quick(2018), quick(2019)}, any, false},
		{"one did not solve it", []run{quick(2018), quick(2018), {2018, false, 0.1, 0.1}}, all, false},
		{"exactly one second", []run{quick(2018), {2018, true, 1, 1}}, all, false},
		{"exactly one second, organisers", []run{quick(2018), {2018, true, 1, 1}}, organisers, true},
		{"slow CPU", []run{quick(2018), {2018, true, 2, 0.5}}, all, true},
		{"slow CPU, cpu", []run{quick(2018), {2018, true, 2, 0.5}}, cpu, false},
		{"CPU time not measured", []run{quick(2018), {2018, true, -1, 0.5}}, all, true},
		{"CPU time not measured, cpu", []run{quick(2018), {2018, true, -1, 0.5}}, cpu, false},
		{"easy in one year of two", []run{quick(2018), quick(2018), {2020, true, 9, 9}, {2020, true, 9, 9}}, all,
			false},
		{"easy in one year of two, any", []run{quick(2018), quick(2018), {2020, true, 9, 9}, {2020, true, 9, 9}}, any,
			true},
		{"other years do not count", []run{quick(2017), quick(2017), quick(2021), quick(2021)}, all, false},
		{"a hard year outside does not count", []run{quick(2020), quick(2020), {2021, false, 9, 9}}, all, true},
		{"organisers take 2021", []run{quick(2021), quick(2021)}, organisers, true},
		{"no rule", []run{quick(2018), quick(2018)}, selection.EasyRule{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var h selection.Histories
			for i := len(c.runs) - 1; i >= 0; i-- { // any order
				r := c.runs[i]
				h.Add("x", r.year, r.solved, r.cpu, r.wall)
			}
			if got := c.rule.Easy(h.Of("x")); got != c.want {
				t.Errorf("got %v, want %v for %+v", got, c.want, h.Of("x"))
			}
		})
	}
	if err := rule.ParseEasy("some", ""); err == nil {
		t.Error("--easy some was accepted")
	}
	if err := rule.ParseEasy("", "clock"); err == nil {
		t.Error("--time clock was accepted")
	}
}

func TestSoundAnswers(t *testing.T) {
	run := func(benchmark, solver, division string, status comp.Status, answer comp.Answer) selection.Answered {
		return selection.Answered{Benchmark: benchmark, Solver: solver, Division: comp.Division(division),
			Status: status, Answer: answer}
	}
	got := selection.SoundAnswers([]selection.Answered{
		run("u1", "liar", "D", comp.StatusUnknown, comp.AnswerSat), // unsound in D, through k
		run("u1", "good", "D", comp.StatusUnknown, comp.AnswerUnsat),
		run("u2", "liar", "E", comp.StatusUnknown, comp.AnswerSat), // but sound in E
		run("u2", "good", "E", comp.StatusUnknown, comp.AnswerUnsat),
		run("u3", "good", "D", comp.StatusUnknown, comp.AnswerUnknown),
		run("k", "liar", "D", comp.StatusSat, comp.AnswerUnsat),
		run("k", "good", "D", comp.StatusSat, comp.AnswerSat),
	})
	want := map[string]selection.SoundSet{"u1": {Unsat: true}, "u2": {Sat: true, Unsat: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sound answers (-want +got):\n%s", diff)
	}
}

func TestExclusions(t *testing.T) {
	var e selection.Exclusions
	e.Add("NIA", selection.TooEasy)
	e.Add("LIA", selection.TooEasy)
	e.Add("LIA", selection.Eligible)
	e.Add("LIA", selection.TooEasy)
	want := []selection.ExclusionCount{{"LIA", "", 1}, {"LIA", "easy", 2}, {"NIA", "easy", 1}}
	if diff := cmp.Diff(want, e.Table()); diff != "" || e.Of("LIA", selection.TooEasy) != 2 {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}
