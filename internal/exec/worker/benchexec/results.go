package benchexec

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results/benchexec"
	"github.com/smtpipe/smtpipe/internal/data/results/compressed"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// found is a run that BenchExec executed.
type found struct {
	header *benchexec.Header
	run    benchexec.Run
	logs   *benchexec.Logs
}

// closeTime limits how long an interrupted BenchExec may take to end its runs.
const closeTime = 30 * time.Second

var resultFile = pattern.Lazy(`\.results\..*\.xml(\.bz2)?$`)

// scan finds the runs below the results folder. If a run was executed several times, only the latest execution counts.
// An unfinished results file contributes the runs whose logs are readable.
func (x *executor) scan() error {
	x.results = map[string]found{}
	root := filepath.Join(x.job.folder, resultsFolder)
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !resultFile().MatchString(d.Name()) {
			return err
		}
		return x.scanFile(p)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (x *executor) scanFile(file string) error {
	in, err := compressed.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	logs, err := x.findLogs(strings.TrimSuffix(file, filepath.Base(file)) + benchexec.BaseName(filepath.Base(file)))
	if err != nil {
		x.log.Warn("results of BenchExec without readable logs are left out", "file", file,
			"error", err)
		return nil
	}
	_, err = benchexec.Read(in, func(h *benchexec.Header, r benchexec.Run) error {
		name := h.Definition() + "." + path.Base(r.Name)
		old, again := x.results[name]
		after, left := x.after[name]
		if r.Executed() && (!left || h.Started > after) && (!again || old.header.Started <= h.Started) {
			x.results[name] = found{h, r, logs}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// findLogs opens an execution's logs by name prefix.
func (x *executor) findLogs(begin string) (*benchexec.Logs, error) {
	if l := x.logs[begin]; l != nil {
		return l, nil
	}
	l, err := benchexec.OpenLogs(begin + ".logfiles.zip")
	if errors.Is(err, fs.ErrNotExist) {
		l, err = benchexec.OpenLogs(begin + ".logfiles")
	}
	if err == nil {
		x.logs[begin] = l
	}
	return l, err
}

// result returns a work's result.
func (x *executor) result(f *found, w *worker.Work) (*worker.Result, error) {
	host, processor := f.header.Place(&f.run)
	if !sameProcessor(processor, x.hello.Hardware) {
		return nil,
			fmt.Errorf("%s was executed on %s (host %s), but is to be measured on %q: remove these results from %s "+
				"and have the job executed on that processor, or correct hardware in the block of the executor", f.run.Name,
				processor, cmp.Or(host, "not known"), x.hello.Hardware, filepath.Join(x.job.folder, resultsFolder))
	}
	log, err := f.logs.Read(f.header, &f.run)
	if err != nil {
		return nil, err
	}
	o, err := f.run.Outcome(f.header, &log)
	if err != nil {
		return nil, err
	}
	r := &worker.Result{ID: w.ID, Host: host}
	if o.Problem != "" {
		r.Failure = &worker.Failure{Kind: worker.FailStart, Program: w.Command[0], Text: o.Problem}
		return r, nil
	}
	if n := o.ExitCode - shellSignal; n > 0 && n <= lastSignal { // exit code of run.sh after a signal
		o = benchexec.Outcome{Ending: comp.Signalled, ExitCode: -1, Signal: n}
	}
	wall, cpu := w.Limits.WallTime, w.Limits.CPUTime
	o = o.Within(wall.Seconds(), cpu.Seconds(), &f.run, &log)
	r.Record = &runner.Record{
		Measured: run.Measured{Ending: o.Ending, ExitCode: int64(o.ExitCode), Signal: int64(o.Signal),
			Usage: f.run.Known(), Isolation: isolation},
		Stdout: runner.Output{Head: log.Output, Total: int64(len(log.Output))},
	}
	if log.Truncated {
		r.Record.Flags |= runner.FlagTruncated
	}
	if o.Late {
		r.Record.Flags |= runner.FlagLateExit
	}
	if o.Ending == comp.Signalled && o.Signal == int(syscall.SIGKILL) { // BenchExec states reasons for its signals
		r.Record.Flags |= runner.FlagForeignKill
	}
	return r, nil
}

// processorOf returns the processor in a hardware profile.
func processorOf(hardware string) string {
	processor, _, _ := strings.Cut(hardware, ";")
	return strings.TrimSpace(processor)
}

// noise removes parts that only some programs include in a processor's name.
var noise = strings.NewReplacer("(r)", "", "(tm)", "", " cpu", "", " processor", "")

// sameProcessor reports whether a processor named by BenchExec may be the one in a hardware profile. It ignores the
// frequency at the end of a name. It returns true if BenchExec names no processor, or if hardware is only a name rather
// than a profile.
func sameProcessor(processor, hardware string) bool {
	if processor == "" || !strings.Contains(hardware, ";") {
		return true
	}
	words := func(name string) string {
		name, _, _ = strings.Cut(noise.Replace(strings.ToLower(name)), "@")
		return " " + strings.Join(strings.Fields(name), " ") + " "
	}
	a, b := words(processor), words(processorOf(hardware))
	return strings.Contains(a, b) || strings.Contains(b, a)
}

// isolation is the isolation level of BenchExec runs, in all of its container modes.
const isolation = "benchexec"

// If a signal ends its command, a shell exits with this number plus the number of the signal.
const (
	shellSignal = 128
	lastSignal  = 64
)
