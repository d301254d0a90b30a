package stages

import (
	"context"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/diff"
)

// Comparer is an Action that can explain how and why its results differ from those of another action of the same kind.
type Comparer interface {
	// Compare lists the differences from this action's results to the other's.
	Compare(ctx context.Context, store *cache.Store, other Action) ([]diff.Difference, error)
}
