package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/exec/worker/local"
)

// execFlags are the flags of smtpipe tool exec. Flags that BenchExec's runexec also provides have the same names.
type execFlags struct {
	wall, cpu, softCPU, memory        string
	cores, output, dir, input         string
	isolation, scratch, outputLimit   string
	readOnly, overlay, full, hide     []string
	env, passEnv, results             []string
	resultsInto                       string
	processes                         int
	image                             imageFlags
	json, bare, container, noContain  bool
	openFiles                         uint64
	stopOutput                        string
	walltime, timelimit, softtime     time.Duration
	memBytes, scratchBytes, keepBytes int64
	stopBytes                         int64
}

// newToolExecCommand returns the command that executes a program as the competition executes a solver.
func newToolExecCommand() *cobra.Command {
	var f execFlags
	cmd := &cobra.Command{
		Use:   "exec [limits] -- COMMAND [ARG...]",
		Short: "Execute one command isolated, limited and measured",
		Long: `Executes one command as the competition executes a solver, and prints what was measured as key=value lines, or as JSON.

The command sees the machine's programs and the current folder read-only; what it writes there goes to a scratch space
that is gone afterwards. In /, /dev, /proc and /sys it has an empty folder instead. Its output is written to the file of
--output, first stdout, then stderr.

Only the files of --input and --read-only-dir are read before the start, so that neither time nor memory of the command
depends on the page cache. Show the folder of a solver with --read-only-dir to measure it as the competition does.

Flags that BenchExec's runexec has, too, have its names; times are seconds or have a unit (ms, s, min, h), sizes
are bytes or have a unit (kB, MB, GB, KiB, MiB, GiB).

Exit codes: 0 the command was executed, whatever it did (see returnvalue, exitsignal and ending), 1 it could not be
executed, 2 usage error, 130 interrupted.`,
		Example: `  smtpipe tool exec --walltimelimit 20min --memlimit 30GB --cores 0-3 -- z3 benchmark.smt2
  smtpipe tool exec --json --output - -- true`,
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.parse(); err != nil {
				return exit.With(exit.Usage, err)
			}
			defer endsItself()()
			return f.execute(cmd, args)
		},
	}
	f.define(cmd)
	return cmd
}

func (f *execFlags) define(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.SetInterspersed(false) // arguments after the command's name belong to the command
	fl.StringVar(&f.wall, "walltimelimit", "", "limit of wall time")
	fl.StringVar(&f.cpu, "timelimit", "", "limit of CPU time of the whole process tree")
	fl.StringVar(&f.softCPU, "softtimelimit", "", "CPU time after which the processes get SIGTERM")
	fl.StringVar(&f.memory, "memlimit", "", "limit of memory of the whole process tree, without swap")
	fl.StringVar(&f.cores, "cores", "", "the CPUs to use, such as 0-3,8 (default one core)")
	fl.IntVar(&f.processes, "processes", 0, "limit of processes and concurrent threads (default 4096)")
	fl.StringVar(&f.scratch, "scratchlimit", "", "limit of what is written to the scratch space")
	fl.StringVar(&f.outputLimit, "maxOutputSize", "", "how much output is kept, its beginning and its end (default "+
		"256 MiB)")
	fl.StringVar(&f.stopOutput, "outputlimit", "", "end the command when it has printed more")
	fl.Uint64Var(&f.openFiles, "openfiles", 0, "limit of open files of a process (default 1024, up to 4096 on request)")
	fl.StringVar(&f.output, "output", "output.log", "file for the command's output; - prints it on stderr")
	fl.StringVar(&f.dir, "dir", "", "working folder (default the current one)")
	fl.StringVar(&f.input, "input", "", "file for standard input; - means the standard input of smtpipe (default /dev/null)")
	fl.StringVar(&f.isolation, "isolation", "full", "full, cgroup, namespaces, none or best_effort")
	fl.BoolVar(&f.container, "container", false, "the same as --isolation full")
	fl.BoolVar(&f.noContain, "no-container", false, "the same as --isolation cgroup")
	fl.BoolVar(&f.bare, "bare", false, "do not show the machine's programs, only what --read-only-dir names")
	f.image.register(fl)
	fl.StringArrayVar(&f.readOnly, "read-only-dir", nil,
		"show a folder or file of the machine; its files are read before the start")
	fl.StringArrayVar(&f.overlay, "overlay-dir", nil, "show a folder that the command can write to without changing it")
	fl.StringArrayVar(&f.full, "full-access-dir", nil, "show a folder that the command can really write to")
	fl.StringArrayVar(&f.hide, "hidden-dir", nil, "hide a folder or file of the machine")
	fl.StringArrayVar(&f.env, "env", nil, "set an environment variable, as NAME=VALUE")
	fl.StringArrayVar(&f.passEnv, "pass-env", nil, "pass on an environment variable")
	fl.StringArrayVar(&f.results, "result-files", nil,
		"files of the working folder to keep, as a pattern; ** keeps all")
	fl.StringVar(&f.resultsInto, "output-directory", "output.files", "folder for the files to keep")
	fl.BoolVar(&f.json, "json", false, "print one JSON object")
}

