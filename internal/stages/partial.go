package stages

import "context"

// PartialAction is an Action of a fan-out whose outputs can be made from the items that are done, while others are not.
type PartialAction interface {
	// ExecutePartial sets the outputs in env from the items that have a record. It executes none and stores no record.
	ExecutePartial(ctx context.Context, env *Env) ([]Part, error)
}

// Part is how far the items of one logic are.
type Part struct {
	Track, Logic string
	Done, Total  int64
	LeftS        float64 // wall time that the items without a record are expected to take, one after another, seconds
	// Benchmarks counts those of the logic. Early are those in the early sample, and EarlyLeft counts the items on them
	// without a record.
	Benchmarks int
	Early      []string
	EarlyLeft  int64
}
