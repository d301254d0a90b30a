package score

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strconv"
)

// Cell is a sum of benchmark scores: one solver's, in one view, over a division or logic.
type Cell struct {
	Errors  int64 // e
	Correct int64 // n
	Wall    Sum   // w
	CPU     Sum   // c
	// ActualWall and ActualCPU are used by the 2026 rules.
	ActualWall, ActualCPU Sum // aw, ac
	// Points and CorrectCPU are used by the 2008 rules.
	Points     int64
	CorrectCPU Sum // CPU time of the runs with n > 0

	Runs    int64 // all of the solver's runs, counted by the view or not
	Kept    int64 // runs on benchmarks that were not removed
	Entered int64 // logics that the solver entered without a run
	Counted int64 // runs that the view counts
	InView  int64 // runs on benchmarks that the view counts
	Checks  int64 // check-sats or assertions in its runs' benchmarks
	// Missing is the number of the view's benchmarks without a run, in logics that the solver entered (with
	// missing_runs_count).
	Missing         int64
	Solved          int64 // runs with n > 0
	Decided         int64 // runs whose sat or unsat answer counts
	DecidedSat      int64
	SolvedSat       int64 // runs with n > 0 and the answer sat
	SolvedUnsat     int64
	Timeouts        int64
	Memouts         int64
	CountedTimeouts int64
	CountedMemouts  int64
}

// plus adds the cell of another logic in the division.
func (c *Cell) plus(o *Cell) {
	c.Errors += o.Errors
	c.Correct += o.Correct
	c.Wall = c.Wall.Plus(o.Wall)
	c.CPU = c.CPU.Plus(o.CPU)
	c.ActualWall = c.ActualWall.Plus(o.ActualWall)
	c.ActualCPU = c.ActualCPU.Plus(o.ActualCPU)
	c.Points += o.Points
	c.CorrectCPU = c.CorrectCPU.Plus(o.CorrectCPU)
	c.Runs += o.Runs
	c.Kept += o.Kept
	c.Entered += o.Entered
	c.Counted += o.Counted
	c.InView += o.InView
	c.Checks += o.Checks
	c.Missing += o.Missing
	c.Solved += o.Solved
	c.Decided += o.Decided
	c.DecidedSat += o.DecidedSat
	c.SolvedSat += o.SolvedSat
	c.SolvedUnsat += o.SolvedUnsat
	c.Timeouts += o.Timeouts
	c.Memouts += o.Memouts
	c.CountedTimeouts += o.CountedTimeouts
	c.CountedMemouts += o.CountedMemouts
}

// compareAvgCPU compares the average CPU times of correct answers. A solver without correct answers ranks last (A02).
func (c *Cell) compareAvgCPU(o *Cell) int {
	switch {
	case c.Solved == 0 || o.Solved == 0:
		return cmp.Compare(min(o.Solved, 1), min(c.Solved, 1))
	}
	left := new(big.Int).Mul(c.CorrectCPU.big(), big.NewInt(o.Solved))
	right := new(big.Int).Mul(o.CorrectCPU.big(), big.NewInt(c.Solved))
	return left.Cmp(right)
}

// compare compares two cells by a view's order. The result is negative if c is better.
func (c *Cell) compare(o *Cell, order []Key) int {
	for _, k := range order {
		var by int
		switch k.Column {
		case "e":
			by = cmp.Compare(c.Errors, o.Errors)
		case "n":
			by = cmp.Compare(c.Correct, o.Correct)
		case "w":
			by = c.Wall.Compare(o.Wall)
		case "c":
			by = c.CPU.Compare(o.CPU)
		case "aw":
			by = c.ActualWall.Compare(o.ActualWall)
		case "ac":
			by = c.ActualCPU.Compare(o.ActualCPU)
		case "points":
			by = cmp.Compare(c.Points, o.Points)
		case "avg_cpu":
			by = c.compareAvgCPU(o)
		}
		if k.Desc {
			by = -by
		}
		if by != 0 {
			return by
		}
	}
	return 0
}

// listed reports whether the solver entered any of the cell's logics.
func (c *Cell) listed() bool { return c.Runs+c.Entered > 0 }

// Entry is a place in a ranking.
type Entry struct {
	Solver      string
	ID          string // as in Row.SolverID
	Rank        int    // 1 + the number of strictly better solvers; 0: unranked
	Competitive bool
	Eligible    bool   // whether it can win
	Barred      string // brief reason why a competitive solver cannot win
	// Refused means that the solver is not admitted, for example because its base solver is missing, and is therefore
	// not competitive.
	Refused  bool
	Excluded string // reason why a disqualified solver is unranked (2008)
	Cell     Cell

	solver int32
}

// competes reports whether the entry belongs to a competitive solver.
func (x *Entry) competes() bool { return x.Competitive && !x.Refused && x.Excluded == "" }

// rank sets the entries' ranks and sorts them, best first. Ties are sorted by name, or by number with byID. Excluded
// entries come last.
func rank(entries []Entry, order []Key, byID bool) {
	slices.SortFunc(entries, func(a, b Entry) int {
		by := cmp.Or(cmp.Compare(min(len(a.Excluded), 1), min(len(b.Excluded), 1)), a.Cell.compare(&b.Cell, order))
		if by == 0 && byID {
			by = cmp.Or(cmp.Compare(len(a.ID), len(b.ID)), cmp.Compare(a.ID, b.ID))
		}
		return cmp.Or(by, cmp.Compare(a.Solver, b.Solver), cmp.Compare(a.ID, b.ID))
	})
	for i := range entries {
		switch {
		case entries[i].Excluded != "":
			entries[i].Rank = 0
		case i > 0 && entries[i].Cell.compare(&entries[i-1].Cell, order) == 0:
			entries[i].Rank = entries[i-1].Rank
		default:
			entries[i].Rank = i + 1
		}
	}
}

// Text formats a column of an order for display: a number, or seconds.
func (c *Cell) Text(column string) string {
	switch column {
	case "avg_cpu":
		if avg := c.AverageCPU(); avg != nil {
			return strconv.FormatFloat(*avg, 'f', 3, 64) + " s"
		}
		return "none"
	case "w", "c", "aw", "ac":
		return fmt.Sprintf("%.3f s", float64(c.column(column))/1e9)
	}
	return strconv.FormatInt(c.column(column), 10)
}

// AverageCPU returns the average CPU time of the runs with a correct answer, in seconds, or nil if no answer is
// correct.
func (c *Cell) AverageCPU() *float64 {
	if c.Solved == 0 {
		return nil
	}
	f, _ := new(big.Rat).Quo(c.CorrectCPU.rat(), new(big.Rat).SetInt64(c.Solved)).Float64()
	return &f
}
