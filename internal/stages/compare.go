package stages

import (
	"context"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// Comparer is an Action that can explain how and why its results differ from those of another action of the same kind.
type Comparer interface {
	// Compare lists the differences from this action's results to the other's.
	Compare(ctx context.Context, store *cache.Store, other Action) ([]Difference, error)
}

// Difference is a figure that differs.
type Difference struct {
	What     string   `json:"what"` // such as single_query/QF_BV/par/cvc5/rank
	From     string   `json:"from"`
	To       string   `json:"to"`
	Causes   []string `json:"causes,omitempty"`   // known causes of the difference, each of which is sufficient
	Together bool     `json:"together,omitempty"` // only all causes together explain the difference
}
