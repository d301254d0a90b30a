package stages

import "fmt"

// WaitingError reports that a stage has everything that it can have so far: the rest comes from elsewhere.
type WaitingError struct {
	Left, Of int    // runs
	Message  string // what to do
}

func (e *WaitingError) Error() string {
	return fmt.Sprintf("results are awaited from elsewhere: %d of %d runs have no result yet; %s", e.Left, e.Of, e.Message)
}
