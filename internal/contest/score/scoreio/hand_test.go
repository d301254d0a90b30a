package scoreio

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// handHeader contains the columns of the tables below. Further columns follow as name=value.
const handHeader = "benchmark,logic,division,track,solver,team,competitive,status,answer,wall_s,cpu_s,m,T"

// handRuns reads runs written as "benchmark solver status answer wall cpu [name=value ...]". They are in the division
// and logic D of the single-query track, with one team per solver, 4 cores and 1200 s. If the track needs more,
// handRuns adds 9 check-sats without an answer, no core and no verdict.
func handRuns(t *testing.T, lines string) *score.Runs {
	t.Helper()
	columns := strings.Split(handHeader, ",")
	var rows []map[string]string
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		f := strings.Fields(line)
		row := map[string]string{"benchmark": f[0], "solver": f[1], "status": f[2], "answer": f[3], "wall_s": f[4],
			"cpu_s": f[5],
			"logic": "D", "division": "D", "track": "single_query", "team": f[1], "competitive": "yes", "m": "4",
			"T": "1200"}
		for _, extra := range f[6:] {
			k, v, _ := strings.Cut(extra, "=")
			row[k] = v
		}
		track, _ := comp.ParseTrack(row["track"])
		for _, k := range trackNeeds[track] {
			if _, given := row[k]; !given {
				row[k] = map[string]string{"n_checks": "9", "n_checks_correct": "0", "n_checks_wrong": "0"}[k]
			}
		}
		for _, k := range slices.Sorted(maps.Keys(row)) {
			if !slices.Contains(columns, k) {
				columns = append(columns, k)
			}
		}
		rows = append(rows, row)
	}
	var b strings.Builder
	b.WriteString(strings.Join(columns, ",") + "\n")
	for _, row := range rows {
		for i, c := range columns {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(row[c])
		}
		b.WriteByte('\n')
	}
	runs, _, err := ReadRuns(strings.NewReader(b.String()), "runs", nil)
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

func compute(t *testing.T, rules string, runs *score.Runs, readings ...string) (*score.RuleSet, *score.Result) {
	t.Helper()
	rs := ruleSet(t, rules)
	rd := score.Readings{Values: map[string]string{}, Practice: map[string]bool{}}
	for _, r := range readings {
		k, v, _ := strings.Cut(r, "=")
		if v == "" {
			if err := rs.Turn(&rd, k, true); err != nil {
				t.Fatal(err)
			}
		} else {
			rd.Values[k] = v
		}
	}
	res, err := score.Compute(context.Background(), rs, runs, rd)
	if err != nil {
		t.Fatal(err)
	}
	return rs, res
}

// division returns a division of the only track.
func division(res *score.Result, name string) *score.DivisionResult {
	i := slices.IndexFunc(res.Tracks[0].Divisions, func(d *score.DivisionResult) bool { return d.Name == name })
	return res.Tracks[0].Divisions[i]
}

// rankingLines formats a ranking as "rank solver e n w c".
func rankingLines(r *score.Ranking) string {
	var b strings.Builder
	for _, e := range r.Entries {
		fmt.Fprintf(&b, "%d %s %d %d %s %s\n", e.Rank, e.Solver, e.Cell.Errors, e.Cell.Correct, e.Cell.Wall, e.Cell.CPU)
	}
	return b.String()
}

