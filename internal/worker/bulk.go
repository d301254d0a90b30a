package worker

import (
	"context"
	"time"
)

// Bulk is an executor that is given all works of a stage at once, because it makes jobs of many works each.
type Bulk interface {
	Executor
	// ExecuteAll executes the works of an order. It returns when each has a result, or when ctx ends; works may be
	// going on then, and the next call for the same stage finds them.
	ExecuteAll(ctx context.Context, o *Order) error
}

// Order is works that are executed together.
type Order struct {
	Tasks []Task        // those first that take longest
	Limit time.Duration // of the wall time of each
	// Work makes the work of a task when it is to be handed on; nil: it is not wanted any more. Contents may be left to
	// File.Source.
	Work func(k int) (*Work, error)
	// Take stores a result. If it says again, the work is executed once more, and has another result. An error ends
	// all.
	Take func(k int, r *Result) (again bool, err error)
	// Status is told in a few words how far the engine is, at least every few minutes.
	Status func(text string)
}

// Task is what is known of a work before it is made.
type Task struct {
	ID       string
	Expected time.Duration // wall time
}
