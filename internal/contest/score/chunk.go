package score

import (
	"context"
	"math/big"
	"reflect"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// chunkSize is the number of runs evaluated together. Its size keeps intermediate columns small.
const chunkSize = 8192

// marks holds all solvers' claims about benchmarks; see benchmarkRecord.
type marks struct{ anySat, anyUnsat, soundSat, soundUnsat []bool }

// of returns the claims that a column of benchmarks shows.
func (m *marks) of(field string) []bool {
	switch field {
	case "any_sat":
		return m.anySat
	case "any_unsat":
		return m.anyUnsat
	case "sound_sat":
		return m.soundSat
	}
	return m.soundUnsat
}

// settled returns the status that sound solvers determined, or else the benchmark's status.
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

// chunk provides the columns of the runs from lo to hi by name. Limit is the view's shorter limit, or nil.
type chunk struct {
	ctx        context.Context // context of the computation
	t          *Track
	lo, hi     int
	limit      *Time
	sequential bool
	marks      *marks
	values     values
	base       *scored // parallel score, which views refer to

	frame *table.Frame
}

func (c *chunk) n() int { return c.hi - c.lo }

// build creates the frame with a program's definitions and the columns that it reads.
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

// column adds a column to the frame.
func (c *chunk) column(name string) {
	row, field, _ := strings.Cut(name, ".")
	switch row {
	case "r", "b":
		switch {
		case isValueField(row, field):
			c.valueColumn(name, row, field)
		case row == "r":
			c.runColumn(name, field)
		default:
			c.benchmarkColumn(name, field)
		}
	case "s":
		fieldColumn(c, name, field, c.t.solver, c.t.Solvers)
	case "p":
		c.parallelColumn(name, field)
	case "T":
		c.frame.Floats(name, c.seconds("T"), nil)
	case "m":
		c.frame.Ints(name, restOf(c, func(r *Rest) int64 { return r.Cores }), nil)
	case "track":
		c.frame.Strings(name, slices.Repeat([]string{c.t.Name}, c.n()), nil)
	case "short":
		c.frame.Bools(name, c.short(), nil)
	case "sequential":
		c.frame.Bools(name, slices.Repeat([]bool{c.sequential}, c.n()), nil)
	default:
		for _, times := range [][]string{timeColumns, parallelTimeColumns} {
			for _, column := range times {
				if picoseconds(column) == name {
					small, wide := c.times(column)
					c.frame.Wide(name, small, wide)
				}
			}
		}
	}
}

// restOf returns a field of each run's Rest.
func restOf[V any](c *chunk, get func(*Rest) V) []V { return each(c, c.t.rest, c.t.rests, get) }

// each returns a value of each run's element in a list. ids contains the element's index for every run of the track.
// Successive runs usually share an element.
func each[T, V any](c *chunk, ids []int32, list []T, get func(*T) V) []V {
	out := make([]V, c.n())
	last := int32(-1)
	var value V
	for i, id := range ids[c.lo:c.hi] {
		if id != last {
			last, value = id, get(&list[id])
		}
		out[i] = value
	}
	return out
}

// fieldColumn adds a column with a field of each run's element in a list; see each.
func fieldColumn[T any](c *chunk, name, field string, ids []int32, list []T) {
	var at reflect.StructField
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		if columnOf(f) == field {
			at = f
		}
	}
	get := func(x *T) reflect.Value { return reflect.ValueOf(x).Elem().FieldByIndex(at.Index) }
	switch at.Type.Kind() {
	case reflect.Int64:
		c.frame.Ints(name, each(c, ids, list, func(x *T) int64 { return get(x).Int() }), nil)
	case reflect.String:
		c.frame.Strings(name, each(c, ids, list, func(x *T) string { return get(x).String() }), nil)
	case reflect.Bool:
		c.frame.Bools(name, each(c, ids, list, func(x *T) bool { return get(x).Bool() }), nil)
	}
}