// TestHandComputed contains a case for each formula in the rules' scoring sections, with the arithmetic beside it.
func TestHandComputed(t *testing.T) {
	for _, test := range []struct {
		name     string
		rules    string
		readings []string
		view     string
		runs     string
		want     string
		winners  string
	}{
		{
			name: "2019 7.1: unsolved runs keep their time, times are bounded by T and mT", rules: "2019", view: "par",
			runs: `
				x A sat sat 10.5 12
				y A unsat unknown 3 4
				x B sat timeout 1200.4 4900
				y B unsat unsat 1 1`,
			// A: n 1, w 10.5+3, c 12+4.  B: n 1, w 1200+1, c 4*1200+1.
			want: "1 A 0 1 13.5 16\n2 B 0 1 1201 4801\n", winners: "A",
		},
		{
			name: "2019 7.1.2 note: an answer after the limit counts", rules: "2019", view: "par",
			runs: "x A sat sat 1200.02 1200\nx B sat unsat 1300 1300",
			// A: n 1, w = T. B: e 1.
			want: "1 A 0 1 1200 1200\n2 B 1 0 1200 1300\n", winners: "A",
		},
		{
			name: "2019: nor is an answer lost in a view whose limit is that of the run", rules: "2019", view: "24s",
			runs: "x A sat sat 24.02 24 T=24\nx B sat unsat 24.02 24 T=24",
			want: "1 A 0 1 24 24\n2 B 1 0 24 24\n", winners: "A",
		},
		{
			name: "A05 late_answer=drop: it is lost, and nobody wins", rules: "2019",
			readings: []string{"late_answer=drop"}, view: "par",
			runs: "x A sat sat 1200.02 1200\nx B sat unsat 1300 1300",
			want: "1 A 0 0 1200 1200\n2 B 0 0 1200 1300\n", winners: "",
		},
		{
			name: "2019 7.1.1: sequential cuts at c > T, exactly T stays", rules: "2019", view: "seq",
			runs: "x A sat sat 700 1200\ny A sat sat 700 1200.0001\nx B sat sat 1 1\ny B sat unsat 900 1300",
			// A: n 1 (y is cut), c 1200+1200. B: n 1, the error at c > T is also cut, c 1+1200.
			want: "1 B 0 1 0 1201\n2 A 0 1 0 2400\n", winners: "B",
		},
		{
			name: "2022 7.2.3: 24 s view, exactly 24 s is in time", rules: "2022", view: "24s",
			runs: "x A sat sat 24 30\ny A sat sat 24.0001 200\nx B sat sat 1 1\ny B sat unsat 30 30",
			// A: n 1, w 24+24, c 30+min(200,96). B: n 1, the late error is removed, w 1+24, c 1+30.
			want: "1 B 0 1 25 31\n2 A 0 1 48 126\n", winners: "B",
		},
		{
			name: "A10 cut_c=limit: at most 24 s of CPU time for a cut run", rules: "2022",
			readings: []string{"cut_c=limit"}, view: "24s",
			runs: "x A sat sat 24 30\ny A sat sat 24.0001 200\nx B sat sat 1 1\ny B sat unsat 30 30",
			want: "1 B 0 1 25 25\n2 A 0 1 48 54\n", winners: "B",
		},
		{
			name: "2026 7.1: w and c are zero unless solved in time", rules: "2026", view: "par",
			runs: "x A sat sat 10 12\ny A sat unknown 5 6\nx B sat sat 1200.1 1300\ny B sat unsat 3 3",
			// A: n 1, w 10. B: e 1 from y; x counts (A05) with w 0 and c 1300 <= mT.
			want: "1 A 0 1 10 12\n2 B 1 1 0 1300\n", winners: "A",
		},
		{
			name: "A11 late_c=zero", rules: "2026", readings: []string{"late_c=zero"}, view: "par",
			runs: "x A sat sat 10 12\nx B sat sat 1200.1 1300",
			// Equal n, and B has w = c = 0, which the rules literally consider better.
			want: "1 B 0 1 0 0\n2 A 0 1 10 12\n", winners: "B",
		},
		{
			name: "2026 7.1.1: a result after T of CPU time is cut, also an error (A12)", rules: "2026", view: "seq",
			runs: "x A sat sat 400 1300\nx B sat unsat 400 1300",
			want: "1 A 0 0 0 0\n1 B 0 0 0 0\n", winners: "",
		},
		{
			name: "A12 seq_error=score: c of an error is zero, so it stays", rules: "2026",
			readings: []string{"seq_error=score"}, view: "seq",
			runs: "x A sat sat 400 1300\nx B sat unsat 400 1300",
			want: "1 A 0 0 0 0\n2 B 1 0 400 0\n", winners: "",
		},
		{
			name: "2026 7.2.2: PAR-2 counts 2T and 2mT for what is not solved or not run", rules: "2026", view: "par2",
			runs: "x A sat sat 10 12\ny A sat unknown 5 6\nx B sat sat 20 20",
			// A: w 10+2400, c 12+9600. B has no run on y: w 20+2400, c 20+9600.
			want: "1 A 0 1 2410 9612\n2 B 0 1 2420 9620\n", winners: "A",
		},
		{
			name: "2026 7.2.2: a late answer is solved with aw = T (A13)", rules: "2026", view: "par2",
			runs: "x A sat sat 1250 1300\nx B sat unsat 1 1",
			want: "1 A 0 1 1200 1300\n2 B 1 0 2400 9600\n", winners: "A",
		},
		{
			name: "2022 7.2: disagreement of sound solvers removes the benchmark", rules: "2022", view: "par",
			runs: "x A unknown sat 1 1\nx B unknown unsat 2 2\ny A sat sat 3 3\ny B sat sat 4 4",
			// x is removed.
			want: "1 A 0 1 3 3\n2 B 0 1 4 4\n", winners: "A",
		},
		{
			name: "2022 7.2: an unsound solver removes nothing, and its answer on x is correct (A06)", rules: "2022",
			view: "par",
			runs: "x A unknown sat 1 1\nx B unknown unsat 2 2\ny A sat sat 3 3\ny B sat unsat 4 4",
			want: "1 A 0 2 4 4\n2 B 1 1 6 6\n", winners: "A",
		},
		{
			name: "A06 unknown_status=sound: it is an error", rules: "2022", readings: []string{"unknown_status=sound"},
			view: "par",
			runs: "x A unknown sat 1 1\nx B unknown unsat 2 2\ny A sat sat 3 3\ny B sat unsat 4 4",
			want: "1 A 0 2 4 4\n2 B 2 0 6 6\n", winners: "A",
		},
		{
			// Nothing is removed in the parallel track (A08), so x stays although the sound solvers A and B disagree on
			// it.
			name: "A06 unknown_status=sound: where sound solvers disagree each answer is correct", rules: "2022",
			readings: []string{"unknown_status=sound"}, view: "par",
			runs: "x A unknown sat 1 1 track=parallel\nx B unknown unsat 2 2 track=parallel\n" +
				"y A unknown unsat 3 3 track=parallel\ny B unknown unknown 4 4 track=parallel\n" +
				"z A sat sat 5 5 track=parallel\nz B sat sat 6 6 track=parallel\n" +
				"x C unknown unsat 1 1 track=parallel\ny C unknown sat 1 1 track=parallel\nz C sat unsat 1 1 track=parallel",
			// C is unsound because of z. Its unsat on x is one of two sound opinions. Its sat on y contradicts the
			// sound solver A.
			want: "1 A 0 3 9 9\n2 B 0 2 12 12\n3 C 2 1 3 3\n", winners: "A",
		},
		{
			name: "2022 7.2.4: sat view, unknown status settled by a sound solver (A07)", rules: "2022", view: "sat",
			runs: "x A unknown sat 1 1\nx B unknown unknown 2 2\ny A unsat unsat 3 3\ny B unsat unsat 4 4",
			want: "1 A 0 1 1 1\n2 B 0 0 2 2\n", winners: "A",
		},
		{
			name: "A07 sat_view=status: unknown status belongs to no view", rules: "2022",
			readings: []string{"sat_view=status"}, view: "sat",
			runs: "x A unknown sat 1 1\nx B unknown unknown 2 2\ny A sat sat 3 3\ny B sat sat 4 4",
			want: "1 A 0 1 3 3\n2 B 0 1 4 4\n", winners: "A",
		},
		{
			name: "2015 7.1: an answer counts only if the process ends in time", rules: "2015", view: "par",
			runs: "x A sat sat 1200.5 1300\nx B sat unsat 1201 1\ny A sat sat 1 1\ny B sat sat 2 2",
			// A: n 1, w 1200+1. B: the late wrong answer is not an error.
			want: "1 A 0 1 1201 1301\n2 B 0 1 1202 3\n", winners: "A",
		},
		{
			name: "exact ties win together (A22)", rules: "2022", view: "par",
			runs: "x A sat sat 0.1 1\ny A sat sat 0.2 1\nx B sat sat 0.3 1\ny B sat sat 0 1",
			// 0.1 + 0.2 is exactly 0.3, unlike with doubles.
			want: "1 A 0 2 0.3 2\n1 B 0 2 0.3 2\n", winners: "A B",
		},
		{
			name: "one team is not a competition", rules: "2022", view: "par",
			runs: "x A sat sat 1 1 team=t\nx B sat sat 2 2 team=t",
			want: "1 A 0 1 1 1\n2 B 0 1 2 2\n",
		},
		{
			name: "non-competitive solvers are ranked and do not win", rules: "2022", view: "par",
			runs: "x O sat sat 0.5 1 competitive=no\nx A sat sat 1 1\nx B sat sat 2 2",
			want: "1 O 0 1 0.5 1\n2 A 0 1 1 1\n3 B 0 1 2 2\n", winners: "A",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, res := compute(t, test.rules, handRuns(t, strings.ReplaceAll(test.runs, "\t", "")), test.readings...)
			r := division(res, "D").Ranking(test.view)
			got := rankingLines(r)
			if test.view == "seq" { // wall time is meaningless in a sequential score
				got, test.want = withoutWall(got), withoutWall(test.want)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if got := strings.Join(r.Winners, " "); got != test.winners {
				t.Errorf("winners %q, want %q", got, test.winners)
			}
		})
	}
}

