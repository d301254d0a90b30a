package stages

import "context"

// PartialAction is an Action of a fan-out that can produce its outputs from the finished items while others are
// missing.
type PartialAction interface {
	// ExecutePartial sets the outputs in env from the items with a record. It executes no item and stores no record.
	ExecutePartial(ctx context.Context, env *Env) ([]Part, error)
}

// Foreseer is an Action that knows part of its outputs before it executes, from the store's content.
type Foreseer interface {
	// Foresee sets the outputs in env, omitting the rows that an execution would have to compute or fetch. It does no
	// work and stores nothing except its outputs.
	Foresee(ctx context.Context, env *Env) error
}

// Part is the progress of one logic's items.
type Part struct {
	Track, Logic string
	Done, Total  int64
	LeftS        float64 // total expected wall time of the items without a record, in seconds
	// Benchmarks is the number of the logic's benchmarks, Early the number of those in the early sample, and EarlyLeft
	// the number of items without a record on the early benchmarks.
	Benchmarks int
	Early      []string
	EarlyLeft  int64
}
