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

// Limits on HCL's evaluation of an expression for a table's rows.
const (
	rowSteps, rowBytes     = 1_000_000, 4 << 20    // limits for one row
	tableSteps, tableBytes = 10_000_000, 256 << 20 // limits for all rows, to which the next ones are added per row
	stepsEach, bytesEach   = 10_000, 500_000
)

// Limits on the closures' work for a batch. Closures also compute rows that do not need them, in the branch of a
// conditional that is not taken. Rows beyond the limits are therefore left to HCL, which computes only what they need.
const (
	batchSteps, batchBytes = 100_000, 16 << 20
	batchCells             = 1 << 20 // values held simultaneously by all closures together
)

// maxTexts is the maximum total size of the results for a table, in bytes.
const maxTexts = 1 << 30

const rowAdvice = "Shorten the lists that loops go over, call functions with smaller values, or compute in " +
	"\"locals\" what is the same for all rows."

// Bounds returns the limits for checking an expression if no enclosing evaluation has a budget.
var Bounds = budget.Bounds{Steps: tableSteps, Bytes: tableBytes, Of: "the evaluation", Advice: rowAdvice}

var (
	ofRow   = budget.Bounds{Steps: rowSteps, Bytes: rowBytes, Of: "the evaluation of one row", Advice: rowAdvice}
	ofBatch = budget.Bounds{Steps: batchSteps, Bytes: batchBytes, Of: "a batch"}
)

func ofTable(rows int) budget.Bounds {
	return budget.Bounds{Steps: tableSteps + stepsEach*rows, Bytes: tableBytes + bytesEach*rows,
		Of: fmt.Sprintf("the evaluation for a table of %d rows", rows), Advice: rowAdvice}
}

// newEvaluation returns an evaluation for a frame's rows that stops when the context ends.
func newEvaluation(ctx context.Context, e *Expr, f *table.Frame) *evaluation {
	return &evaluation{e: e, ctx: ctx, frame: f, bufs: make([]buffers, e.program.nodes), purse: &budget.Purse{},
		rows: budget.New(ctx, ofTable(f.Len())), closures: budget.New(ctx, budget.Bounds{})}
}

// batchSize returns the number of rows in a batch. More closures, each with its own vector, mean fewer rows.
func (e *Expr) batchSize() int { return max(1, min(batch, batchCells/max(e.program.nodes, 1))) }

// beginBatch starts charging the closures' work to a batch's budget.
func (ev *evaluation) beginBatch() {
	ev.closures.Begin(ofBatch)
	ev.purse.Budget = ev.closures
}

// beginRow starts charging HCL's work to the rows' budget.
func (ev *evaluation) beginRow() {
	ev.rows.Begin(ofRow)
	ev.purse.Budget = ev.rows
}

// spend charges a closure's work for a row and reports whether the budget allows it. Otherwise the row is left to HCL.
func (ev *evaluation) spend(steps, bytes int) bool {
	return ev.closures.Spend(steps, bytes, ev.e.src.Range)
}

// keep charges a closure's value for a row and reports whether it may be kept.
func (ev *evaluation) keep(v cty.Value) bool {
	return v == cty.NilVal || ev.closures.Charge(budget.SizeOf(v), ev.e.src.Range)
}

// size returns the steps and bytes charged for a row's value.
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

// bound returns the pipeline's functions, bound to the evaluation's budgets.
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
