package score

import (
	"context"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/table"
)

// chunkSize is the number of runs that are evaluated at a time, so that intermediate columns stay small.
const chunkSize = 8192

// marks holds the claims of all solvers about benchmarks; see benchmarkRecord.
type marks struct{ anySat, anyUnsat, soundSat, soundUnsat []bool }

// settled returns the status as far as sound solvers know it.
func (m *marks) settled(b *Benchmark, i int32) string {
	switch {
	case m == nil:
		return b.Status
	case m.soundSat[i]:
		return claimNames[claimSat]
	case m.soundUnsat[i]:
		return claimNames[claimUnsat]
	}
	return b.Status
}

// chunk provides columns of the runs lo to hi by name. Limit is the shorter limit of the view, or nil.
type chunk struct {
	ctx        context.Context // of the computation
	t          *Track
	lo, hi     int
	limit      *Time
	sequential bool
	marks      *marks
	base       *scored // the parallel score, in views

	frame *table.Frame
	bufs  map[string][]Sum
	taken []*[chunkSize]Sum // from sumsPool
}

func (c *chunk) n() int { return c.hi - c.lo }

// build creates the frame with the columns that a program reads, and its definitions.
func (c *chunk) build(p *program) error {
	c.frame = table.NewFrame(c.n())
	c.frame.SetNames(func(row int) string {
		b, s := &c.t.Benchmarks[c.t.benchmark[c.lo+row]], &c.t.Solvers[c.t.solver[c.lo+row]]
		return strings.TrimSuffix(b.Name+", "+s.Name, ", ")
	})
	for _, name := range p.uses {
		c.column(name)
	}
	for _, l := range p.lets {
		if err := c.define(l); err != nil {
			return err
		}
	}
	return nil
}

// column sets one column of the frame.
func (c *chunk) column(name string) {
	row, field, _ := strings.Cut(name, ".")
	switch row {
	case "r":
		c.runColumn(name, field)
	case "b":
		c.benchmarkColumn(name, field)
	case "s":
		c.solverColumn(name, field)
	case "p":
		c.parallelColumn(name, field)
	case "T":
		c.frame.Floats(name, c.seconds("T"), nil)
	case "m":
		c.frame.Ints(name, c.t.cores.Slice(c.lo, c.hi), nil)
	case "track":
		out := make([]string, c.n())
		for i := range out {
			out[i] = c.t.Name
		}
		c.frame.Strings(name, out, nil)
	case "short":
		c.frame.Bools(name, c.short(), nil)
	case "sequential":
		out := make([]bool, c.n())
		for i := range out {
			out[i] = c.sequential
		}
		c.frame.Bools(name, out, nil)
	}
}

// runInts are the number fields of runs by optional column.
var runInts = map[string]int{
	"n_checks": colChecks, "n_checks_correct": colChecksCorrect, "n_checks_wrong": colChecksWrong,
	"n_assertions": colAssertions, "core_size": colCoreSize, "val_unsat": colValUnsat, "val_sat": colValSat,
	"recorded_n": colRecCorrect, "recorded_e": colRecError, "recorded_wrong": colRecWrong,
	"recorded_total": colRecTotal,
}

// runStrings are the string fields of runs by optional column.
var runStrings = map[string]int{
	"validation": colValidation, "run_status": colRunStatus, "validator_status": colValidatorStatus,
	"validator_error": colValidatorError, "validator_exception": colValidatorException, "job_set": colJobSet,
}

func (c *chunk) runColumn(name, field string) {
	if i, ok := runInts[field]; ok {
		c.frame.Ints(name, rowsOf(c, &c.t.ints[i], noInts[:]), nil)
		return
	}
	if i, ok := runStrings[field]; ok {
		c.frame.Strings(name, rowsOf(c, &c.t.strings[i], noStrings[:]), nil)
		return
	}
	switch field {
	case "answer":
		c.frame.Strings(name, c.t.answer.Slice(c.lo, c.hi), nil)
	case "wall_s", "cpu_s", "T", "last_wall_s", "last_cpu_s":
		c.frame.Floats(name, c.seconds(name), nil)
	case "has_last_wall":
		c.known(name, c.times("r.last_wall_s"))
	case "has_last_cpu":
		c.known(name, c.times("r.last_cpu_s"))
	case "has_core":
		c.atLeastZero(name, colCoreSize)
	case "has_votes":
		c.atLeastZero(name, colValUnsat)
	case "recorded":
		vals := c.t.ints[colRecCorrect].Slice(c.lo, c.hi)
		out := make([]bool, c.n())
		for i, v := range vals {
			out[i] = v != NoCorrect
		}
		c.frame.Bools(name, out, nil)
	case "excluded":
		c.frame.Bools(name, c.t.exclude.Slice(c.lo, c.hi), nil)
	}
}

func (c *chunk) known(name string, ts []Time) {
	out := make([]bool, c.n())
	for i, t := range ts {
		out[i] = t >= 0
	}
	c.frame.Bools(name, out, nil)
}

func (c *chunk) atLeastZero(name string, col int) {
	vals := c.t.ints[col].Slice(c.lo, c.hi)
	out := make([]bool, c.n())
	for i, v := range vals {
		out[i] = v >= 0
	}
	c.frame.Bools(name, out, nil)
}

