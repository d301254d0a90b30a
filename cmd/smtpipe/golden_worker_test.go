package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/local"
)

// The environment variables of a golden worker: the folder with a year's recorded runs, and whether to measure missing
// runs.
const (
	goldenFolder = "SMTPIPE_TEST_GOLDEN"
	goldenRecord = "SMTPIPE_TEST_GOLDEN_RECORD"
)

// goldenRun is a run that was measured when the digests were recorded.
type goldenRun struct {
	Solver string          `json:"solver"` // the solver's name and arguments
	Script string          `json:"script"` // the script's SHA-256
	Limits comp.Limits     `json:"limits"`
	Record *runner.Record  `json:"record"`
	Trace  json.RawMessage `json:"trace,omitempty"`
}

func (r *goldenRun) key() string { return fmt.Sprint(r.Solver, " ", r.Script, " ", r.Limits) }

// goldenWorker runs the program of the golden pipelines' executor: a "smtpipe tool worker" that replays runs.
func goldenWorker() {
	open := func(h worker.Header) (worker.Executor, error) {
		runs, err := readGoldenRuns(filepath.Join(os.Getenv(goldenFolder), "runs.jsonl.zst"))
		return &replay{header: h, runs: runs}, err
	}
	if err := worker.Serve(context.Background(), os.Stdin, os.Stdout, open, nil); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// replay is an executor that returns recorded runs.
type replay struct {
	header worker.Header
	runs   map[string]*goldenRun

	mu   sync.Mutex
	real *local.Executor // measures runs that have no record
}

// Hello implements worker.Executor.
func (x *replay) Hello() worker.Hello {
	return worker.Hello{Format: worker.ResultFormat, Host: "golden", Hardware: x.header.Hardware,
		Isolation: x.header.Isolation, Layout: "golden", Slots: 2}
}

// Close implements worker.Executor.
func (x *replay) Close() error {
	if x.real == nil {
		return nil
	}
	return x.real.Close()
}

// Execute implements worker.Executor.
func (x *replay) Execute(ctx context.Context, o *worker.Order) error {
	return worker.Spread(ctx, o, 1, worker.OneByOne(x.run))
}

func (x *replay) run(ctx context.Context, w *worker.Work) (*worker.Result, error) {
	asked := goldenRun{Limits: w.Limits}
	for _, f := range w.Files() {
		asked.Script = f.SHA256
	}
	argv := slices.Clone(w.Command)
	argv[0] = filepath.Base(argv[0])
	asked.Solver = strings.TrimSuffix(strings.Join(argv, " "), " "+runner.InputDir+"/benchmark.smt2")
	r := x.runs[asked.key()]
	if os.Getenv(goldenRecord) != "" {
		var err error
		if r == nil {
			r, err = x.measure(ctx, w, asked)
		}
		if err = errors.Join(err, noteGoldenRun(r)); err != nil {
			return nil, err
		}
	}
	if r == nil {
		return nil, fmt.Errorf("%w: no run of %q on a script sha256:%.12s is recorded; SMTPIPE_UPDATE=1 records it",
			worker.ErrWork, asked.Solver, asked.Script)
	}
	return &worker.Result{ID: w.ID, Record: r.Record, Trace: r.Trace}, nil
}

// measure executes the solver that the fixed program represents.
func (x *replay) measure(ctx context.Context, w *worker.Work, r goldenRun) (*goldenRun, error) {
	if err := x.open(); err != nil {
		return nil, err
	}
	real := *w
	real.Verify, real.Mounts, real.Command = nil, nil, slices.Clone(w.Command)
	name := filepath.Base(w.Command[0])
	real.Command[0] = "/usr/bin/" + name
	if own := filepath.Join(os.Getenv("EXAMPLES"), "mini", name); exists(own) {
		real.Command[0] = runner.SolverDir + "/" + name
		real.Mounts = []worker.Mount{{Source: own, Target: real.Command[0]}}
	}
	results, err := worker.Do(ctx, x.real, &real)
	if err != nil {
		return nil, err
	}
	result := results[0]
	if result.Failure != nil {
		return nil, fmt.Errorf("%s: %+v", r.Solver, result)
	}
	rec := result.Record // omit machine-specific parts
	rec.CPUs, rec.Slot, rec.Pressure, rec.ReadBytes, rec.WrittenBytes = "", 0, nil, 0, 0
	rec.Env, rec.Layout, rec.Started = nil, "golden", time.Unix(1_767_225_600, 0).UTC()
	r.Record, r.Trace = rec, result.Trace
	return &r, nil
}

func (x *replay) open() (err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.real == nil {
		h := x.header
		h.Hardware, h.Jobs = "", max(1, 2/h.Cores)
		x.real, err = local.Open(h, runner.Config{NoLock: true})
	}
	return err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// noteGoldenRun adds a run to the current recording.
func noteGoldenRun(r *goldenRun) (err error) {
	if r == nil {
		return nil
	}
	f, err := os.OpenFile(filepath.Join(os.Getenv(goldenRecord), "used.jsonl"),
		os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	line, err := json.Marshal(r)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
	}
	return err
}

// readGoldenRuns reads recorded runs.
func readGoldenRuns(path string) (map[string]*goldenRun, error) {
	runs := map[string]*goldenRun{}
	packed, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return runs, nil
	}
	if err != nil {
		return nil, err
	}
	unzipped, err := zstd.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	defer unzipped.Close()
	return runs, eachGoldenRun(unzipped.IOReadCloser(), func(r *goldenRun) { runs[r.key()] = r })
}

// eachGoldenRun reads runs, one JSON object per line.
func eachGoldenRun(in interface{ Read([]byte) (int, error) }, do func(*goldenRun)) error {
	lines := bufio.NewReader(in)
	decoder := json.NewDecoder(lines)
	for decoder.More() {
		r := new(goldenRun)
		if err := decoder.Decode(r); err != nil {
			return err
		}
		do(r)
	}
	return nil
}

// keepGoldenRuns replaces the recorded runs in the test data with those of the current recording.
func keepGoldenRuns(t *testing.T, recorded, folder string) {
	t.Helper()
	f, err := os.Open(filepath.Join(recorded, "used.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := map[string]string{}
	if err := eachGoldenRun(f, func(r *goldenRun) {
		line, _ := json.Marshal(r)
		lines[r.key()] = string(line) + "\n"
	}); err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(lines)) {
		text.WriteString(lines[key])
	}
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "runs.jsonl.zst")
	if err := os.WriteFile(path, zip.EncodeAll([]byte(text.String()), nil), 0o666); err != nil {
		t.Fatal(err)
	}
}
