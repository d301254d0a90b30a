package rowexpr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/smtpipe/smtpipe/internal/base/budget"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// evaluation is an expression's pass over a frame.
type evaluation struct {
	e     *Expr
	ctx   context.Context // kept here because an evaluation lasts only one call
	frame *table.Frame
	from  int // first row of the batch
	n     int // number of rows in the batch
	bufs  []buffers
	hcl   *rowScope

	purse     *budget.Purse  // budget for expressions that HCL evaluates: one of the next two
	closures  *budget.Budget // budget for the closures' work per batch
	rows      *budget.Budget // budget for HCL's work, per row and in total
	functions map[string]function.Function
	texts     int // size of the results, in bytes
}

// RowError is an error in a row. Row is the row's index in the frame.
type RowError struct {
	Row   int
	Name  string // the row's name, if there is one
	Expr  hcl.Range
	Diags hcl.Diagnostics // HCL's diagnostics, if there are any
	Msg   string
}

// Error returns the expression's position, the row and the reason.
func (e *RowError) Error() string {
	msg := e.Msg
	if msg == "" && len(e.Diags) > 0 {
		d := e.Diags[0]
		msg = d.Summary + ": " + d.Detail
	}
	row := strconv.Itoa(e.Row)
	if e.Name != "" {
		row += " (" + e.Name + ")"
	}
	return fmt.Sprintf("%s: row %s: %s", e.Expr, row, msg)
}

// Unwrap returns the diagnostics.
func (e *RowError) Unwrap() error {
	if len(e.Diags) == 0 {
		return nil
	}
	return e.Diags
}

// errDeferred reports that an expression with unknown outer values cannot be evaluated.
var errDeferred = errors.New("the row expression depends on values that are not known yet")

// check returns an error if the frame lacks a column or has a column of the wrong type.
func (e *Expr) check(f *table.Frame) error {
	if !e.known {
		return fmt.Errorf("%s: %w", e.src.Range(), errDeferred)
	}
	if err := f.Err(); err != nil {
		return err
	}
	for _, name := range e.uses {
		col, ok := f.Column(name)
		if !ok {
			return fmt.Errorf("%s: the rows have no column %s", e.src.Range(), name)
		}
		if want := e.columnType(name); !want.Equals(ctyType(col.Kind())) {
			return fmt.Errorf("%s: column %s is a %s; it must be a %s", e.src.Range(), name,
				ctyType(col.Kind()).FriendlyName(), want.FriendlyName())
		}
	}
	return nil
}

func (e *Expr) columnType(name string) cty.Type {
	varName, field, isField := strings.Cut(name, ".")
	v := e.scope.lookup(varName)
	if !isField {
		return v.Type
	}
	f, _ := v.Record.Field(field)
	return f.Type
}

// each evaluates all rows in order. It calls batchDone with a batch's vouched rows, and rowDone with each other row.
func (e *Expr) each(ctx context.Context, f *table.Frame, batchDone func(v *vec, from int),
	rowDone func(row int, v cty.Value) error) error {
	if err := e.check(f); err != nil {
		return err
	}
	ev := newEvaluation(ctx, e, f)
	size := e.batchSize()
	for ev.from = 0; ev.from < f.Len(); ev.from += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		ev.n = min(size, f.Len()-ev.from)
		if err := ev.batch(batchDone, rowDone); err != nil {
			if row, ok := errors.AsType[*RowError](err); ok {
				row.Name = f.NameOf(row.Row)
			}
			return err
		}
	}
	return nil
}

// batch evaluates a batch's rows with closures, and the rows that the closures do not vouch for with HCL.
func (ev *evaluation) batch(batchDone func(v *vec, from int), rowDone func(row int, v cty.Value) error) error {
	var doubt []bool
	if run := ev.e.program.run; run != nil {
		ev.beginBatch()
		v := run(ev)
		batchDone(v, ev.from)
		doubt = v.doubt
		if err := ev.countTexts(v); err != nil || doubt == nil {
			return err
		}
	}
	for i := range ev.n {
		if doubt != nil && !doubt[i] {
			continue
		}
		val, err := ev.row(ev.from + i)
		if err != nil {
			return err
		}
		if err := rowDone(ev.from+i, val); err != nil {
			return err
		}
		if err := ev.countText(ev.from+i, budget.SizeOf(val).Bytes); err != nil {
			return err
		}
	}
	return nil
}

// countTexts adds the sizes of a batch's results.
func (ev *evaluation) countTexts(v *vec) error {
	if v.strings == nil && v.lists == nil {
		return nil
	}
	for i := range ev.n {
		if v.doubt != nil && v.doubt[i] {
			continue
		}
		_, bytes := v.size(i)
		if err := ev.countText(ev.from+i, bytes); err != nil {
			return err
		}
	}
	return nil
}

