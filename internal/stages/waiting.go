package stages

import "fmt"

// WaitingError reports that a stage cannot continue until another machine delivers the remaining runs.
type WaitingError struct {
	Left, Of int    // numbers of missing runs and of all runs
	Message  string // what the user should do
}

func (e *WaitingError) Error() string {
	return fmt.Sprintf("awaiting results from elsewhere: %d of %d runs have no result yet; %s", e.Left, e.Of, e.Message)
}
