package worker

// Event is an executor's observation about a node or a worker, other than the results of runs.
type Event struct {
	Node string // name of the node; empty if unknown
	Kind EventKind
	Text string // reason, in readable form
}

// EventKind is the kind of an event.
type EventKind string

// The kinds of events.
const (
	Lost     EventKind = "lost"     // a job or worker ended during runs
	NoRun    EventKind = "no_run"   // a job ended before its first run, or its worker refused
	Failed   EventKind = "failed"   // a machine failure left a run without a result
	Excluded EventKind = "excluded" // the node receives no further work
	Admitted EventKind = "admitted" // the node is no longer excluded
)

// Tell passes an event to the listener, if any.
func (o *Order) Tell(e Event) {
	if o.Event != nil {
		o.Event(e)
	}
}