func (ev *evaluation) countText(row, bytes int) error {
	if ev.texts += bytes; ev.texts > maxTexts {
		return ev.e.rowError(row, "the values of the rows up to this one have more than %d MiB of text", maxTexts>>20)
	}
	return nil
}

// row evaluates a row with HCL and converts its value to the expression's type.
func (ev *evaluation) row(row int) (cty.Value, error) {
	e := ev.e
	ev.beginRow()
	scope := ev.rowScope().at(row)
	val, diags := e.src.Value(scope)
	if !diags.HasErrors() {
		ev.rows.Charge(budget.SizeOf(val), e.src.Range)
	}
	if over := ev.rows.Over(); over != nil {
		if err := ev.ctx.Err(); err != nil {
			return cty.NilVal, err
		}
		over.Expression, over.EvalContext = e.src, scope
		return cty.NilVal, &RowError{Row: row, Expr: e.src.Range(), Diags: hcl.Diagnostics{over}}
	}
	if diags.HasErrors() {
		return cty.NilVal, &RowError{Row: row, Expr: e.src.Range(), Diags: diags}
	}
	val, _ = val.UnmarkDeep()
	out, err := convert.Convert(val, e.typ)
	if err != nil {
		return cty.NilVal, &RowError{Row: row, Expr: e.src.Range(), Msg: fmt.Sprintf("the value is unsuitable: %v",
			err)}
	}
	if !out.IsWhollyKnown() {
		return cty.NilVal, &RowError{Row: row, Expr: e.src.Range(), Msg: "the value is not known"}
	}
	return out, nil
}

// Refuse returns an error that rejects one of the expression's values, with the expression's position.
func (e *Expr) Refuse(why string) error { return &RowError{Expr: e.src.Range(), Msg: why} }

func (e *Expr) rowError(row int, format string, args ...any) error {
	return &RowError{Row: row, Expr: e.src.Range(), Msg: fmt.Sprintf(format, args...)}
}

func (e *Expr) wrongType(want cty.Type) error {
	if e.typ != cty.DynamicPseudoType && !e.typ.Equals(want) {
		return fmt.Errorf("%s: the row expression returns a %s; it must "+
			"return a %s", e.src.Range(), e.typ.FriendlyName(),
			want.FriendlyName())
	}
	return nil
}

// Bools evaluates all rows. A null is an error that names the row.
func (e *Expr) Bools(ctx context.Context, f *table.Frame) ([]bool, error) {
	if err := e.wrongType(cty.Bool); err != nil {
		return nil, err
	}
	out := make([]bool, f.Len())
	nullRow := -1
	err := e.each(ctx, f, func(v *vec, from int) {
		copy(out[from:], v.bools)
		nullRow = firstNull(v, from, nullRow)
	}, func(row int, v cty.Value) error {
		if v.IsNull() || v.Type() != cty.Bool {
			return e.rowError(row, "the value is null; it must be true or false")
		}
		out[row] = v.True()
		return nil
	})
	if err == nil && nullRow >= 0 {
		err = e.rowError(nullRow, "the value is null; it must be true or false")
	}
	if err != nil {
		return nil, err
	}
	return out, nil
}

// firstNull returns the first vouched null row, unless an earlier null row is known.
func firstNull(v *vec, from, found int) int {
	if found >= 0 || v.null == nil {
		return found
	}
	for i, null := range v.null {
		if null && (v.doubt == nil || !v.doubt[i]) {
			return from + i
		}
	}
	return found
}

// Strings evaluates all rows. A null row becomes the empty string. null is nil if no row is null.
func (e *Expr) Strings(ctx context.Context, f *table.Frame) (values []string, null []bool, err error) {
	if err := e.wrongType(cty.String); err != nil {
		return nil, nil, err
	}
	values = make([]string, f.Len())
	nulls := nullRows{n: f.Len()}
	err = e.each(ctx, f, func(v *vec, from int) {
		copy(values[from:], v.strings)
		nulls.batch(v, from)
	}, func(row int, v cty.Value) error {
		values[row] = ""
		if !nulls.row(row, v) {
			values[row] = v.AsString()
		}
		return nil
	})
	for i, is := range nulls.mask {
		if is {
			values[i] = ""
		}
	}
	return values, nulls.mask, err
}

// Numbers evaluates all rows to the nearest float64. A null row becomes 0. null is nil if no row is null. An infinity,
// for example from a division by zero, is an error that names the row.
func (e *Expr) Numbers(ctx context.Context, f *table.Frame) (values []float64, null []bool, err error) {
	if err := e.wrongType(cty.Number); err != nil {
		return nil, nil, err
	}
	values = make([]float64, f.Len())
	nulls := nullRows{n: f.Len()}
	err = e.each(ctx, f, func(v *vec, from int) {
		doubtInexact(v)
		nulls.batch(v, from)
		copy(values[from:], v.floats)
		for i, x := range v.ints {
			values[from+i] = float64(x)
		}
	}, func(row int, v cty.Value) error {
		values[row] = 0
		if nulls.row(row, v) {
			return nil
		}
		x, _ := v.AsBigFloat().Float64()
		if math.IsInf(x, 0) {
			return e.rowError(row, "the value is infinite; check the expression for division by zero")
		}
		values[row] = x
		return nil
	})
	for i, is := range nulls.mask {
		if is {
			values[i] = 0
		}
	}
	return values, nulls.mask, err
}