// parse parses the flags that have units, and sets the isolation that BenchExec's flags select.
func (f *execFlags) parse() error {
	for _, d := range []struct {
		flag, text string
		to         *time.Duration
	}{
		{"walltimelimit", f.wall, &f.walltime}, {"timelimit", f.cpu, &f.timelimit}, {"softtimelimit", f.softCPU,
			&f.softtime},
	} {
		if d.text == "" {
			continue
		}
		v, err := parseSeconds(d.text)
		if err != nil {
			return fmt.Errorf("--%s: %w", d.flag, err)
		}
		*d.to = v
	}
	for _, b := range []struct {
		flag, text string
		to         *int64
	}{
		{"memlimit", f.memory, &f.memBytes}, {"scratchlimit", f.scratch, &f.scratchBytes},
		{"maxOutputSize", f.outputLimit, &f.keepBytes}, {"outputlimit", f.stopOutput, &f.stopBytes},
	} {
		if b.text == "" {
			continue
		}
		v, err := parseBytes(b.text)
		if err != nil {
			return fmt.Errorf("--%s: %w", b.flag, err)
		}
		*b.to = v
	}
	if f.container {
		f.isolation = string(runner.Full)
	}
	if f.noContain {
		f.isolation = string(runner.CgroupOnly)
	}
	if f.image.path != "" && (f.bare || len(f.hide) > 0) {
		return errors.New("--bare and --hidden-dir are about the machine's programs, which a command with --image does not " +
			"see; leave them out")
	}
	_, err := runner.ParseIsolation(f.isolation)
	return err
}

// parseSeconds parses "90", "1.5s", "250ms", "20min" or "1h". A bare number is in seconds, as in runexec.
func parseSeconds(s string) (time.Duration, error) {
	number, unit := splitUnit(s)
	factor, ok := map[string]float64{"": 1, "ms": 1e-3, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}[unit]
	v, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || v < 0 || v*factor > 1e9 {
		return 0, fmt.Errorf("%q is not a time; write for example 90, 1.5s, 250ms, 20min or 1h", s)
	}
	return time.Duration(v * factor * 1e9), nil
}

// parseBytes parses "1000", "100MB" or "1.5GiB". Units are decimal unless they contain an i.
func parseBytes(s string) (int64, error) {
	number, unit := splitUnit(s)
	factor, ok := map[string]float64{
		"": 1, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
		"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
	}[unit]
	v, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || v < 0 || v*factor > 1<<60 {
		return 0, fmt.Errorf("%q is not a size; write for example 1000, 100MB, 30GB or 2GiB", s)
	}
	return int64(v * factor), nil
}

func splitUnit(s string) (number, unit string) {
	i := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimSpace(s[i:])
}

// open opens this machine as an executor with one slot.
func (f *execFlags) open() (*local.Executor, error) {
	cfg, h := runner.Config{}, worker.Header{Isolation: runner.Isolation(f.isolation), Jobs: 1}
	if f.cores != "" {
		cpus, err := runner.ParseCPUs(f.cores)
		if err != nil || len(cpus) == 0 {
			return nil, exit.With(exit.Usage, fmt.Errorf("--cores: %q is not a list of CPUs; write for example 0-3,8",
				f.cores))
		}
		cfg.CPUs, cfg.UseSiblings, h.Cores = cpus, true, len(cpus)
	}
	return local.Open(h, cfg)
}

// command returns the run's command.
func (f *execFlags) command(args []string, stdin io.Reader, isolation runner.Isolation) (runner.Command, error) {
	c := runner.Command{
		Argv: args, HostSystem: !f.bare, Hide: f.hide, Env: f.env, PassEnv: f.passEnv, SoftCPUTime: f.softtime,
		StopOutputBytes: f.stopBytes, OpenFiles: f.openFiles,
		Limits: comp.Limits{
			WallTime: f.walltime, CPUTime: f.timelimit, MemoryBytes: f.memBytes, OutputBytes: f.keepBytes,
			ScratchBytes: f.scratchBytes, Processes: f.processes,
		},
	}
	switch f.input {
	case "":
	case "-":
		c.Stdin = stdin
	default:
		c.StdinFile = f.input
	}
	if err := f.addFolders(&c, isolation); err != nil {
		return c, err
	}
	if len(f.results) > 0 {
		if err := os.MkdirAll(f.resultsInto, 0o755); err != nil {
			return c, err
		}
		c.Collect = &runner.Collect{Into: f.resultsInto, Patterns: f.results}
	}
	return c, nil
}

