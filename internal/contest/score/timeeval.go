package score

import (
	"errors"
	"fmt"
)

// errTooLong ends the sentence about a time that cannot be added up exactly.
var errTooLong = errors.New("is more than 10^16 seconds, which is more than can be added up")

// eval evaluates a time expression for the runs of the chunk, exactly. The caller must not change the result.
func (t *timeExpr) eval(c *chunk) ([]Sum, error) {
	switch t.op {
	case opTimeColumn:
		return c.sums(t.name), nil
	case opLiteral:
		out := c.newSums()
		for i := range out {
			out[i] = sumOf(t.value)
		}
		return out, nil
	case opChoose:
		return t.evalChoice(c)
	case opTimes, opCores:
		return t.evalProduct(c)
	}
	first, err := t.args[0].eval(c)
	if err != nil {
		return nil, err
	}
	out := c.newSums()
	copy(out, first)
	for _, arg := range t.args[1:] {
		sums, err := arg.eval(c)
		if err != nil {
			return nil, err
		}
		if err := t.combine(c, out, sums); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// combine applies min, max or + to out and further values.
func (t *timeExpr) combine(c *chunk, out, sums []Sum) error {
	switch t.op {
	case opMin:
		for i, s := range sums {
			out[i] = least(out[i], s)
		}
	case opMax:
		for i, s := range sums {
			out[i] = most(out[i], s)
		}
	case opAdd:
		for i, s := range sums {
			if out[i] = out[i].Plus(s); out[i].Compare(maxScore) > 0 {
				return t.tooLong(c, i)
			}
		}
	}
	return nil
}

// evalProduct evaluates the product of a time and a number.
func (t *timeExpr) evalProduct(c *chunk) ([]Sum, error) {
	sums, err := t.args[0].eval(c)
	if err != nil {
		return nil, err
	}
	out := c.newSums()
	for i, s := range sums {
		n := int64(t.value)
		if t.op == opCores {
			n = c.t.restAt(c.lo + i).Cores
		}
		var ok bool
		if out[i], ok = s.Times(n); !ok {
			return nil, t.tooLong(c, i)
		}
	}
	return out, nil
}

// tooLong is the error of a time that grows beyond maxScore.
func (t *timeExpr) tooLong(c *chunk, i int) error {
	b := &c.t.Benchmarks[c.t.benchmark[c.lo+i]]
	return fmt.Errorf("%s: a time on benchmark %s of division %s, with m = %d and T = %s s, %w",
		t.at, b.Name, b.Division, c.t.restAt(c.lo+i).Cores, c.t.restAt(c.lo+i).Limit, errTooLong)
}

func (t *timeExpr) evalChoice(c *chunk) ([]Sum, error) {
	cond, err := t.cond.Bools(c.ctx, c.frame)
	if err != nil {
		return nil, err
	}
	a, err := t.args[0].eval(c)
	if err != nil {
		return nil, err
	}
	b, err := t.args[1].eval(c)
	if err != nil {
		return nil, err
	}
	out := c.newSums()
	for i, yes := range cond {
		if yes {
			out[i] = a[i]
		} else {
			out[i] = b[i]
		}
	}
	return out, nil
}
