package worker

// Event is something that an executor noticed about a node or a worker, apart from the results of runs.
type Event struct {
	Node string // empty: unknown
	Kind EventKind
	Text string // the reason, in readable form
}

// EventKind is what happened.
type EventKind string

// The kinds of events.
const (
	Lost     EventKind = "lost"     // a job or a worker ended during runs
	NoRun    EventKind = "no_run"   // a job ended before its first run, or its worker refused
	Failed   EventKind = "failed"   // the machine failed, so that a run has no result from it
	Excluded EventKind = "excluded" // nothing more is executed there
	Admitted EventKind = "admitted" // it is no longer excluded
)

// Tell passes an event to the listener, if any.
func (o *Order) Tell(e Event) {
	if o.Event != nil {
		o.Event(e)
	}
}
