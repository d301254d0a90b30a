package stages

import "context"

// PartialAction is an Action of a fan-out whose outputs can be produced from the finished items while others are
// missing.
type PartialAction interface {
	// ExecutePartial sets the outputs in env from the items that have a record. It executes no item and stores no
	// record.
	ExecutePartial(ctx context.Context, env *Env) ([]Part, error)
}

// Foreseer is an Action that knows part of its outputs before it executes, from what the store has.
type Foreseer interface {
	// Foresee sets the outputs in env without the rows that an execution would have to compute or fetch. It does no
	// work and stores nothing but its outputs.
	Foresee(ctx context.Context, env *Env) error
}

// Part is the progress of the items of one logic.
type Part struct {
	Track, Logic string
	Done, Total  int64
	LeftS        float64 // expected wall time of the items without a record, one after another, in seconds
	// Benchmarks counts the logic's benchmarks. Early counts those in the early sample, and EarlyLeft the items on the
	// latter without a record.
	Benchmarks int
	Early      []string
	EarlyLeft  int64
}