func (c *chunk) benchmarkColumn(name, field string) {
	texts := func(get func(b *Benchmark, id int32) string) {
		out := make([]string, c.n())
		for i, id := range c.t.benchmark[c.lo:c.hi] {
			out[i] = get(&c.t.Benchmarks[id], id)
		}
		c.frame.Strings(name, out, nil)
	}
	flags := func(mark func(m *marks) []bool) {
		out := make([]bool, c.n())
		if c.marks != nil {
			set := mark(c.marks)
			for i, id := range c.t.benchmark[c.lo:c.hi] {
				out[i] = set[id]
			}
		}
		c.frame.Bools(name, out, nil)
	}
	switch field {
	case "name":
		texts(func(b *Benchmark, _ int32) string { return b.Name })
	case "status":
		texts(func(b *Benchmark, _ int32) string { return b.Status })
	case "logic":
		texts(func(b *Benchmark, _ int32) string { return b.Logic })
	case "division":
		texts(func(b *Benchmark, _ int32) string { return b.Division })
	case "category":
		texts(func(b *Benchmark, _ int32) string { return b.Category })
	case "settled":
		texts(c.marks.settled)
	case "any_sat":
		flags(func(m *marks) []bool { return m.anySat })
	case "any_unsat":
		flags(func(m *marks) []bool { return m.anyUnsat })
	case "sound_sat":
		flags(func(m *marks) []bool { return m.soundSat })
	case "sound_unsat":
		flags(func(m *marks) []bool { return m.soundUnsat })
	}
}

func (c *chunk) solverColumn(name, field string) {
	if field == "name" || field == "team" {
		out := make([]string, c.n())
		for i, id := range c.t.solver[c.lo:c.hi] {
			out[i] = c.t.Solvers[id].Name
			if field == "team" {
				out[i] = c.t.Solvers[id].Team
			}
		}
		c.frame.Strings(name, out, nil)
		return
	}
	out := make([]bool, c.n())
	for i, id := range c.t.solver[c.lo:c.hi] {
		s := &c.t.Solvers[id]
		switch field {
		case "competitive":
			out[i] = s.Competitive
		case "open_source":
			out[i] = s.OpenSource
		case "new_entrant":
			out[i] = s.NewEntrant
		}
	}
	c.frame.Bools(name, out, nil)
}

func (c *chunk) parallelColumn(name, field string) {
	switch field {
	case "e":
		c.frame.Bools(name, c.base.err[c.lo:c.hi], nil)
	case "n":
		c.frame.Ints(name, c.base.count[c.lo:c.hi], nil)
	case "solved":
		c.frame.Bools(name, c.base.solved[c.lo:c.hi], nil)
	case "claim":
		out := make([]string, c.n())
		for i, v := range c.base.claim[c.lo:c.hi] {
			out[i] = claimNames[v]
		}
		c.frame.Strings(name, out, nil)
	default:
		c.frame.Floats(name, c.seconds(name), nil)
	}
}

// The values of a column that no run has.
var (
	noStrings [chunkSize]string
	noInts    [chunkSize]int64
)

// rowsOf returns the values of a column in the chunk; none has the values of an empty one.
func rowsOf[V comparable](c *chunk, column *table.Sparse[V], none []V) []V {
	if column.IsZero() && c.n() <= len(none) {
		return none[:c.n()]
	}
	return column.Slice(c.lo, c.hi)
}

// times returns a column of measured times by its name in time expressions.
func (c *chunk) times(name string) []Time {
	switch name {
	case "r.wall_s":
		return c.t.wall[c.lo:c.hi]
	case "r.cpu_s":
		return c.t.cpu[c.lo:c.hi]
	case "r.T":
		return c.t.limit.Slice(c.lo, c.hi)
	case "T":
		return c.limits()
	case "r.last_wall_s":
		return c.t.times[colLastWall].Slice(c.lo, c.hi)
	case "r.last_cpu_s":
		return c.t.times[colLastCPU].Slice(c.lo, c.hi)
	}
	return nil
}

// sumsPool has the memory of chunks that are done.
var sumsPool = sync.Pool{New: func() any { return new([chunkSize]Sum) }}

// newSums returns room for a value for each run, until release.
func (c *chunk) newSums() []Sum {
	if c.n() > chunkSize {
		return make([]Sum, c.n())
	}
	a := sumsPool.Get().(*[chunkSize]Sum)
	c.taken = append(c.taken, a)
	return a[:c.n()]
}

// release ends the use of all columns of times.
func (c *chunk) release() {
	for _, a := range c.taken {
		sumsPool.Put(a)
	}
	c.taken, c.bufs = nil, nil
}

// sums returns any column of times by its name in time expressions. Callers must not change it.
func (c *chunk) sums(name string) []Sum {
	if sums, ok := c.bufs[name]; ok {
		return sums
	}
	var sums []Sum
	switch name {
	case "p.w_s":
		sums = c.base.wall.slice(c.lo, c.hi)
	case "p.c_s":
		sums = c.base.cpu.slice(c.lo, c.hi)
	case "p.aw_s":
		sums = c.base.actualWall.slice(c.lo, c.hi)
	case "p.ac_s":
		sums = c.base.actualCPU.slice(c.lo, c.hi)
	default:
		sums = c.newSums()
		for i, t := range c.times(name) {
			sums[i] = sumOf(t)
		}
	}
	if c.bufs == nil {
		c.bufs = map[string][]Sum{}
	}
	c.bufs[name] = sums
	return sums
}

// limits returns T: the limit of the run, or that of the view if it is shorter.
func (c *chunk) limits() []Time {
	ts := c.t.limit.Slice(c.lo, c.hi)
	if c.limit == nil {
		return ts
	}
	out := make([]Time, len(ts))
	for i, t := range ts {
		out[i] = min(t, *c.limit)
	}
	return out
}

func (c *chunk) short() []bool {
	out := make([]bool, c.n())
	if c.limit != nil {
		for i := range out {
			out[i] = *c.limit < c.t.limit.At(c.lo+i)
		}
	}
	return out
}

func (c *chunk) seconds(name string) []float64 {
	sums := c.sums(name)
	out := make([]float64, len(sums))
	for i, s := range sums {
		out[i] = s.Seconds()
	}
	return out
}
