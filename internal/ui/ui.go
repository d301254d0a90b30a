// Package ui shows the engine's progress: bars on a terminal, plain lines elsewhere, and JSON events for programs.
// Observers only display events and make no decisions.
package ui

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/engine"
)

// Observer is an engine.Observer that holds resources.
type Observer interface {
	engine.Observer
	// Close shows the remaining output.
	Close()
}

// Mode selects how to show progress.
type Mode string

// The possible modes. Auto means Bars on a terminal and Lines elsewhere.
const (
	Auto  Mode = "auto"
	Bars  Mode = "bars"
	Lines Mode = "lines"
	JSON  Mode = "json"
	None  Mode = "none"
)

// New returns the observer for a mode. It writes to w.
func New(mode Mode, w io.Writer) (Observer, error) {
	if mode == Auto {
		mode = Lines
		if IsTerminal(w) {
			mode = Bars
		}
	}
	switch mode {
	case Bars:
		return newBars(w), nil
	case Lines:
		return &lines{w: w, told: told{}}, nil
	case JSON:
		return &events{enc: json.NewEncoder(w)}, nil
	case None:
		return silent{}, nil
	}
	return nil, fmt.Errorf("unknown progress mode %q; it must be auto, bars, lines, json or none", mode)
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	return term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" // /dev/null is also a device, but not a terminal
}

type silent struct{ engine.Discard }

func (silent) Close() {}

// itemState is the state of a stage's items.
type itemState struct {
	unit     string
	bytes    bool
	total    int64
	done     int64
	reused   int64 // number of finished items that were known before
	classes  map[string]int64
	failures map[string]*failure
	began    time.Time
	shown    time.Time
	work     *work // nil: progress is measured by the number of items
	note     string
}

// failure is a group of items that failed for the same reason.
type failure struct {
	count       int64
	item        string // first of the items
	firstDetail string
}

func newItemState(e engine.ItemsStarted) *itemState {
	return &itemState{
		unit: e.Unit, bytes: e.Bytes, total: e.Total, done: e.Reused, reused: e.Reused,
		classes: map[string]int64{}, failures: map[string]*failure{}, began: time.Now(), shown: time.Now(),
	}
}

func (s *itemState) add(n int64, class string) {
	s.done += n
	if class != "" {
		s.classes[class] += n
	}
}

func (s *itemState) fail(e engine.ItemFailed) {
	s.done++
	f := s.failures[e.Cause]
	if f == nil {
		f = &failure{item: e.Item, firstDetail: e.Detail}
		s.failures[e.Cause] = f
	}
	f.count++
}

// counts formats the number of items per class in a fixed order, such as "12 sat, 3 unsat, 1 failed".
func (s *itemState) counts() string {
	var parts []string
	for _, n := range slices.Sorted(maps.Keys(s.classes)) {
		parts = append(parts, fmt.Sprintf("%d %s", s.classes[n], n))
	}
	var failed int64
	for _, f := range s.failures {
		failed += f.count
	}
	if failed > 0 {
		parts = append(parts, fmt.Sprintf("%d failed", failed))
	}
	return strings.Join(parts, ", ")
}

// failureLines returns the reasons for failures, most frequent first.
func (s *itemState) failureLines(addr string) []string {
	if s == nil {
		return nil
	}
	causes := slices.SortedFunc(maps.Keys(s.failures), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.failures[b].count, s.failures[a].count), strings.Compare(a, b))
	})
	var all []string
	for _, c := range causes {
		f := s.failures[c]
		line := fmt.Sprintf("  %d × %s, as %s::%s", f.count, c, addr, f.item)
		if f.firstDetail != "" {
			line += ": " + f.firstDetail
		}
		all = append(all, words.Inert(line))
	}
	return all
}

// finished returns a stage's outcome in one line.
func finished(e engine.StageFinished, s *itemState) string {
	what := "done in " + roundDuration(e.WallTime)
	if e.Cached {
		what = "cached"
	}
	line := fmt.Sprintf("%s: %s", e.Addr, what)
	if e.Rows >= 0 {
		line += fmt.Sprintf(", %d rows", e.Rows)
	}
	if s != nil && !e.Cached {
		if c := s.counts(); c != "" {
			line += " (" + c + ")"
		}
	}
	return line
}

