package cap

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/table"
)

// mostChecked is the largest group for which formulas are tried before anything executes. A mistake that only larger
// groups meet is found when they are there.
const mostChecked = 10_000

// checkFormulas tries the formulas on every size that a group may well have, so that a division by zero is
// found before there are any benchmarks. Formulas that look at the group's name are not tried.
func checkFormulas(a *stages.Args) error {
	sizes := make([]int64, mostChecked)
	for i := range sizes {
		sizes[i] = int64(i) + 1
	}
	frame := table.NewFrame(len(sizes)).Ints("n", sizes, nil)
	refuse := func(attr string, n int64, why string) error {
		return a.Invalid(attr, "Formula without a result", fmt.Sprintf("For a group of n = %d benchmarks, %q %s. "+
			"It must have a result for every n from 1; write for example n == %d ? ... : ....", n, attr,
			strings.TrimSuffix(why, "."), n))
	}
	tryable := func(x *rowexpr.Expr) bool { return x != nil && x.Known() && !slices.Contains(x.Uses(), "group") }
	var errs []error
	if take := a.Row("take"); tryable(take) {
		_, _, err := take.Numbers(frame)
		if row, ok := errors.AsType[*rowexpr.RowError](err); ok {
			errs = append(errs, refuse("take", sizes[row.Row], "has no result: "+reason(row)))
		}
	}
	if when := a.Row("guarantee_when"); tryable(when) {
		_, err := when.Bools(frame)
		if row, ok := errors.AsType[*rowexpr.RowError](err); ok {
			errs = append(errs, refuse("guarantee_when", sizes[row.Row], "has no result: "+reason(row)))
		}
	}
	return errors.Join(errs...)
}

// reason returns what HCL or the row expression says about a row.
func reason(e *rowexpr.RowError) string {
	if e.Msg == "" && len(e.Diags) > 0 {
		return e.Diags[0].Detail
	}
	return e.Msg
}