// ofRun reports whether each run has its own folder at this path, or the folder shows the kernel's state.
func ofRun(dir string) bool {
	return dir == "/" || dir == "/dev" || strings.HasPrefix(dir+"/", "/proc/") || strings.HasPrefix(dir+"/", "/sys/")
}

// addFolders makes the working folder and the flags' folders visible in the run. Without a private root, everything is
// visible anyway.
func (f *execFlags) addFolders(c *runner.Command, isolation runner.Isolation) error {
	dir, err := filepath.Abs(f.dir)
	if err != nil {
		return err
	}
	c.Dir = dir
	if !isolation.Private() {
		return nil
	}
	if ofRun(dir) {
		c.Dir = ""
	} else {
		c.Mounts = append(c.Mounts, runner.Mount{Source: dir, Target: dir, Overlay: true})
	}
	for _, group := range []struct {
		paths []string
		mount runner.Mount
	}{
		{f.readOnly, runner.Mount{Warm: true}},
		{f.overlay, runner.Mount{Overlay: true}},
		{f.full, runner.Mount{Writable: true}},
	} {
		for _, p := range group.paths {
			abs, err := filepath.Abs(p)
			if err != nil {
				return err
			}
			m := group.mount
			m.Source, m.Target = abs, abs
			c.Mounts = append(c.Mounts, m)
		}
	}
	return nil
}

func (f *execFlags) execute(cmd *cobra.Command, args []string) error {
	image, leave, err := f.image.open(cmd.Context())
	defer func() { _ = leave() }()
	if err != nil {
		return err
	}
	x, err := f.open()
	if err != nil {
		return err
	}
	c, err := f.command(args, cmd.InOrStdin(), x.Isolation())
	if err == nil && image != nil {
		err = image.Apply(&c, x.Isolation())
	}
	var results []*worker.Result
	if err == nil {
		results, err = worker.Do(cmd.Context(), x, &worker.Work{ID: "exec", Here: &c})
	}
	if len(results) == 1 { // otherwise, a signal came before the command was started
		err = nil
		if results[0].Failure != nil {
			err = results[0].Failure.Err()
		}
	}
	if err := errors.Join(err, x.Close()); err != nil {
		if errors.Is(err, context.Canceled) {
			return exit.With(exit.Interrupted, errors.New("interrupted before the command was started"))
		}
		return err
	}
	rec := *results[0].Record
	if err := f.writeOutput(&rec, cmd.ErrOrStderr()); err != nil {
		return err
	}
	if f.json {
		enc := json.NewEncoder(cmd.OutOrStdout())
		enc.SetIndent("", "  ")
		err = enc.Encode(execJSON(&rec, args))
	} else {
		err = printRecord(cmd.OutOrStdout(), &rec)
	}
	if err == nil && rec.Ending == comp.Killed {
		return exit.With(exit.Interrupted, errors.New("interrupted; the figures above are of the part that was executed"))
	}
	return err
}

func (f *execFlags) writeOutput(rec *runner.Record, stderr io.Writer) error {
	all := append(rec.Stdout.Bytes(), rec.Stderr.Bytes()...)
	if f.output == "-" {
		_, err := stderr.Write(all)
		return err
	}
	return os.WriteFile(f.output, all, 0o644)
}

// terminationReason returns runexec's word for an ending; empty if the command ended by itself.
func terminationReason(rec *runner.Record) string {
	switch rec.Ending {
	case comp.WallTimeout:
		return "walltime"
	case comp.CPUTimeout:
		return "cputime"
	case comp.OutOfMemory:
		return "memory"
	case comp.FilesLimit:
		return "files-size"
	case comp.OutputLimit, comp.PidsLimit, comp.Killed:
		return string(rec.Ending)
	}
	if rec.Flags.Has(runner.FlagSoftLimit) {
		return "cputime-soft"
	}
	return ""
}

