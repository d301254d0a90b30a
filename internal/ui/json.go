package ui

import (
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/smtpipe/smtpipe/internal/engine"
)

// events writes one JSON object per line. It batches item events for a tenth of a second; otherwise a million runs
// would become a million lines.
type events struct {
	mu      sync.Mutex
	enc     *json.Encoder
	pending map[string]map[string]int64 // number of items by address and class
	worked  map[string]float64          // expected core-seconds of finished work, by address
	flushed time.Time
}

// event is the format of all events. Absent fields are omitted.
type event struct {
	Time     time.Time        `json:"time"`
	Event    string           `json:"event"`
	Address  string           `json:"address,omitempty"`
	Kind     string           `json:"kind,omitempty"`
	Reason   string           `json:"reason,omitempty"`
	Cached   bool             `json:"cached,omitempty"`
	WallTime float64          `json:"wall_time_s,omitempty"`
	Rows     *int64           `json:"rows,omitempty"`
	Total    *int64           `json:"total,omitempty"`
	Reused   int64            `json:"reused,omitempty"`
	Unit     string           `json:"unit,omitempty"`
	Done     map[string]int64 `json:"done,omitempty"`
	CoreS    float64          `json:"expected_core_s,omitempty"`
	Cores    int              `json:"cores,omitempty"`
	Item     string           `json:"item,omitempty"`
	Cause    string           `json:"cause,omitempty"`
	Detail   string           `json:"detail,omitempty"`
	Error    string           `json:"error,omitempty"`
	Executed *int             `json:"executed,omitempty"`
	Found    *int             `json:"found,omitempty"`
	Failed   *int             `json:"failed,omitempty"`
	Skipped  *int             `json:"skipped,omitempty"`
}

const eventPause = 100 * time.Millisecond

// Observe implements engine.Observer.
func (j *events) Observe(ev engine.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if e, ok := ev.(engine.ItemsDone); ok {
		if j.pending == nil {
			j.pending = map[string]map[string]int64{}
		}
		if j.pending[e.Addr] == nil {
			j.pending[e.Addr] = map[string]int64{}
		}
		class := e.Class
		if class == "" {
			class = "done"
		}
		j.pending[e.Addr][class] += e.N
		if time.Since(j.flushed) >= eventPause {
			j.flush()
		}
		return
	}
	if e, ok := ev.(engine.WorkDone); ok {
		if j.worked == nil {
			j.worked = map[string]float64{}
		}
		j.worked[e.Addr] += e.CoreSeconds
		return
	}
	j.flush()
	j.enc.Encode(toEvent(ev))
}

func (j *events) flush() {
	for _, addr := range slices.Sorted(maps.Keys(j.pending)) {
		j.enc.Encode(event{Time: time.Now().UTC(), Event: "items_done", Address: addr, Done: j.pending[addr],
			CoreS: j.worked[addr]})
		delete(j.worked, addr)
	}
	j.pending, j.flushed = nil, time.Now()
}

// Close implements Observer.
func (j *events) Close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flush()
}

func toEvent(ev engine.Event) event {
	out := event{Time: time.Now().UTC()}
	switch e := ev.(type) {
	case engine.StageStarted:
		out.Event, out.Address, out.Kind, out.Reason = "stage_started", e.Addr, e.Kind, e.Reason
	case engine.StageFinished:
		out.Event, out.Address, out.Kind, out.Cached, out.WallTime = "stage_finished", e.Addr, e.Kind, e.Cached,
			e.WallTime.Seconds()
		if e.Rows >= 0 {
			out.Rows = &e.Rows
		}
	case engine.StageFailed:
		out.Event, out.Address = "stage_failed", e.Addr
		if e.Err != nil {
			out.Error = e.Err.Error()
		}
	case engine.StageSkipped:
		out.Event, out.Address, out.Reason = "stage_skipped", e.Addr, e.Because
	case engine.StageWaiting:
		out.Event, out.Address = "stage_waiting", e.Addr
	case engine.RunFinished:
		out.Event, out.WallTime = "run_finished", e.WallTime.Seconds()
		out.Executed, out.Found, out.Failed, out.Skipped = &e.Executed, &e.Cached, &e.Failed, &e.Skipped
	case engine.StageHealing:
		out.Event, out.Address, out.Error = "stage_healing", e.Addr, e.Err.Error()
	case engine.StageWarned:
		out.Event, out.Address, out.Detail = "stage_warned", e.Addr, e.Text
	case engine.WorkExpected:
		out.Event, out.Address, out.CoreS, out.Cores = "work_expected", e.Addr, e.CoreSeconds, e.Cores
	case engine.WorkNoted:
		out.Event, out.Address, out.Detail = "work_noted", e.Addr, e.Text
	case engine.ItemsPulled:
		out.Event, out.Address, out.Total, out.Unit = "items_pulled", e.Addr, &e.N, e.Unit
	case engine.ItemsStarted:
		out.Event, out.Address, out.Total, out.Reused, out.Unit = "items_started", e.Addr, &e.Total, e.Reused, e.Unit
		if e.Bytes {
			out.Unit = "bytes"
		}
	case engine.ItemFailed:
		out.Event, out.Address, out.Item, out.Cause, out.Detail = "item_failed", e.Addr, e.Item, e.Cause, e.Detail
	}
	return out
}
