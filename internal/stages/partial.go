package stages

import "context"

// PartialAction is an Action of a fan-out whose outputs can be made from the items that are done, while others are not.
type PartialAction interface {
	// ExecutePartial sets the outputs in env from the items that have a record. It executes none and stores no record.
	// done of total items have one; none is done if the stage has not begun.
	ExecutePartial(ctx context.Context, env *Env) (done, total int64, err error)
}
