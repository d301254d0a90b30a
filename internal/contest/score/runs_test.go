package score

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/pipelines"
)

// TestBitTable compares a bitTable with a map, including after a column that needs wider rows.
func TestBitTable(t *testing.T) {
	var table bitTable
	set := map[[2]int]bool{}
	for _, at := range [][2]int{{0, 0}, {0, 63}, {2, 1}, {1, 63}, {2, 1}, {1, 64}, {0, 64}, {3, 0}, {0, 63},
		{2, 130}, {2, 66},
		{1, 63}, {1, 64}, {5, 127}, {5, 128}, {4, 192}, {2, 1}, {2, 130}, {0, 0}, {3, 192}, {4, 192}, {6, 0}, {5,
			128}} {
		if got := table.set(at[0], at[1]); got != set[at] {
			t.Errorf("%v was set: %v, want %v", at, got, set[at])
		}
		set[at] = true
	}
}

// row returns a solver's run in a logic of division D.
func row(benchmark, logic, solver, answer string) *Row {
	r := &Row{
		Identity: run.Identity{Track: "single_query", Logic: logic, Benchmark: benchmark, Solver: solver},
		Subject:  run.Subject{Division: "D", Status: "sat"}, Entrant: run.Entrant{Team: solver, Competitive: true},
		Wall: Second, CPU: Second,
		Rest: Rest{Limit: 1200 * Second, Cores: 4, Judged: run.Unjudged(), Recorded: NoRecord},
	}
	r.Answer = answer
	return r
}