// doubtInexact leaves rounded numbers to HCL, because the result of several roundings may not be the nearest float64.
func doubtInexact(v *vec) {
	if v.errs == nil {
		return
	}
	doubt := make([]bool, len(v.floats))
	copy(doubt, v.doubt)
	for i, e := range v.errs {
		doubt[i] = doubt[i] || e != 0
	}
	v.doubt = doubt
}

// Ints evaluates all rows to integers. Any other number, or an integer beyond int64, is an error that names the row. A
// null row becomes 0. null is nil if no row is null.
func (e *Expr) Ints(ctx context.Context, f *table.Frame) (values []int64, null []bool, err error) {
	return e.whole(ctx, f, func(row int, v *big.Float) error {
		return e.rowError(row, "the value %s is not a whole number that fits into 64 bits", numberText(v))
	})
}

// Wide evaluates all rows to integers. wide contains the integers beyond int64, by row. Any other number, or a null, is
// an error that names the row.
func (e *Expr) Wide(ctx context.Context, f *table.Frame) (values []int64, wide map[int]*big.Int, err error) {
	wide = map[int]*big.Int{}
	values, null, err := e.whole(ctx, f, func(row int, v *big.Float) error {
		whole, acc := v.Int(nil)
		if acc != big.Exact || whole == nil {
			return e.rowError(row, "the value %s is not a whole number", numberText(v))
		}
		wide[row] = whole
		return nil
	})
	if i := slices.Index(null, true); err == nil && i >= 0 {
		err = e.rowError(i, "the value is null; it must be a number")
	}
	return values, wide, err
}

// whole evaluates all rows to integers. It calls other for rows whose numbers do not fit into int64 or are not
// integers.
func (e *Expr) whole(ctx context.Context, f *table.Frame, other func(row int, v *big.Float) error) (values []int64,
	null []bool, err error) {
	if err := e.wrongType(cty.Number); err != nil {
		return nil, nil, err
	}
	values = make([]int64, f.Len())
	nulls := nullRows{n: f.Len()}
	err = e.each(ctx, f, func(v *vec, from int) {
		nulls.batch(v, from)
		if v.kind == table.Int {
			copy(values[from:], v.ints)
			return
		}
		doubt := make([]bool, len(v.floats))
		copy(doubt, v.doubt)
		for i, x := range v.floats {
			values[from+i] = int64(x)
			if !(math.Abs(x) <= maxExact) || x != math.Trunc(x) || at(v.errs, i) != 0 {
				doubt[i] = doubt[i] || v.null == nil || !v.null[i]
			}
		}
		v.doubt = doubt
	}, func(row int, v cty.Value) error {
		values[row] = 0
		if nulls.row(row, v) {
			return nil
		}
		x, acc := v.AsBigFloat().Int64()
		if acc != big.Exact {
			return other(row, v.AsBigFloat())
		}
		values[row] = x
		return nil
	})
	for i, is := range nulls.mask {
		if is {
			values[i] = 0
		}
	}
	return values, nulls.mask, err
}

// StringLists evaluates all rows to lists of strings. A null row becomes nil.
func (e *Expr) StringLists(ctx context.Context, f *table.Frame) (values [][]string, err error) {
	if err := e.wrongType(cty.List(cty.String)); err != nil {
		return nil, err
	}
	values = make([][]string, f.Len())
	err = e.each(ctx, f, func(v *vec, from int) {
		copy(values[from:], v.lists)
		for i, is := range v.null {
			if is {
				values[from+i] = nil
			}
		}
	}, func(row int, v cty.Value) error {
		values[row] = nil
		if v.IsNull() {
			return nil
		}
		values[row] = []string{}
		for it := v.ElementIterator(); it.Next(); {
			_, elem := it.Element()
			if elem.IsNull() {
				return e.rowError(row, "an element of the list is null")
			}
			values[row] = append(values[row], elem.AsString())
		}
		return nil
	})
	return values, err
}

// nullRows collects a result's null mask.
type nullRows struct {
	n    int
	mask []bool
}

func (r *nullRows) set(row int) {
	if r.mask == nil {
		r.mask = make([]bool, r.n)
	}
	r.mask[row] = true
}

func (r *nullRows) batch(v *vec, from int) {
	for i, null := range v.null {
		if null && (v.doubt == nil || !v.doubt[i]) {
			r.set(from + i)
		}
	}
}

func (r *nullRows) row(row int, v cty.Value) bool {
	if v.IsNull() {
		r.set(row)
		return true
	}
	return false
}