func (c *chunk) runColumn(name, field string) {
	switch field {
	case "answer":
		c.frame.Strings(name, each(c, c.t.answer.Codes, c.t.answer.Words, func(s *string) string { return *s }), nil)
	case "wall_s", "cpu_s", "T", "last_wall_s", "last_cpu_s":
		c.frame.Floats(name, c.seconds(name), nil)
	case "has_last_wall":
		c.frame.Bools(name, restOf(c, func(r *Rest) bool { return r.LastWallS >= 0 }), nil)
	case "has_last_cpu":
		c.frame.Bools(name, restOf(c, func(r *Rest) bool { return r.LastCPUS >= 0 }), nil)
	case "has_core":
		c.frame.Bools(name, restOf(c, func(r *Rest) bool { return r.CoreSize >= 0 }), nil)
	case "has_votes":
		c.frame.Bools(name, restOf(c, func(r *Rest) bool { return r.ValUnsat >= 0 }), nil)
	case "recorded":
		c.frame.Bools(name, restOf(c, func(r *Rest) bool { return r.Correct != NoCorrect }), nil)
	default:
		fieldColumn(c, name, field, c.t.rest, c.t.rests)
	}
}

func (c *chunk) benchmarkColumn(name, field string) {
	switch field {
	case "settled":
		out := make([]string, c.n())
		for i, id := range c.t.benchmark[c.lo:c.hi] {
			out[i] = c.marks.settled(&c.t.Benchmarks[id], id)
		}
		c.frame.Strings(name, out, nil)
	case "any_sat", "any_unsat", "sound_sat", "sound_unsat":
		out := make([]bool, c.n())
		if c.marks != nil {
			set := c.marks.of(field)
			for i, id := range c.t.benchmark[c.lo:c.hi] {
				out[i] = set[id]
			}
		}
		c.frame.Bools(name, out, nil)
	default:
		fieldColumn(c, name, field, c.t.benchmark, c.t.Benchmarks)
	}
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

// times returns a column of times, in picoseconds. wide contains the times that do not fit in 64 bits, by row.
func (c *chunk) times(name string) (small []int64, wide map[int]*big.Int) {
	switch name {
	case "r.wall_s":
		return whole(c.t.wall[c.lo:c.hi]), nil
	case "r.cpu_s":
		return whole(c.t.cpu[c.lo:c.hi]), nil
	case "r.T":
		return restOf(c, func(r *Rest) int64 { return int64(r.Limit) }), nil
	case "T":
		return restOf(c, func(r *Rest) int64 { return int64(c.limitOf(r)) }), nil
	case "r.last_wall_s":
		return restOf(c, func(r *Rest) int64 { return int64(timeOf(r.LastWallS)) }), nil
	case "r.last_cpu_s":
		return restOf(c, func(r *Rest) int64 { return int64(timeOf(r.LastCPUS)) }), nil
	case "p.w_s":
		return c.base.wall.slice(c.lo, c.hi)
	case "p.c_s":
		return c.base.cpu.slice(c.lo, c.hi)
	case "p.aw_s":
		return c.base.actualWall.slice(c.lo, c.hi)
	}
	return c.base.actualCPU.slice(c.lo, c.hi)
}

// whole converts times to integers.
func whole(times []Time) []int64 {
	out := make([]int64, len(times))
	for i, t := range times {
		out[i] = int64(t)
	}
	return out
}

// limitOf returns T: the run's limit, or the view's if that is shorter.
func (c *chunk) limitOf(r *Rest) Time {
	if c.limit == nil {
		return r.Limit
	}
	return min(r.Limit, *c.limit)
}

// timeOf returns the time of a last answer, which was validated when it was read, or -1 if there is none.
func timeOf(s run.Seconds) Time {
	if s < 0 {
		return -1
	}
	t, _ := TimeOfSeconds(float64(s))
	return t
}

func (c *chunk) short() []bool {
	return restOf(c, func(r *Rest) bool { return c.limitOf(r) < r.Limit })
}

func (c *chunk) seconds(name string) []float64 {
	small, wide := c.times(name)
	out := make([]float64, len(small))
	for i, t := range small {
		out[i] = Time(t).Seconds()
	}
	for i, v := range wide {
		sum, _ := sumOfBig(v)
		out[i] = sum.Seconds()
	}
	return out
}
