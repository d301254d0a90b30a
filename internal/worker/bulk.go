package worker

import (
	"context"
	"time"
)

// Bulk is an executor that gets all works of a stage at once, because it puts many works into each job.
type Bulk interface {
	Executor
	// ExecuteAll executes the works of an order. It returns when each has a result, or when ctx ends. Works may then
	// still be in progress, and the next call for the same stage finds them.
	ExecuteAll(ctx context.Context, o *Order) error
}

// Order is works that are executed together.
type Order struct {
	Tasks []Task        // those first that take longest
	Limit time.Duration // of the wall time of each
	// Work returns the work of a task when it is about to be passed on, or nil if it is no longer needed. Contents may
	// be left to File.Source.
	Work func(k int) (*Work, error)
	// Take stores a result. If it returns again, the work is executed once more, and has another result. An error ends
	// everything.
	Take func(k int, r *Result) (again bool, err error)
	// Hello receives the origin of results, such as a node. Optional.
	Hello func(h Hello)
	// Status receives a short text about the engine's progress, at least every few minutes.
	Status func(text string)
}

// Task holds the facts about a work before it is built.
type Task struct {
	ID       string
	Expected time.Duration // wall time
}
