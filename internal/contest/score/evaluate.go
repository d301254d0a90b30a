package score

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
)

// scored holds each run's benchmark score, in columns. A column that the rule set does not define is nil, meaning all
// zeros.
type scored struct {
	err, solved     []bool
	count           []int64
	points          []int64
	claim           []claim
	timeout, memout []bool
	keep            []bool // whether the run counts in the view; nil: all count
	wall, cpu       *sumColumn
	actualWall      *sumColumn
	actualCPU       *sumColumn
}

// maxCount bounds one run's n and points, which prevents overflow in sums over a track's runs (at most 2^31).
const maxCount = 1 << 31

// claim is a run's answer, if it counts.
type claim uint8

const (
	claimNone claim = iota
	claimSat
	claimUnsat
)

var claimNames = [...]string{claimNone: "", claimSat: string(comp.AnswerSat), claimUnsat: string(comp.AnswerUnsat)}

// job is the evaluation of a program over all of a track's runs.
type job struct {
	t          *Track
	p          *program
	limit      *Time
	sequential bool
	marks      *marks
	base       *scored
}

// evaluate computes the program's result columns on all cores. In a view, results that the view does not define are
// shared with its base.
func (j job) evaluate(ctx context.Context) (*scored, error) {
	out := j.allocate()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	values := valuesFor(j.t, j.p.uses)
	for lo := 0; lo < j.t.Len(); lo += chunkSize {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			c := &chunk{ctx: ctx, t: j.t, lo: lo, hi: min(lo+chunkSize, j.t.Len()), limit: j.limit,
				sequential: j.sequential, marks: j.marks, values: values, base: j.base}
			return j.fill(c, out)
		})
	}
	return out, group.Wait()
}

// target is an expression with the column that holds its values.
type target[V any] struct {
	expr *rowexpr.Expr
	col  *V
}

func (p *program) flags(s *scored) []target[[]bool] {
	return []target[[]bool]{{p.err, &s.err}, {p.solved, &s.solved}, {p.timeout, &s.timeout}, {p.memout, &s.memout},
		{p.where, &s.keep}}
}

func (p *program) counts(s *scored) []target[[]int64] {
	return []target[[]int64]{{p.count, &s.count}, {p.points, &s.points}}
}

func (p *program) times(s *scored) []target[*sumColumn] {
	return []target[*sumColumn]{{p.wall, &s.wall}, {p.cpu, &s.cpu}, {p.actualWall, &s.actualWall},
		{p.actualCPU, &s.actualCPU}}
}

func (j job) allocate() *scored {
	n, out := j.t.Len(), scored{}
	if j.base != nil {
		out = *j.base
	}
	out.keep = nil
	for _, f := range j.p.flags(&out) {
		if f.expr != nil {
			*f.col = make([]bool, n)
		}
	}
	for _, f := range j.p.counts(&out) {
		if f.expr != nil {
			*f.col = make([]int64, n)
		}
	}
	for _, f := range j.p.times(&out) {
		if f.expr != nil {
			*f.col = newSumColumn(n)
		}
	}
	if out.solved == nil {
		out.solved = make([]bool, n)
	}
	if j.p.claim != nil || out.claim == nil {
		out.claim = make([]claim, n)
	}
	return &out
}

// fill evaluates the program for one chunk.
func (j job) fill(c *chunk, out *scored) error {
	if err := c.build(j.p); err != nil {
		return err
	}
	for _, f := range j.p.flags(out) {
		if f.expr == nil {
			continue
		}
		vals, err := f.expr.Bools(c.ctx, c.frame)
		if err != nil {
			return err
		}
		copy((*f.col)[c.lo:c.hi], vals)
	}
	for _, f := range j.p.counts(out) {
		if f.expr == nil {
			continue
		}
		vals, _, err := f.expr.Ints(c.ctx, c.frame)
		if err != nil {
			return err
		}
		if i := slices.IndexFunc(vals, func(v int64) bool { return v > maxCount || v < -maxCount }); i >= 0 {
			b := &c.t.Benchmarks[c.t.benchmark[c.lo+i]]
			return fmt.Errorf("a run on benchmark %s of division %s is worth %d; at most %d is supported",
				b.Name, b.Division, vals[i], maxCount)
		}
		copy((*f.col)[c.lo:c.hi], vals)
	}
	if err := j.fillClaims(c, out); err != nil {
		return err
	}
	for _, f := range j.p.times(out) {
		if f.expr == nil {
			continue
		}
		sums, err := c.evalTimes(f.expr)
		if err != nil {
			return err
		}
		(*f.col).set(c.lo, sums)
	}
	return nil
}

func (j job) fillClaims(c *chunk, out *scored) error {
	if j.p.claim == nil {
		return nil
	}
	vals, _, err := j.p.claim.Strings(c.ctx, c.frame)
	if err != nil {
		return err
	}
	for i, v := range vals {
		switch v {
		case claimNames[claimSat]:
			out.claim[c.lo+i] = claimSat
		case claimNames[claimUnsat]:
			out.claim[c.lo+i] = claimUnsat
		}
	}
	return nil
}

// define evaluates a definition and adds its column to the frame.
func (c *chunk) define(l compiledLet) error {
	switch l.expr.Type().FriendlyName() {
	case "bool":
		vals, err := l.expr.Bools(c.ctx, c.frame)
		c.frame.Bools(l.name, vals, nil)
		return err
	case "number":
		vals, null, err := l.expr.Numbers(c.ctx, c.frame)
		c.frame.Floats(l.name, vals, null)
		return err
	default:
		vals, null, err := l.expr.Strings(c.ctx, c.frame)
		c.frame.Strings(l.name, vals, null)
		return err
	}
}
