package stages

import (
	"context"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// Comparer is an Action that can say how and why the results of another action of its kind differ from its own.
type Comparer interface {
	// Compare lists the differences from this action's results to the other's.
	Compare(ctx context.Context, store *cache.Store, other Action) ([]Difference, error)
}

// Difference is one figure that differs.
type Difference struct {
	What     string   `json:"what"` // such as single_query/QF_BV/par/cvc5/rank
	From     string   `json:"from"`
	To       string   `json:"to"`
	Causes   []string `json:"causes,omitempty"`   // causes of the difference, if known: each is sufficient
	Together bool     `json:"together,omitempty"` // only all causes together are sufficient
}
