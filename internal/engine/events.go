package engine

import "time"

// Observer receives the engine's decisions and actions. It may be called concurrently and must return quickly.
type Observer interface{ Observe(Event) }

// Event is one of the types below.
type Event any

// StageStarted reports that an instance begins to execute, and why.
type StageStarted struct {
	Addr   string
	Kind   string
	Reason string
}

// StageFinished reports that an instance's outputs are available, from the store (Cached) or by execution.
type StageFinished struct {
	Addr     string
	Kind     string
	Cached   bool
	WallTime time.Duration
	Rows     int64 // rows of the first output table, or -1 if there is none
}

// StageFailed reports that an instance failed and has no outputs.
type StageFailed struct {
	Addr string
	Err  error
}

// StageSkipped reports that an instance was not attempted because a stage that it depends on failed.
type StageSkipped struct {
	Addr    string
	Because string
}

// StageWaiting reports that another process is executing the same instance.
type StageWaiting struct{ Addr string }

// RunFinished reports that every instance has its outputs, failed, or was skipped.
type RunFinished struct {
	Executed, Cached, Failed, Skipped int
	WallTime                          time.Duration
}

// StageHealing reports that content in the store was missing or damaged and is being recreated.
type StageHealing struct {
	Addr string
	Err  error
}

// StageWarned reports that an instance continues with a warning, for example that its runs are isolated less strictly
// than possible.
type StageWarned struct {
	Addr string
	Text string
}

// ItemsStarted announces a stage's number of items. Total is -1 if it is unknown.
type ItemsStarted struct {
	Addr   string
	Total  int64
	Reused int64
	Unit   string
	Bytes  bool
}

// ItemsPulled reports that n records of items came from a remote store. It precedes ItemsStarted, which counts them as
// reused.
type ItemsPulled struct {
	Addr string
	N    int64
	Unit string
}

// ItemsDone reports that n more items are done. Class groups items for display, such as sat.
type ItemsDone struct {
	Addr  string
	N     int64
	Class string
}

// WorkExpected announces the core-seconds that a stage's work will take, and the number of cores that it can use.
type WorkExpected struct {
	Addr        string
	CoreSeconds float64
	Cores       int
}

// WorkDone reports finished work by the core-seconds that it was expected to take.
type WorkDone struct {
	Addr        string
	CoreSeconds float64
}

// WorkNoted is a short note on a stage's work elsewhere. It replaces the previous note.
type WorkNoted struct {
	Addr string
	Text string
}

// ItemFailed reports that an item failed, and the cause.
type ItemFailed struct {
	Addr   string
	Item   string
	Cause  string
	Detail string
}

// Discard is an Observer that ignores everything.
type Discard struct{}

// Observe implements Observer.
func (Discard) Observe(Event) {}

// progress forwards an instance's reports to the observer.
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
