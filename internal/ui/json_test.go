package ui

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/engine"
)

// TestEventsAreDocumented checks that docs/run/events.md documents exactly the events with their fields.
func TestEventsAreDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/run/events.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|(.*)$").FindAllStringSubmatch(string(page), -1) {
		rows[m[1]] = m[2]
	}
	const addr = "stage.execute.main"
	for _, ev := range []engine.Event{
		engine.StageStarted{Addr: addr, Kind: "execute", Reason: "new"},
		engine.StageFinished{Addr: addr, Kind: "execute", Cached: true, WallTime: time.Second, Rows: 3},
		engine.StageFailed{Addr: addr, Err: errors.New("x")},
		engine.StageSkipped{Addr: addr, Because: "x"},
		engine.StageWaiting{Addr: addr},
		engine.StageHealing{Addr: addr, Err: errors.New("x")},
		engine.StageWarned{Addr: addr, Text: "x"},
		engine.RunFinished{Executed: 1, WallTime: time.Second},
		engine.ItemsPulled{Addr: addr, N: 1, Unit: "runs"},
		engine.ItemsStarted{Addr: addr, Total: 3, Reused: 1, Bytes: true},
		engine.WorkExpected{Addr: addr, CoreSeconds: 3, Cores: 2},
		engine.WorkNoted{Addr: addr, Text: "jobs: 1 queued, 2 running, 0 done"},
		engine.ItemFailed{Addr: addr, Item: "x", Cause: "x", Detail: "x"},
		// in one batch
		[]engine.Event{engine.WorkDone{Addr: addr, CoreSeconds: 2}, engine.ItemsDone{Addr: addr, N: 1, Class: "sat"}},
	} {
		var out strings.Builder
		o := &events{enc: json.NewEncoder(&out)}
		if many, ok := ev.([]engine.Event); ok {
			for _, one := range many {
				o.Observe(one)
			}
		} else {
			o.Observe(ev)
		}
		o.Close()
		var fields map[string]any
		if err := json.Unmarshal([]byte(out.String()), &fields); err != nil {
			t.Fatalf("%T: %v: %s", ev, err, out.String())
		}
		name, _ := fields["event"].(string)
		row, ok := rows[name]
		if !ok {
			t.Errorf("docs/run/events.md has no event %q", name)
		}
		delete(rows, name)
		for field := range fields {
			if field != "time" && field != "event" && field != "address" && !strings.Contains(row, "`"+field+"`") {
				t.Errorf("docs/run/events.md does not have the field %q of %s", field, name)
			}
		}
	}
	for name := range rows {
		t.Errorf("docs/run/events.md has the event %q, which there is not", name)
	}
}
