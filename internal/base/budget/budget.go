// Package budget counts the work of HCL evaluations: the syntax itself counts the computed parts of values and the
// bytes of their texts.
package budget

import (
	"context"
	"fmt"

	"github.com/hashicorp/hcl/v2"
)

// stepsToCheck is the number of steps between two checks of the context.
const stepsToCheck = 4096

// stepsOfSet is the number of steps of each element of a set, which cty sorts to visit it.
const stepsOfSet = 64

// TooLarge is the summary of the error for exceeding the bounds.
const TooLarge = "Evaluation too large"

// Bounds limits the work of an evaluation.
type Bounds struct {
	Steps  int // parts of values that are computed, passed to functions or compared
	Bytes  int // of their texts
	Of     string
	Advice string
}

// Budget counts the work of an evaluation, and of a part of it, such as one row. The first expression beyond the
// bounds is kept for the error. From there every counted expression is unknown and costs nothing, so that enclosing
// loops end immediately.
type Budget struct {
	ctx         context.Context
	whole, part account
	look        int // number of steps at which the context is checked next
	over        *hcl.Diagnostic
	ended       bool // over concerns the whole evaluation or the context
}

type account struct {
	Bounds

	steps, bytes int
}

func (a *account) add(steps, bytes int) bool {
	a.steps, a.bytes = a.steps+steps, a.bytes+bytes
	return a.Of == "" || a.steps <= a.Steps && a.bytes <= a.Bytes
}

// New returns a budget for an evaluation that ends with the context. The zero Bounds bound nothing.
func New(ctx context.Context, whole Bounds) *Budget {
	return &Budget{ctx: ctx, whole: account{Bounds: whole}}
}

// Begin starts a part with its own bounds in addition to those of the whole.
func (b *Budget) Begin(part Bounds) {
	b.part = account{Bounds: part}
	if !b.ended {
		b.over = nil
	}
}

// Over returns the error of the first expression that exceeded the bounds, or nil if none did.
func (b *Budget) Over() *hcl.Diagnostic { return b.over }

// Charge counts a value, and reports whether the evaluation may continue.
func (b *Budget) Charge(s Size, at func() hcl.Range) bool {
	return b.Spend(s.Parts+stepsOfSet*s.inSets, s.Bytes, at)
}

// Spend counts steps and bytes, and reports whether the evaluation may continue.
func (b *Budget) Spend(steps, bytes int, at func() hcl.Range) bool {
	if b.over != nil {
		return false
	}
	whole, part := b.whole.add(steps, bytes), b.part.add(steps, bytes)
	switch {
	case !whole:
		b.over, b.ended = b.whole.exceeded(at()), true
		return false
	case !part:
		b.over = b.part.exceeded(at())
		return false
	}
	if b.whole.steps >= b.look {
		b.look = b.whole.steps + stepsToCheck
		if b.ctx.Err() != nil {
			b.ended = true
			b.over = errorAt(at(), "Interrupted", "The evaluation was ended here by a signal. Start it again.")
			return false
		}
	}
	return true
}

func (a *account) exceeded(at hcl.Range) *hcl.Diagnostic {
	return errorAt(at, TooLarge, fmt.Sprintf("With this expression %s has more than %d steps "+
		"or %d MiB of text. %s", a.Of, a.Steps, a.Bytes>>20, a.Advice))
}

func errorAt(at hcl.Range, summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at}
}
