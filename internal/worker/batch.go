package worker

import (
	"context"
	"errors"
)

// About says what a work is about. Only executors that write files for people and other programs need it; a run never
// sees it.
type About struct {
	Benchmark string // place in the release
	Logic     string
	Family    string
	Status    string // sat, unsat or unknown; empty: of several check-sats
	Number    int    // of the benchmark among those of the stage, from 0
	Script    int    // of the script among those of the stage, in an order that tells nothing of the benchmarks
	Solver    string
	// Participation is the number of the participation in the submission.
	Participation int
	Track         string
}

// Batch is an executor that executes works together, or has others execute them. Its Execute takes a work that has no
// result yet and gives ErrWaiting at once.
type Batch interface {
	Executor
	// Run executes the works that wait. With done, Execute has their results now; else they come from elsewhere, and
	// message says what is to be done.
	Run(ctx context.Context) (done bool, message string, err error)
}

// ErrWaiting is what errors.Is finds in the error of works whose results come from elsewhere.
var ErrWaiting = errors.New("results are awaited from elsewhere")
