// Package budget counts the work of HCL evaluations. Expressions charge it themselves, for the parts of the values they
// compute and the bytes of their texts.
package budget

import (
	"context"
	"fmt"

	"github.com/hashicorp/hcl/v2"
)

// stepsToCheck is the number of steps after which the context is checked again.
const stepsToCheck = 4096

// stepsOfSet is the number of steps charged for each element of a set, because cty sorts sets to iterate over them.
const stepsOfSet = 64

// TooLarge is the summary of the error for an evaluation that exceeds its bounds.
const TooLarge = "Evaluation too large"

// Bounds limits the work of an evaluation.
type Bounds struct {
	Steps  int // parts of values that are computed, passed to functions, or compared
	Bytes  int // total bytes of all texts in these values
	Of     string
	Advice string
}

// Budget counts the work of a whole evaluation and of its current part, such as one row. It keeps an error for the
// first expression that exceeds the bounds. From then on, every counted expression is unknown and costs nothing, so
// enclosing loops end immediately.
type Budget struct {
	ctx         context.Context
	whole, part account
	look        int // number of steps at which the context is checked again
	over        *hcl.Diagnostic
	ended       bool // over is about the whole evaluation or the context, not just a part
}

type account struct {
	Bounds

	steps, bytes int
}

func (a *account) add(steps, bytes int) bool {
	a.steps, a.bytes = a.steps+steps, a.bytes+bytes
	return a.Of == "" || a.steps <= a.Steps && a.bytes <= a.Bytes
}

// New returns a budget for an evaluation that ends when the context does. The zero Bounds impose no limit.
func New(ctx context.Context, whole Bounds) *Budget {
	return &Budget{ctx: ctx, whole: account{Bounds: whole}}
}

// Begin starts a part with its own bounds, which apply in addition to the bounds of the whole.
func (b *Budget) Begin(part Bounds) {
	b.part = account{Bounds: part}
	if !b.ended {
		b.over = nil
	}
}

// Over returns the error of the first expression that exceeded the bounds, or nil if none did.
func (b *Budget) Over() *hcl.Diagnostic { return b.over }

// Charge charges for a value and reports whether the evaluation may continue.
func (b *Budget) Charge(s Size, at func() hcl.Range) bool {
	return b.Spend(s.Parts+stepsOfSet*s.inSets, s.Bytes, at)
}

// Spend adds steps and bytes and reports whether the evaluation may continue.
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
			b.over = errorAt(at(), "Interrupted", "A signal interrupted the evaluation here. Start it again.")
			return false
		}
	}
	return true
}

func (a *account) exceeded(at hcl.Range) *hcl.Diagnostic {
	return errorAt(at, TooLarge, fmt.Sprintf("With this expression, %s exceeds %d steps "+
		"or %d MiB of text. %s", a.Of, a.Steps, a.Bytes>>20, a.Advice))
}

func errorAt(at hcl.Range, summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at}
}
