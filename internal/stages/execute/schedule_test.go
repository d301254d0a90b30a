package execute_test

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// stubHost replaces this machine's executor. Without waiting, it reports that a run took the seconds that follow ";" in
// its script.
type stubHost struct {
	mu    sync.Mutex
	order []string // script and solver of each run, in the order in which the runs began
	named func(script string) string
	began time.Time
	first time.Duration // time from began to the first run
}

func (h *stubHost) Execute(ctx context.Context, o *worker.Order) error {
	return worker.Spread(ctx, o, 1, worker.OneByOne(h.run))
}

func (h *stubHost) run(_ context.Context, w *worker.Work) (*worker.Result, error) {
	script := string(w.Inputs[0].Content)
	_, text, _ := strings.Cut(script, ";")
	seconds, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.first == 0 {
		h.first = time.Since(h.began)
	}
	if h.named != nil {
		h.order = append(h.order, h.named(script)+"@"+filepath.Base(w.Command[0]))
	}
	return &worker.Result{ID: w.ID, Record: &runner.Record{
		Measured: run.Measured{Ending: comp.Exited, Usage: run.Usage{WallTimeS: run.Seconds(seconds)}},
		Lines:    []runner.Line{{Text: "sat"}},
	}}, err
}

func (h *stubHost) Hello() worker.Hello { return worker.Hello{Slots: 1, Isolation: runner.Full} }
func (h *stubHost) Close() error        { return nil }

// occupy returns a machine on which h executes runs of the given class.
func occupy(t *testing.T, class string, h *stubHost) *stages.Machine {
	t.Helper()
	m := &stages.Machine{}
	_, leave, err := m.Enter(t.Context(), class, func() (io.Closer, error) { return h, nil })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { leave() })
	return m
}

// TestLongestFirst checks that a stage without known times executes its runs in table order. A second attempt executes
// the longest runs first, and expects a run without a known time to take its solver's mean. Both produce the same
// results.
func TestLongestFirst(t *testing.T) {
	l := newLab(t, map[string]string{"x": "#!/bin/sh\n", "y": "#!/bin/sh\n:\n"})
	h := &stubHost{named: func(script string) string {
		_, text, _ := strings.Cut(script, ";")
		return strings.TrimSpace(text)
	}}
	l.machine = occupy(t, "local best_effort 1 jobs 1 cores 500000000 bytes", h)
	texts := func(seconds ...string) string {
		var b strings.Builder
		for i, s := range seconds {
			fmt.Fprintf(&b, "%q = %q\n", fmt.Sprintf("QF_UF/%c.smt2", 'a'+i), "(check-sat) ; "+s)
		}
		return fmt.Sprintf(`
stage "texts" "x" {
  scripts = {
    %s
  }
}
stage "execute" "x" {
  scripts  = stage.texts.x.scripts
  solvers  = solver
  track    = "single_query"
  executor = executor.local.here
  limits {
    wall_time = "20s"
    memory    = "500MB"
  }
}
`, b.String())
	}
	steps := []struct {
		name     string
		pipeline string
		fresh    []string
		want     []string
	}{
		{"nothing is known", solverBlocks("x", "y") + texts("3", "9", "5"), nil, []string{"3@x", "3@y", "9@x", "9@y",
			"5@x", "5@y"}},
		{"a second attempt", solverBlocks("x", "y") + texts("3", "9", "5"), []string{"stage.execute.x"},
			[]string{"9@x", "9@y", "5@x", "5@y", "3@x", "3@y"}},
		// Another seed produces different scripts for the same benchmarks. The new benchmark d is expected to take the
		// mean of 3, 9 and 5.
		{"other scripts, and one benchmark more", solverBlocks("x") + texts("1", "2", "4", "8"), nil,
			[]string{"2@x", "8@x", "4@x", "1@x"}},
		{"what it took last counts", solverBlocks("x") + texts("1", "2", "4", "8"), []string{"stage.execute.x"},
			[]string{"8@x", "4@x", "2@x", "1@x"}},
	}
	for _, s := range steps {
		h.order = nil
		rows, _, err := l.runWith(t.Context(), t, s.pipeline, s.fresh)
		if err != nil {
			t.Fatalf("%s: %v", s.name, err)
		}
		if diff := cmp.Diff(s.want, h.order); diff != "" {
			t.Errorf("%s: order of runs (-want +got)\n%s", s.name, diff)
		}
		var table []string
		for _, r := range rows {
			table = append(table, fmt.Sprintf("%s@%s", r.Benchmark, r.Solver))
		}
		if len(rows) != len(s.want) || !slices.IsSorted(table) {
			t.Errorf("%s: the table has %q", s.name, table)
		}
	}
}