func built(t *testing.T, rows ...*Row) *Builder {
	t.Helper()
	b := &Builder{}
	for _, r := range rows {
		if err := b.Add(r); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

func TestHas(t *testing.T) {
	b := built(t, row("x", "L", "A", "sat"), row("y", "M", "B", "sat"))
	for _, test := range []struct {
		track, division, logic, solver string
		want                           bool
	}{
		{"single_query", "D", "L", "A", true},
		{"single_query", "D", "M", "B", true},
		{"single_query", "D", "M", "A", false},
		{"single_query", "D", "N", "A", false},
		{"single_query", "E", "L", "A", false},
		{"single_query", "D", "L", "C", false},
		{"parallel", "D", "L", "A", false},
	} {
		if got := b.Has(test.track, test.division, test.logic, test.solver); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
	if runs := b.Runs(); !runs.Has("single_query") || runs.Has("parallel") {
		t.Error("the tracks are others")
	}
}

// TestDefaults checks that the result is the same whether the track's first run or a later one contains a value that a
// row omits.
func TestDefaults(t *testing.T) {
	full := row("b", "L", "A", "sat")
	full.CoreSize, full.ValUnsat, full.ValSat, full.LastWallS, full.LastCPUS = 5, 6, 7, 8, 9
	full.Recorded = Recorded{Correct: 1, Error: 2, Wrong: 3, Total: 4}
	track := built(t, row("a", "L", "A", "sat"), full, row("c", "L", "A", "sat")).Runs().Tracks[0]
	c := &chunk{t: track, hi: 3, frame: table.NewFrame(3)}
	for name, want := range map[string][]int64{"core_size": {-1, 5, -1}, "val_unsat": {-1, 6, -1},
		"val_sat": {-1, 7, -1}, "recorded_n": {NoCorrect, 1, NoCorrect}, "recorded_e": {-1, 2, -1},
		"recorded_wrong": {-1, 3, -1}, "recorded_total": {-1, 4, -1}} {
		c.column("r." + name)
		if got, ok := c.frame.Column("r." + name); !ok || !slices.Equal(got.Ints(), want) {
			t.Errorf("column %s is %v", name, got)
		}
	}
	for name, last := range map[string]Time{"last_wall_s": 8 * Second, "last_cpu_s": 9 * Second} {
		if got, _ := c.times("r." + name); !slices.Equal(got, []int64{-1, int64(last), -1}) {
			t.Errorf("column %s is %v", name, got)
		}
	}
	if NoRecord != (Recorded{Correct: NoCorrect, Error: -1, Wrong: -1, Total: -1}) {
		t.Errorf("no record is %+v", NoRecord)
	}
}

// TestValues checks that values that a checker refutes or does not confirm are not compared with other values.
func TestValues(t *testing.T) {
	valued := func(solver string, details, validation string) *Row {
		r := row("b", "L", solver, "sat")
		r.Value, r.Validation = ValueIn(details), validation
		return r
	}
	track := built(t, valued("A", "value=7\n", "valid"), valued("B", "x=y\nvalue=-2.5\n", ""),
		valued("C", "value=-100\n", "invalid"), valued("D", "", ""), valued("E", "value=7\n", "valid")).Runs().Tracks[0]
	c := &chunk{t: track, hi: 5, frame: table.NewFrame(5), values: valuesFor(track, []string{"r.below"})}
	for name, want := range map[string][]float64{
		"r.value": {7, -2.5, -100, 0, 7}, "r.below": {1, 0, 0, 0, 1}, "r.above": {0, 2, 3, 0, 0},
		"b.least": {-2.5, -2.5, -2.5, -2.5, -2.5}, "b.greatest": {7, 7, 7, 7, 7},
	} {
		c.column(name)
		if got, ok := c.frame.Column(name); !ok || !slices.Equal(got.Floats(), want) {
			t.Errorf("column %s is %v, want %v", name, got, want)
		}
	}
	if c.column("r.has_value"); valuesFor(track, []string{"r.answer", "b.status"}) != nil {
		t.Error("values are compared for a program that does not use them")
	}
	if got, _ := c.frame.Column("r.has_value"); !slices.Equal(got.Bools(), []bool{true, true, true, false, true}) {
		t.Errorf("has_value is %v", got)
	}
}

// TestLimits checks that a limit and a number of cores that all runs share are stored once, and that a different value
// applies only to its own run.
func TestLimits(t *testing.T) {
	other := row("c", "L", "A", "sat")
	other.Division, other.Limit, other.Cores = "E", 24*Second, 1
	rows := []*Row{row("a", "L", "A", "sat"), row("b", "L", "A", "unsat"), other, row("d", "L", "A", "sat")}
	track := built(t, rows...).Runs().Tracks[0]
	for i, want := range []Rest{rows[0].Rest, rows[0].Rest, other.Rest, rows[0].Rest} {
		if got := track.restAt(i); got.Limit != want.Limit || got.Cores != want.Cores {
			t.Errorf("run %d has %s s and %d cores, want %+v", i, got.Limit, got.Cores, want)
		}
	}
	if track.restAt(0) != track.restAt(1) || track.restAt(1) == track.restAt(2) || track.answer.At(1) != "unsat" {
		t.Errorf("the first two runs do not share what they have in common: %v", track.rest)
	}
}

// sized returns how many of D's benchmarks each view counts, under a 2026 rule set with an additional view.
func sized(t *testing.T, more string, b *Builder) map[string]int {
	t.Helper()
	src, err := pipelines.Files.ReadFile("2026/scoring.rules.hcl")
	if err != nil {
		t.Fatal(err)
	}
	rs, diags := Parse([]byte(string(src)+more), "x", nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	res, err := Compute(context.Background(), rs, b.Runs(), Readings{})
	if err != nil {
		t.Fatal(err)
	}
	sizes := map[string]int{}
	for _, r := range res.Tracks[0].Divisions[0].Rankings {
		sizes[r.View] = r.Benchmarks
	}
	return sizes
}

// TestCounted checks that a view with a condition on benchmarks also counts benchmarks without a run. A view with a
// condition on runs counts the benchmarks with a counted run, whether the condition uses a column, a score or a
// comparison of times.
func TestCounted(t *testing.T) {
	slow := row("y", "L", "A", "unknown")
	slow.Wall = 30 * Second
	valued := row("x", "L", "A", "sat")
	valued.Value = ValueIn("value=3")
	b := built(t, valued, slow)
	if err := b.Select(row("z", "L", "", "")); err != nil {
		t.Fatal(err)
	}
	for where, want := range map[string]int{
		`track == "single_query"`:                    3,
		`track == "parallel"`:                        0,
		`b.status == "sat"`:                          3,
		`b.name == "z" || b.name == "x"`:             2,
		`r.answer == "sat"`:                          1,
		`p.n > 0`:                                    1,
		`r.wall_s <= 24`:                             1,
		`s.name == "A"`:                              2,
		`b.status == "sat" && r.answer == "unknown"`: 1,
		`b.has_value`:                                1,
		`b.has_value && b.least >= 4`:                0,
	} {
		got := sized(t, "\nview \"mine\" {\n  tracks = [\"single_query\"]\n  where = "+where+
			"\n  order = [\"e\", \"-n\"]\n}\n", b)
		if got["mine"] != want || got["par"] != 3 {
			t.Errorf("%s counts %d, want %d; par %d", where, got["mine"], want, got["par"])
		}
	}
}

// TestDropByValue checks that a condition for dropping runs can use the values of other runs.
func TestDropByValue(t *testing.T) {
	valued := row("x", "L", "A", "sat")
	valued.Value = ValueIn("value=3")
	b := built(t, valued, row("x", "L", "B", "sat"), row("y", "L", "A", "sat"))
	for when, want := range map[string]int{"b.has_value": 1, "b.greatest > 2": 1, "b.has_value && b.least > 3": 2} {
		if got := sized(t, "\ndrop \"mine\" {\n  when = "+when+"\n}\n", b)["par"]; got != want {
			t.Errorf("%s leaves %d benchmarks, want %d", when, got, want)
		}
	}
}

// TestWorth checks that a run can be worth at most 2^31, which prevents overflow in sums. The error names the
// benchmark.
func TestWorth(t *testing.T) {
	src, err := pipelines.Files.ReadFile("2026/scoring.rules.hcl")
	if err != nil {
		t.Fatal(err)
	}
	rs, diags := Parse(src, "x", nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	for _, test := range []struct {
		correct []int64
		fails   string
	}{
		{[]int64{1 << 31, 1}, ""}, {[]int64{1<<31 + 1, 1}, "benchmark a"}, {[]int64{1, 1<<31 + 1}, "benchmark b"},
	} {
		b := &Builder{}
		for i, n := range test.correct {
			r := row(string(rune('a'+i)), "L", "A", "unknown")
			r.Track, r.Checks, r.ChecksCorrect = "incremental", n, n
			if err := b.Add(r); err != nil {
				t.Fatal(err)
			}
		}
		_, err := Compute(context.Background(), rs, b.Runs(), Readings{})
		if (err != nil) != (test.fails != "") || err != nil && !strings.Contains(err.Error(), test.fails) {
			t.Errorf("%v: %v, want %q", test.correct, err, test.fails)
		}
	}
}

// TestDeciding checks the first column in which two entries differ.
func TestDeciding(t *testing.T) {
	r := &Ranking{order: []Key{{Column: "e"}, {Column: "n", Desc: true}, {Column: "w"}}}
	entry := func(e, n int64, w Time) *Entry { return &Entry{Cell: Cell{Errors: e, Correct: n, Wall: sumOf(w)}} }
	for _, test := range []struct {
		a, b *Entry
		want string
	}{
		{entry(0, 5, 3), entry(1, 5, 3), "e"},
		{entry(1, 5, 3), entry(1, 4, 9), "n"},
		{entry(1, 5, 4), entry(1, 5, 3), "w"},
		{entry(1, 5, 4), entry(1, 5, 4), ""},
	} {
		if got, ok := r.Deciding(test.a, test.b); got != test.want || ok != (test.want != "") {
			t.Errorf("got %q, %v; want %q", got, ok, test.want)
		}
	}
}

// TestManyRuns checks that rules about runs and benchmarks apply to more of them than are processed together. Each of
// two solvers misses half: it is charged 2 T for each missed one (SMT-COMP 2026 rules, view par2), and a run with more
// than 5 check-sats is dropped.
func TestManyRuns(t *testing.T) {
	src, err := pipelines.Files.ReadFile("2026/scoring.rules.hcl")
	if err != nil {
		t.Fatal(err)
	}
	many := "\ndrop \"many\" {\n  when = r.n_checks > 5 || r.wall_s > 1000\n}\n"
	rs, diags := Parse([]byte(string(src)+many), "x", nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	b := &Builder{}
	for i := range 2*chunkSize + 2 {
		if err := b.Add(row(fmt.Sprintf("%06d", i), "L", []string{"A", "B"}[i%2], "sat")); err != nil {
			t.Fatal(err)
		}
	}
	res, err := Compute(context.Background(), rs, b.Runs(), Readings{})
	if err != nil {
		t.Fatal(err)
	}
	const half = chunkSize + 1
	for _, x := range res.Tracks[0].Divisions[0].Ranking("par2").Entries {
		if want := sumOf(0).Add(half * Second).Plus(must(sumOf(2400 * Second).Times(half))); x.Cell.Correct != half ||
			x.Cell.Wall != want {
			t.Errorf("%s: %d solved in %s, want %s", x.Solver, x.Cell.Correct, x.Cell.Wall, want)
		}
	}
}

func must(s Sum, ok bool) Sum {
	if !ok {
		panic("the sum is too large")
	}
	return s
}