// printRecord prints runexec's lines, followed by smtpipe's own.
func printRecord(w io.Writer, rec *runner.Record) error {
	p := func(key, format string, value any) {
		fmt.Fprintf(w, "%s="+format+"\n", key, value)
	}
	p("starttime", "%s", rec.Started.Local().Format("2006-01-02T15:04:05.000000-07:00"))
	if reason := terminationReason(rec); reason != "" {
		p("terminationreason", "%s", reason)
	}
	if rec.Signal != 0 {
		p("exitsignal", "%d", rec.Signal)
	} else {
		p("returnvalue", "%d", rec.ExitCode)
	}
	p("walltime", "%.6fs", rec.WallTimeS)
	p("cputime", "%.6fs", rec.CPUTimeS)
	p("memory", "%dB", rec.MemoryBytes)
	if rec.Pressure != nil {
		p("pressure-cpu-some", "%.6fs", rec.Pressure[0].Seconds())
		p("pressure-io-some", "%.6fs", rec.Pressure[2].Seconds())
		p("pressure-memory-some", "%.6fs", rec.Pressure[1].Seconds())
	}
	p("ending", "%s", string(rec.Ending))
	p("usertime", "%.6fs", rec.UserTime.Seconds())
	p("systemtime", "%.6fs", rec.SystemTime.Seconds())
	p("stdout", "%dB", rec.Stdout.Total)
	p("stderr", "%dB", rec.Stderr.Total)
	for _, l := range rec.Lines {
		p("answer", "%s", strings.TrimSpace(string(l.Text))+" "+fmt.Sprintf("%.6fs", l.At.Seconds()))
	}
	p("isolation", "%s", rec.Isolation)
	p("cgroups", "%s", rec.Layout)
	if rec.CPUs != "" {
		p("cpus", "%s", rec.CPUs)
	}
	_, err := fmt.Fprintf(w, "flags=%s\n", rec.Flags)
	return err
}

// execResult is the JSON form of a record.
type execResult struct {
	Command  []string    `json:"command"`
	Started  time.Time   `json:"started"`
	Ending   comp.Ending `json:"ending"`
	ExitCode *int64      `json:"exit_code,omitempty"`
	Signal   int64       `json:"signal,omitempty"`
	execUsage
	Stdout  execStream   `json:"stdout"`
	Stderr  execStream   `json:"stderr"`
	Answers []execAnswer `json:"answers"`
	Flags   []string     `json:"flags"`
	execPlace
	Environment []string `json:"environment"`
	Files       []string `json:"result_files,omitempty"`
}

// execUsage contains the resources that the run used.
type execUsage struct {
	WallTime   float64 `json:"wall_time_s"`
	CPUTime    float64 `json:"cpu_time_s"`
	UserTime   float64 `json:"user_time_s"`
	SystemTime float64 `json:"system_time_s"`
	Memory     int64   `json:"memory_bytes"`
	Processes  int     `json:"processes,omitempty"`
	Read       int64   `json:"read_bytes"`
	Written    int64   `json:"written_bytes"`
}

// execPlace describes where the run was executed.
type execPlace struct {
	Isolation string `json:"isolation"`
	Cgroups   string `json:"cgroups"`
	CPUs      string `json:"cpus,omitempty"`
}

type execStream struct {
	Total   int64 `json:"total_bytes"`
	Dropped int64 `json:"dropped_bytes"`
}

type execAnswer struct {
	Answer   string  `json:"answer"`
	WallTime float64 `json:"wall_time_s"`
	CPUTime  float64 `json:"cpu_time_s"`
}

func execJSON(rec *runner.Record, args []string) execResult {
	r := execResult{
		Command: args, Started: rec.Started.Local(), Ending: rec.Ending, Signal: rec.Signal, execUsage: usageJSON(rec),
		Stdout: streamJSON(&rec.Stdout), Stderr: streamJSON(&rec.Stderr), Answers: []execAnswer{},
		Flags: rec.Flags.Names(), execPlace: execPlace{rec.Isolation, rec.Layout, rec.CPUs}, Environment: rec.Env,
	}
	if rec.Signal == 0 {
		r.ExitCode = &rec.ExitCode
	}
	if r.Flags == nil {
		r.Flags = []string{}
	}
	for _, l := range rec.Lines {
		r.Answers = append(r.Answers, execAnswer{strings.TrimSpace(string(l.Text)), l.At.Seconds(), l.CPU.Seconds()})
	}
	for _, file := range rec.Collected {
		r.Files = append(r.Files, file.Path)
	}
	return r
}

func usageJSON(rec *runner.Record) execUsage {
	return execUsage{float64(rec.WallTimeS), float64(rec.CPUTimeS), rec.UserTime.Seconds(), rec.SystemTime.Seconds(),
		rec.MemoryBytes, rec.Processes, rec.ReadBytes, rec.WrittenBytes}
}

func streamJSON(out *runner.Output) execStream { return execStream{out.Total, out.Dropped()} }
