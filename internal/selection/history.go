package selection

import (
	"fmt"
	"math"
	"slices"
)

// YearRuns sums up the runs of one benchmark in one year's track.
type YearRuns struct {
	Year         int
	Runs         int
	AllSolved    bool // every run answered sat or unsat; a wrong answer counts as solved here
	AnySolved    bool
	MaxCPUTimeS  float64
	MaxWallTimeS float64
	MinWallTimeS float64 // of the runs that solved it
}

// History is what earlier years did to one benchmark, by year.
type History []YearRuns

// Histories collects the runs of earlier years by the path of the benchmark. The zero value is ready.
type Histories struct {
	byPath map[string]History
}

// Add counts one run. A CPU time below 0 was not measured. The runs may come in any order.
func (h *Histories) Add(path string, year int, solved bool, cpuTimeS, wallTimeS float64) {
	if h.byPath == nil {
		h.byPath = map[string]History{}
	}
	history := h.byPath[path]
	i, ok := slices.BinarySearchFunc(history, year, func(y YearRuns, year int) int { return y.Year - year })
	if !ok {
		history = slices.Insert(history, i, YearRuns{Year: year, AllSolved: true})
		h.byPath[path] = history
	}
	y := &history[i]
	y.Runs++
	if cpuTimeS < 0 {
		cpuTimeS = math.Inf(1) // not measured: nobody knows that it was short
	}
	y.MaxCPUTimeS, y.MaxWallTimeS = max(y.MaxCPUTimeS, cpuTimeS), max(y.MaxWallTimeS, wallTimeS)
	if !solved {
		y.AllSolved = false
		return
	}
	if !y.AnySolved || wallTimeS < y.MinWallTimeS {
		y.MinWallTimeS = wallTimeS
	}
	y.AnySolved = true
}

// Of returns the history of a benchmark; nil if it was never run.
func (h *Histories) Of(path string) History { return h.byPath[path] }

// EasyRule says which benchmarks earlier years show to be easy. The zero value finds none.
//
// Source: SMT-COMP 2019 rules §6, 2; 2022 and 2026 rules §6, 2: "solved by all solvers in less than one second in the
// corresponding track in" the years. That one such year is enough, CPU time, and up to and including the limit are the
// organisers' practice.
type EasyRule struct {
	Years     []int
	AnyYear   bool    // one year is enough; else all of the years in which it was run
	CPU       bool    // CPU time counts; else wall time
	LimitS    float64 // seconds
	Inclusive bool    // exactly LimitS is easy
	MinRuns   int     // runs that are needed at least, in the year or in all the years together
}

// EasyRuleOf returns the rule of 2019, 2022 or 2026 by the text: one second of wall time, all years in which it was
// run, and at least two runs, since one solver alone is not "all solvers". 2008 and 2015 have no such rule.
func EasyRuleOf(year int) (EasyRule, error) {
	rule := EasyRule{LimitS: 1, MinRuns: 2}
	last := 0
	switch year {
	case 2008, 2015:
		return EasyRule{}, nil
	case 2019:
		last = 2018
	case 2022:
		last = 2020
	case 2026:
		last = 2024
	default:
		return rule, unknownYear(year)
	}
	for y := 2018; y <= last; y++ {
		rule.Years = append(rule.Years, y)
	}
	return rule, nil
}

// Easy reports whether the history makes a benchmark easy. One that was never run is not.
func (r EasyRule) Easy(h History) bool {
	runs := 0
	for _, y := range h {
		if y.Runs == 0 || !slices.Contains(r.Years, y.Year) {
			continue
		}
		runs += y.Runs
		quick := r.quick(y)
		switch {
		case r.AnyYear && quick && y.Runs >= r.MinRuns:
			return true
		case !r.AnyYear && !quick:
			return false
		}
	}
	return !r.AnyYear && runs > 0 && runs >= r.MinRuns
}

func (r EasyRule) quick(y YearRuns) bool {
	longest := y.MaxWallTimeS
	if r.CPU {
		longest = y.MaxCPUTimeS
	}
	return y.AllSolved && (longest < r.LimitS || r.Inclusive && longest == r.LimitS)
}

// ParseEasy sets which years must agree (all, any) and which clock counts (wall, cpu); empty leaves the rule as it is.
func (r *EasyRule) ParseEasy(years, clock string) error {
	switch years {
	case "", "all", "any":
		r.AnyYear = years == "any"
	default:
		return fmt.Errorf("unknown value %q for easy; it must be all or any", years)
	}
	switch clock {
	case "", "wall", "cpu":
		r.CPU = clock == "cpu"
	default:
		return fmt.Errorf("unknown value %q for time; it must be wall or cpu", clock)
	}
	return nil
}
