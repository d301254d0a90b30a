package rowexpr

import (
	"context"
	"fmt"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/smtpipe/smtpipe/internal/base/budget"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// Bounds of the evaluation of an expression for the rows of a table, with HCL.
const (
	rowSteps, rowBytes     = 1_000_000, 4 << 20    // of one row
	tableSteps, tableBytes = 10_000_000, 256 << 20 // of all rows, plus these for each row:
	stepsEach, bytesEach   = 10_000, 500_000
)

// Bounds of the work of closures for a batch. Closures also work for rows that do not need them, in the branch of a
// conditional that is not taken. Rows beyond the bounds are therefore left to HCL, which decides them.
const (
	batchSteps, batchBytes = 100_000, 16 << 20
	batchCells             = 1 << 20 // values of all closures together that are held at a time
)

// maxTexts bounds the total size of the results for a table, in bytes.
const maxTexts = 1 << 30

const rowAdvice = "Shorten the lists that loops go over, call functions with smaller values, or let \"locals\" " +
	"have what is the same for all rows."

// Bounds limits the check of an expression if no outer evaluation has a budget.
var Bounds = budget.Bounds{Steps: tableSteps, Bytes: tableBytes, Of: "the evaluation", Advice: rowAdvice}

var (
	ofRow   = budget.Bounds{Steps: rowSteps, Bytes: rowBytes, Of: "the evaluation of one row", Advice: rowAdvice}
	ofBatch = budget.Bounds{Steps: batchSteps, Bytes: batchBytes, Of: "a batch"}
)

func ofTable(rows int) budget.Bounds {
	return budget.Bounds{Steps: tableSteps + stepsEach*rows, Bytes: tableBytes + bytesEach*rows,
		Of: fmt.Sprintf("the evaluation for a table of %d rows", rows), Advice: rowAdvice}
}

// newEvaluation returns an evaluation for the rows of a frame, which stops when the context ends.
func newEvaluation(ctx context.Context, e *Expr, f *table.Frame) *evaluation {
	return &evaluation{e: e, ctx: ctx, frame: f, bufs: make([]buffers, e.program.nodes), purse: &budget.Purse{},
		rows: budget.New(ctx, ofTable(f.Len())), closures: budget.New(ctx, budget.Bounds{})}
}

// batchSize is the number of rows of a batch: fewer if there are many closures, each with a vector of its own.
func (e *Expr) batchSize() int { return max(1, min(batch, batchCells/max(e.program.nodes, 1))) }

// beginBatch lets the closures count with the budget of a batch.
func (ev *evaluation) beginBatch() {
	ev.closures.Begin(ofBatch)
	ev.purse.Budget = ev.closures
}

// beginRow lets HCL count with the budget of the rows.
func (ev *evaluation) beginRow() {
	ev.rows.Begin(ofRow)
	ev.purse.Budget = ev.rows
}

// spend counts the work of a closure for a row, and reports whether it is within the budget. Otherwise the row is left
// to HCL.
func (ev *evaluation) spend(steps, bytes int) bool {
	return ev.closures.Spend(steps, bytes, ev.e.src.Range)
}

// keep counts the value of a closure for a row, and reports whether it may be kept.
func (ev *evaluation) keep(v cty.Value) bool {
	return v == cty.NilVal || ev.closures.Charge(budget.SizeOf(v), ev.e.src.Range)
}

// size returns the steps and bytes that the value of a row counts for.
func (v *vec) size(row int) (steps, bytes int) {
	switch {
	case v.strings != nil:
		return 1, len(v.strings[row])
	case v.lists != nil:
		for _, s := range v.lists[row] {
			bytes += len(s)
		}
		return 1 + len(v.lists[row]), bytes
	}
	return 1, 0
}

// bound returns the functions of the pipeline, bound to the budgets of the evaluation.
func (ev *evaluation) bound() map[string]function.Function {
	if ev.functions == nil {
		ev.functions = map[string]function.Function{}
		for name, f := range ev.e.scope.Functions {
			if f.In == nil {
				continue
			}
			outer := &hcl.EvalContext{}
			if f.Outer != nil {
				outer = f.Outer
			}
			outer = outer.NewChild()
			outer.Variables, outer.Functions = ev.purse.Variables(), ev.functions
			ev.functions[name] = f.In(outer)
		}
	}
	return ev.functions
}
