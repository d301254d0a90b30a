package engine

import "time"

// Observer receives the engine's decisions and actions. It may be called from many goroutines and must be fast.
type Observer interface{ Observe(Event) }

// Event is one of the types below.
type Event any

// StageStarted says that an instance begins to execute, and why.
type StageStarted struct {
	Addr   string
	Kind   string
	Reason string
}

// StageFinished says that an instance has its outputs, from the store (Cached) or by execution.
type StageFinished struct {
	Addr     string
	Kind     string
	Cached   bool
	WallTime time.Duration
	Rows     int64 // of its first table; -1: it has none
}

// StageFailed says that an instance has no outputs.
type StageFailed struct {
	Addr string
	Err  error
}

// StageSkipped says that an instance was not attempted, because a stage that it needs failed.
type StageSkipped struct {
	Addr    string
	Because string
}

// StageWaiting says that another process executes the same instance.
type StageWaiting struct{ Addr string }

// RunFinished says that every instance has its outputs, failed, or was skipped.
type RunFinished struct {
	Executed, Cached, Failed, Skipped int
	WallTime                          time.Duration
}

// StageHealing says that content in the store was missing or damaged, and is recreated.
type StageHealing struct {
	Addr string
	Err  error
}

// StageWarned says that an instance continues with a warning, such as about runs with weaker isolation than possible.
type StageWarned struct {
	Addr string
	Text string
}

// ItemsStarted announces the number of a stage's items. Total is -1 if it is not known.
type ItemsStarted struct {
	Addr   string
	Total  int64
	Reused int64
	Unit   string
	Bytes  bool
}

// ItemsPulled says that a remote store had the records of n items. It comes before ItemsStarted, which counts them as
// reused.
type ItemsPulled struct {
	Addr string
	N    int64
	Unit string
}

// ItemsDone says that n more items are done. Class groups them for display, such as sat.
type ItemsDone struct {
	Addr  string
	N     int64
	Class string
}

// WorkExpected says that the work of a stage will take the given core-seconds, on at most the given number of cores.
type WorkExpected struct {
	Addr        string
	CoreSeconds float64
	Cores       int
}

// WorkDone reports finished work that was expected to take the given core-seconds.
type WorkDone struct {
	Addr        string
	CoreSeconds float64
}

// WorkNoted is a short note on what happens elsewhere for a stage. It replaces the previous note.
type WorkNoted struct {
	Addr string
	Text string
}

// ItemFailed says that one item is done and failed, with a cause.
type ItemFailed struct {
	Addr   string
	Item   string
	Cause  string
	Detail string
}

// Discard is an Observer that ignores everything.
type Discard struct{}

// Observe does nothing.
func (Discard) Observe(Event) {}

// progress passes the reports of one instance to the observer.
type progress struct {
	addr     string
	observer Observer
}

func (p progress) Start(total int64, unit string, bytes bool) {
	p.observer.Observe(ItemsStarted{Addr: p.addr, Total: total, Unit: unit, Bytes: bytes})
}

func (p progress) Add(n int64, class string) {
	p.observer.Observe(ItemsDone{Addr: p.addr, N: n, Class: class})
}

func (p progress) Fail(item, cause, detail string) {
	p.observer.Observe(ItemFailed{Addr: p.addr, Item: item, Cause: cause, Detail: detail})
}

func (p progress) Expect(coreSeconds float64, cores int) {
	p.observer.Observe(WorkExpected{Addr: p.addr, CoreSeconds: coreSeconds, Cores: cores})
}

func (p progress) Worked(coreSeconds float64) {
	p.observer.Observe(WorkDone{Addr: p.addr, CoreSeconds: coreSeconds})
}

func (p progress) Note(text string) {
	p.observer.Observe(WorkNoted{Addr: p.addr, Text: text})
}