func roundDuration(d time.Duration) string {
	switch {
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// told holds the state of each stage's items, according to the events so far.
type told map[string]*itemState

// take processes the next event and returns the lines to print immediately, with a mark for terminals. The mark is
// empty for events that bars show.
func (t told) take(ev engine.Event) (mark string, lines []string) {
	line := func(format string, args ...any) []string { return []string{fmt.Sprintf(format, args...)} }
	switch e := ev.(type) {
	case engine.StageStarted:
		return "▸", line("%s: executing, %s", e.Addr, e.Reason)
	case engine.StageFinished:
		return "✓", append(line("%s", finished(e, t[e.Addr])), t[e.Addr].failureLines(e.Addr)...)
	case engine.StageFailed:
		return "✗", append(line("%s: failed", e.Addr), t[e.Addr].failureLines(e.Addr)...)
	case engine.StageSkipped:
		return "-", line("%s: skipped, %s", e.Addr, e.Because)
	case engine.StageWaiting:
		return "·", line("%s: waiting for another process that executes it", e.Addr)
	case engine.StageHealing:
		return "!", line("%s: making content of the store again: %v", e.Addr, e.Err)
	case engine.StageWarned:
		return "!", line("%s: warning: %s", e.Addr, e.Text)
	case engine.ItemsPulled:
		return "·", line("%s: %d %s came from the remote store", e.Addr, e.N, e.Unit)
	case engine.ItemsStarted:
		t[e.Addr] = newItemState(e)
		if e.Reused > 0 && e.Unit != "" {
			return "", line("%s: %d of %d %s are known already", e.Addr, e.Reused, e.Total, e.Unit)
		}
	case engine.WorkExpected:
		if s := t[e.Addr]; s != nil {
			s.work = newWork(e)
			return "", line("%s: %s of work are expected, on %d cores", e.Addr, coreTime(e.CoreSeconds), e.Cores)
		}
	case engine.WorkDone:
		if s := t[e.Addr]; s != nil && s.work != nil {
			s.work.add(e.CoreSeconds)
		}
	case engine.WorkNoted:
		if s := t[e.Addr]; s != nil {
			s.note = e.Text
		}
	case engine.ItemsDone:
		if s := t[e.Addr]; s != nil {
			s.add(e.N, e.Class)
		}
	case engine.ItemFailed:
		if s := t[e.Addr]; s != nil {
			s.fail(e)
		}
	}
	return "", nil
}

// lines writes plain lines when stages begin and end, and their progress every ten seconds.
type lines struct {
	told
	mu sync.Mutex
	w  io.Writer
}

const linePause = 10 * time.Second

// Observe implements engine.Observer.
func (l *lines) Observe(ev engine.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, told := l.take(ev)
	for _, line := range told {
		fmt.Fprintln(l.w, line)
	}
	switch e := ev.(type) {
	case engine.WorkNoted:
		l.progress(e.Addr)
	case engine.ItemsDone:
		l.progress(e.Addr)
	case engine.ItemFailed:
		l.progress(e.Addr)
	}
}

func (l *lines) progress(addr string) {
	s := l.told[addr]
	if s == nil || time.Since(s.shown) < linePause {
		return
	}
	s.shown = time.Now()
	counts := s.counts()
	if counts != "" {
		counts = " (" + counts + ")"
	}
	eta := s.eta(time.Since(s.began))
	if eta != "" {
		eta = ", " + eta
	}
	note := ""
	if s.note != "" {
		note = "; " + s.note
	}
	of := ""
	if s.total >= 0 {
		of = fmt.Sprintf(" of %d", s.total)
	}
	fmt.Fprintf(l.w, "%s: %d%s %s%s%s%s\n", addr, s.done, of, s.unit, counts, eta, note)
}

// Close implements Observer.
func (l *lines) Close() {}
