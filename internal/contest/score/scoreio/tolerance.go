package scoreio

import (
	"fmt"
	"math"
	"strings"
)

// tolerances defines how close computed figures must be to published ones: within half a unit of the last printed
// digit. All values except times and ranks must be equal.
type tolerances struct {
	timeDigits, rankDigits int
	perRun                 float64 // possible error, in seconds, of each run in a sum: the folder rounds times
}

func (o *Official) tolerances() tolerances {
	t := tolerances{timeDigits: o.page.TimeDigits, rankDigits: o.page.RankDigits, perRun: o.page.RunRoundingS}
	if t.timeDigits == 0 {
		t.timeDigits = o.Published.timeDigits()
	}
	return t
}

// Tolerances describes the comparison's precision in one line.
func (o *Official) Tolerances() string {
	t := o.tolerances()
	line := fmt.Sprintf("times within %v s", halfUnit(t.timeDigits))
	if t.perRun > 0 {
		line += fmt.Sprintf(" and %v s per run, because the folder rounds them", t.perRun)
	}
	return line + fmt.Sprintf("; ranks within %v; all other figures exactly", halfUnit(t.rankDigits))
}

// timeDigits returns the number of decimal places of times on the pages, from 2 to 6.
func (p *Published) timeDigits() int {
	digits := 2
	for _, tables := range []map[string]map[string]any{p.Divisions, p.Logics} {
		for _, table := range tables {
			for _, view := range table {
				rows, _ := view.([]any)
				for _, raw := range rows {
					row, _ := raw.(map[string]any)
					for _, column := range []string{"wall", "cpu"} {
						_, fraction, _ := strings.Cut(text(row[column]), ".")
						digits = max(digits, len(fraction))
					}
				}
			}
		}
	}
	return min(digits, 6)
}

func halfUnit(digits int) float64 { return 5 / math.Pow10(digits+1) }

// of returns a column's tolerance: half a unit of the last published digit, plus the possible error from adding
// doubles.
func (t tolerances) of(column string, value float64) float64 {
	digits := t.timeDigits
	switch column {
	case "cpu", "wall":
	case "score", "time_score", "contribution", "winner_score":
		digits = t.rankDigits
	default:
		return 0
	}
	return halfUnit(digits)*(1+1e-6) + 1e-12*math.Abs(value)
}

// sum returns a time sum's possible error due to rounding the runs in a row.
func (t tolerances) sum(column string, row map[string]any) float64 {
	if column != "wall" && column != "cpu" {
		return 0
	}
	return t.perRun * (asFloat(row["solved"]) + asFloat(row["unsolved"]))
}

// leadSlack returns the possible error of a biggest lead's time rank, (t2 + 1) / (t1 + 1), due to rounding runs.
func (c *comparer) leadSlack(at Difference, entry map[string]any) float64 {
	if c.by.perRun == 0 || at.Table != "biggest_lead" || at.Column != "time_score" {
		return 0
	}
	column := "wall"
	if at.View == "sequential" {
		column = "cpu"
	}
	rows, _ := c.computed.Divisions[text(entry["division"])][at.View].([]any)
	first, second := rowOf(rows, entry["solver"]), rowOf(rows, entry["second"])
	return (c.by.sum(column, second) + asFloat(entry["time_score"])*c.by.sum(column, first)) / (asFloat(first[column]) +
		1)
}

// rowOf returns a solver's row, or an empty one.
func rowOf(rows []any, solver any) map[string]any {
	for _, raw := range rows {
		if row, _ := raw.(map[string]any); text(row["solver"]) == text(solver) {
			return row
		}
	}
	return nil
}

// asFloat returns a number from a decoded document, or zero.
func asFloat(v any) float64 {
	f, _ := v.(float64)
	return f
}
