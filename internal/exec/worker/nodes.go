package worker

// Event is something that an executor noticed about a node or one of its workers, beside the results of runs.
type Event struct {
	Node string // empty: not known
	Kind EventKind
	Text string // the reason, for people
}

// EventKind is what happened.
type EventKind string

// The kinds of events.
const (
	Lost     EventKind = "lost"     // a job or a worker ended in the middle of runs
	NoRun    EventKind = "no_run"   // a job ended before its first run, or its worker refused
	Failed   EventKind = "failed"   // the machine failed, and a run has no result from it
	Excluded EventKind = "excluded" // nothing more is executed there
	Admitted EventKind = "admitted" // it is no longer excluded
)

// Tell passes an event on to whoever listens.
func (o *Order) Tell(e Event) {
	if o.Event != nil {
		o.Event(e)
	}
}
