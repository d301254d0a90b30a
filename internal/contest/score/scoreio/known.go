package scoreio

import (
	"math"
	"slices"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/contest/score/pages"
)

// knownLimit returns the reason why a difference is expected, or "".
func (o *Official) knownLimit(d *Difference) string {
	for i := range o.year.Known {
		if k := &o.year.Known[i]; k.Of(o.Track) && covers(k, d) {
			return k.Why
		}
	}
	return ""
}

// unknownRow reports whether all of a solver's cells, in every table, are known to differ.
func (o *Official) unknownRow(solver string) bool {
	return slices.ContainsFunc(o.year.Known, func(k pages.Known) bool {
		return k.Of(o.Track) && k.Row == solver && k.Table == "" && k.Columns == nil
	})
}

func covers(k *pages.Known, d *Difference) bool {
	match := func(pattern, s string) bool { return pattern == "" || pattern == s }
	if !match(k.Kind, d.Kind) || !match(k.Table, d.Table) || !match(k.View, d.View) || !match(k.Row, d.Row) ||
		k.Columns != nil && !slices.Contains(k.Columns, d.Column) {
		return false
	}
	if (k.Columns == nil && k.Row == "" || k.Absent) && d.Got != "nothing" {
		return false // the table or row is known to be absent rather than wrong
	}
	got, err := strconv.ParseFloat(d.Got, 64)
	want, err2 := strconv.ParseFloat(d.Want, 64)
	isNumber := err == nil && err2 == nil
	return (k.By == 0 || isNumber && math.Abs(k.By-(got-want)) < 1e-9) &&
		(k.Within == 0 || isNumber && math.Abs(got-want) <= k.Within*math.Abs(want))
}
