package cap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// mostChecked is the size of the largest group for which formulas are tried before anything executes. A mistake that
// affects only larger groups is found when such groups exist.
const mostChecked = 10_000

// sound caches the canonical texts of formulas that have a result for every size, because a pipeline is checked several
// times.
var sound sync.Map

// checkFormulas tries the formulas on every size that a group is likely to have, so that a division by zero is found
// before there are any benchmarks. Formulas that use the group's name are not tried.
func checkFormulas(a *stages.Args) error {
	return errors.Join(
		checkFormula(a, "take", func(x *rowexpr.Expr, sizes *table.Frame) error {
			_, null, err := x.Numbers(context.Background(), sizes)
			if i := slices.Index(null, true); err == nil && i >= 0 {
				return &rowexpr.RowError{Row: i, Msg: "the number is null"}
			}
			return err
		}),
		checkFormula(a, "guarantee_when", func(x *rowexpr.Expr, sizes *table.Frame) error {
			_, err := x.Bools(context.Background(), sizes)
			return err
		}))
}

func checkFormula(a *stages.Args, attr string, evaluate func(x *rowexpr.Expr, sizes *table.Frame) error) error {
	x := a.Row(attr)
	if x == nil || !x.Known() || slices.Contains(x.Uses(), "group") {
		return nil
	}
	text := x.Canonical()
	if _, ok := sound.Load(text); ok {
		return nil
	}
	sizes := make([]int64, mostChecked)
	for i := range sizes {
		sizes[i] = int64(i) + 1
	}
	err := evaluate(x, table.NewFrame(len(sizes)).Ints("n", sizes, nil))
	row, ok := errors.AsType[*rowexpr.RowError](err)
	if !ok {
		sound.Store(text, true)
		return nil
	}
	n := sizes[row.Row]
	return a.Invalid(attr, "Formula without a result", fmt.Sprintf("For a group of n = %d benchmarks, %q has no "+
		"result: %s. It must have a result for every n from 1; for example, write n == %d ? ... : ....", n, attr,
		strings.TrimSuffix(reason(row), "."), n))
}

// reason returns the error message for a row, from HCL or from the row expression.
func reason(e *rowexpr.RowError) string {
	if e.Msg == "" && len(e.Diags) > 0 {
		return e.Diags[0].Detail
	}
	return e.Msg
}
