package stages

import (
	"context"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// Comparer is an Action that can tell how the results of another of its kind differ from its own, and why.
type Comparer interface {
	// Compare lists what differs, from this action's results to the other's.
	Compare(ctx context.Context, store *cache.Store, other Action) ([]Difference, error)
}

// Difference is one figure that differs.
type Difference struct {
	What     string   `json:"what"` // such as single_query/QF_BV/par/cvc5/rank
	From     string   `json:"from"`
	To       string   `json:"to"`
	Causes   []string `json:"causes,omitempty"`   // causes of the difference, if known: any of them alone
	Together bool     `json:"together,omitempty"` // only all of them together
}