func withoutWall(lines string) string {
	var out []string
	for _, line := range strings.Split(lines, "\n") {
		if f := strings.Fields(line); len(f) == 6 {
			line = strings.Join(append(f[:4], f[5]), " ")
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// TestBenchmarkScores checks e and n of single runs in the tracks that require validation.
func TestBenchmarkScores(t *testing.T) {
	for _, test := range []struct {
		name, rules, run string
		readings         []string
		e, n             int64
		w, c             string
	}{
		{name: "core accepted: n = N - size", rules: "2026",
			run: "unsat 5 6 track=unsat_core n_assertions=10 core_size=3 val_unsat=2 val_sat=1", n: 7, w: "5", c: "6"},
		{name: "2026 5.4: a tie of validators does not validate; one says sat", rules: "2026",
			run: "unsat 5 6 track=unsat_core n_assertions=10 core_size=3 val_unsat=1 val_sat=1", e: 1, w: "0", c: "0"},
		{name: "2026: nobody validates, nobody refutes (split)", rules: "2026",
			run: "unsat 5 6 track=unsat_core n_assertions=10 core_size=3 val_unsat=0 val_sat=0", w: "0", c: "0"},
		{name: "core_unvalidated=error", rules: "2026", readings: []string{"core_unvalidated=error"},
			run: "unsat 5 6 track=unsat_core n_assertions=10 core_size=3 val_unsat=0 val_sat=0", e: 1, w: "0", c: "0"},
		{name: "core_unvalidated=ignore", rules: "2026", readings: []string{"core_unvalidated=ignore"},
			run: "unsat 5 6 track=unsat_core n_assertions=10 core_size=3 val_unsat=1 val_sat=1", w: "0", c: "0"},
		{name: "core_unvalidated=ignore: only sat shows that the core is satisfiable (2026 5.4 Result, A09d)",
			rules: "2026", readings: []string{"core_unvalidated=ignore"},
			run: "unsat 5 6 track=unsat_core n_assertions=10 core_size=3 val_unsat=0 val_sat=1", e: 1, w: "0", c: "0"},
		{name: "core_unvalidated=ignore: so do more sat than unsat", rules: "2026",
			readings: []string{"core_unvalidated=ignore"},
			run:      "unsat 5 6 track=unsat_core n_assertions=10 core_size=3 val_unsat=1 val_sat=2", e: 1, w: "0", c: "0"},
		{name: "core_unvalidated=ignore: nobody votes", rules: "2026", readings: []string{"core_unvalidated=ignore"},
			run: "unsat 5 6 track=unsat_core n_assertions=10 core_size=3 val_unsat=0 val_sat=0", w: "0", c: "0"},
		{name: "2022 5.4: a tie is not refuted (A09c)", rules: "2022",
			run: "unsat 5 6 track=unsat_core n_assertions=10 core_size=3 val_unsat=1 val_sat=1", n: 7, w: "5", c: "6"},
		{name: "2022 5.4: refuted", rules: "2022", run: "unsat 5 6 track=unsat_core n_assertions=10 core_size=3 " +
			"val_unsat=1 val_sat=2", e: 1, w: "5", c: "6"},
		{name: "ill-formed core 2019", rules: "2019", run: "unsat 5 6 track=unsat_core n_assertions=10 core_size=3 " +
			"validation=illformed", e: 1, w: "5", c: "6"},
		{name: "ill-formed core 2022", rules: "2022", run: "unsat 5 6 track=unsat_core n_assertions=10 core_size=3 " +
			"validation=illformed", w: "5", c: "6"},
		{name: "no core: no reduction, but solved (A09a)", rules: "2026",
			run: "unsat 5 6 track=unsat_core n_assertions=10", w: "5", c: "6"},
		{name: "sat is erroneous", rules: "2026", run: "sat 5 6 track=unsat_core n_assertions=10", e: 1, w: "0",
			c: "0"},
		{name: "model VALID", rules: "2026", run: "sat 5 6 track=model_validation validation=VALID", n: 1, w: "5",
			c: "6"},
		{name: "model INVALID", rules: "2026", run: "sat 5 6 track=model_validation validation=INVALID", e: 1, w: "0",
			c: "0"},
		{name: "model UNKNOWN", rules: "2019", run: "sat 5 6 track=model_validation validation=UNKNOWN", w: "5",
			c: "6"},
		{name: "unsat without a verdict (A23)", rules: "2022", run: "unsat 5 6 track=model_validation", e: 1, w: "5",
			c: "6"},
		{name: "incremental: correct answers as of the limit", rules: "2022",
			run: "timeout 1300 5000 track=incremental n_checks=9 n_checks_correct=4", n: 4, w: "1200", c: "4800"},
		{name: "incremental: one wrong answer", rules: "2022",
			run: "unknown 10 11 track=incremental n_checks=9 n_checks_correct=4 n_checks_wrong=1", e: 1, w: "10",
			c: "11"},
		{name: "incremental 2026: time of the last answer", rules: "2026",
			run: "timeout 1300 5000 track=incremental n_checks=9 n_checks_correct=4 last_wall_s=77.5 last_cpu_s=80",
			n:   4, w: "77.5", c: "80"},
		{name: "incremental 2026: the last answer at once", rules: "2026",
			run: "timeout 1300 5000 track=incremental n_checks=9 n_checks_correct=4 last_wall_s=0 last_cpu_s=0",
			n:   4, w: "0", c: "0"},
		{name: "incremental 2026: also when wrong (A11)", rules: "2026", run: "unknown 90 95 track=incremental " +
			"n_checks=9 n_checks_correct=4 n_checks_wrong=1 last_wall_s=77.5 last_cpu_s=80", e: 1, w: "77.5", c: "80"},
		{name: "incremental 2026: without stamps the total", rules: "2026",
			run: "unknown 90 95 track=incremental n_checks=9 n_checks_correct=4", n: 4, w: "90", c: "95"},
		{name: "incremental 2026: nothing answered", rules: "2026",
			run: "unknown 90 95 track=incremental n_checks=9 n_checks_correct=0", w: "0", c: "0"},
		{name: "challenge 2019: incremental benchmark", rules: "2019",
			run: "unknown 90 95 track=industry_challenge n_checks=9 n_checks_correct=4", n: 4, w: "90", c: "95"},
		{name: "challenge 2019: query", rules: "2019", run: "unsat 90 95 track=industry_challenge", n: 1, w: "90",
			c: "95"},
		{name: "other_words_are_errors: unknown is an error in the parallel track", rules: "2022",
			readings: []string{"other_words_are_errors"}, run: "unknown 90 95 track=parallel", e: 1, w: "90", c: "95"},
		{name: "cores_by_post_processor: a wrong sat of the unsat-core track is not an error", rules: "2022",
			readings: []string{"cores_by_post_processor"}, run: "sat 5 6 track=unsat_core n_assertions=10", w: "5",
			c: "6"},
		{name: "core_required: unsat without a core is not solved", rules: "2026", readings: []string{"core_required"},
			run: "unsat 5 6 track=unsat_core n_assertions=10", w: "0", c: "0"},
		{name: "late_costs_limit: a run over the limit costs T twice", rules: "2022",
			readings: []string{"late_costs_limit"}, run: "timeout 1300 5000", w: "1200", c: "1200"},
		{name: "memout_costs_limit: out of memory costs T twice", rules: "2022",
			readings: []string{"memout_costs_limit"}, run: "memout 30 40", w: "1200", c: "1200"},
		{name: "late_answers_lost: a late answer is lost", rules: "2022", readings: []string{"late_answers_lost"},
			run: "unsat 1200.5 1300", w: "1200", c: "1300"},
		{name: "unsolved_costs_nothing: unsolved runs cost nothing", rules: "2022",
			readings: []string{"unsolved_costs_nothing"}, run: "unknown 90 95", w: "0", c: "0"},
		{name: "times_unbounded: times of the application track are not bounded", rules: "2015",
			readings: []string{"D-2015-1"}, run: "timeout 1300 5000 track=application n_checks_correct=4", n: 4,
			w: "1300", c: "5000"},
		{name: "every_run_costs_time: incremental runs cost all of their time", rules: "2026",
			readings: []string{"every_run_costs_time"},
			run:      "unknown 90 95 track=incremental n_checks=9 n_checks_correct=4 last_wall_s=7 last_cpu_s=8", n: 4,
			w: "90", c: "95"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, res := compute(t, test.rules, handRuns(t, "x A unsat "+test.run), test.readings...)
			c := division(res, "D").Ranking("par").Entries[0].Cell
			if c.Errors != test.e || c.Correct != test.n || c.Wall.String() != test.w || c.CPU.String() != test.c {
				t.Errorf("got <%d, %d, %s, %s>, want <%d, %d, %s, %s>", c.Errors, c.Correct, c.Wall, c.CPU, test.e,
					test.n, test.w, test.c)
			}
		})
	}
}

// TestMemoutSequential checks that a switch for runs that exceeded their memory limit does not change the sequential
// times of other runs: at most T (SMT-COMP 2022 rules, §7.1.1).
func TestMemoutSequential(t *testing.T) {
	for _, readings := range [][]string{nil, {"memout_costs_limit"}} {
		_, res := compute(t, "2022", handRuns(t, "x A unsat unknown 900 3000"), readings...)
		if c := division(res, "D").Ranking("seq").Entries[0].Cell.CPU.String(); c != "1200" {
			t.Errorf("%v: CPU time %s, want 1200", readings, c)
		}
	}
}

// TestChallengeSequential checks that the industry challenge's sequential view excludes incremental benchmarks
// (SMT-COMP 2019 rules, §7.2.2), even from its size.
func TestChallengeSequential(t *testing.T) {
	_, res := compute(t, "2019", handRuns(t, `x A sat sat 1 2 track=industry_challenge
y A unknown unknown 5 6 track=industry_challenge n_checks=9 n_checks_correct=4
x B sat sat 3 3 track=industry_challenge`))
	d := division(res, "D")
	if r := d.Ranking("seq"); r.Benchmarks != 1 || rankingLines(r) != "1 A 0 1 1 2\n2 B 0 1 3 3\n" {
		t.Errorf("seq has %d benchmarks\n%s", r.Benchmarks, rankingLines(r))
	}
	if r := d.Ranking("par"); r.Benchmarks != 2 || rankingLines(r) != "1 A 0 5 6 8\n2 B 0 1 3 3\n" {
		t.Errorf("par has %d benchmarks\n%s", r.Benchmarks, rankingLines(r))
	}
}

// TestPairs checks that a weight by executed pairs excludes removed benchmarks and missing runs (A18, pairs=run).
func TestPairs(t *testing.T) {
	runs := handRuns(t, `x A sat sat 1 1
y A sat sat 1 1
x B sat sat 1 1
x C sat sat 1 1
z A sat sat 1 1 division=E logic=E
z B sat sat 1 1 division=E logic=E
z C sat sat 1 1 division=E logic=E`)
	for _, test := range []struct {
		reading string
		want    float64
	}{{"pairs=product", 6.0 / 9}, {"pairs=run", 4.0 / 7}} {
		_, res := compute(t, "2022", runs, test.reading)
		for _, x := range recognition(t, res, "largest_contribution", "par").Entries {
			if x.Division == "D" && !near9(x.Weight, test.want) {
				t.Errorf("%s: weight %v, want %v", test.reading, x.Weight, test.want)
			}
		}
	}
}
