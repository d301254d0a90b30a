package engine

import (
	"context"
	"fmt"

	"github.com/smtpipe/smtpipe/internal/data/diff"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Compare lists the differences between the results of two executed instances of the same kind.
func (e *Engine) Compare(ctx context.Context, from, to string) ([]diff.Difference, error) {
	a, err := e.Executed(from)
	if err != nil {
		return nil, err
	}
	b, err := e.Executed(to)
	if err != nil {
		return nil, err
	}
	c, ok := a.Action.(stages.Comparer)
	if !ok || a.Kind != b.Kind {
		return nil, &IncomparableError{from, to}
	}
	return c.Compare(ctx, e.opt.Store, b.Action)
}

// Executed returns an instance whose results are in the store.
func (e *Engine) Executed(addr string) (*stages.Instance, error) {
	in, step, err := e.findInstance(addr)
	if err != nil {
		return nil, err
	}
	if step.Decision != Cached {
		return nil, fmt.Errorf("%s is not up to date (%s); execute it with \"smtpipe run\"", step.Addr, step.Decision)
	}
	return in, nil
}

// IncomparableError reports that two instances are of different kinds, or of a kind that does not support comparison.
type IncomparableError struct{ From, To string }

func (e *IncomparableError) Error() string {
	return fmt.Sprintf("%s and %s cannot be compared; two stages with a table of scores can", e.From, e.To)
}
