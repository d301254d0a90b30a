package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
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
	cmd.MarkFlagsMutuallyExclusive("isolation", "container", "no-container")
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
		v, err := runner.ParseTime(d.text)
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
		v, err := runner.ParseBytes(b.text)
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
	if f.processes < 0 {
		return fmt.Errorf("--processes %d is not a number of processes", f.processes)
	}
	if f.image.path != "" && (f.bare || len(f.hide) > 0) {
		return errors.New("--bare and --hidden-dir are about the machine's programs, which a command with --image does not " +
			"see; leave them out")
	}
	_, err := runner.ParseIsolation(f.isolation)
	return err
}
