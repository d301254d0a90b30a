package ui

import "github.com/smtpipe/smtpipe/internal/engine"

// QuietHits hides stages found in the store, because the summary counts them.
type QuietHits struct{ Observer }

// Observe implements engine.Observer.
func (q QuietHits) Observe(ev engine.Event) {
	if e, ok := ev.(engine.StageFinished); ok && e.Cached {
		return
	}
	q.Observer.Observe(ev)
}
