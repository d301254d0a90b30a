package worker

import (
	"context"
	"errors"
)

// About describes a work. Only executors that write files for people and other programs need it. A run never sees it.
type About struct {
	Benchmark string // place in the release
	Logic     string
	Family    string
	Status    string // sat, unsat or unknown; empty: several check-sats
	Number    int    // of the benchmark among those of the stage, from 0
	Script    int    // of the script among those of the stage, in an order that reveals nothing about the benchmarks
	Solver    string
	// Participation is the number of the participation in the submission.
	Participation int
	Track         string
}

// Batch is an executor that executes works together, or has others execute them. Its Execute accepts a work without a
// result and returns ErrWaiting immediately.
type Batch interface {
	Executor
	// Run executes the waiting works. If done, Execute now has their results. Otherwise they come from elsewhere, and
	// message says what to do.
	Run(ctx context.Context) (done bool, message string, err error)
}

// ErrWaiting matches, with errors.Is, the error of works whose results come from elsewhere.
var ErrWaiting = errors.New("results are awaited from elsewhere")
