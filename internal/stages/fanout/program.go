package fanout

import (
	"path/filepath"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

// ScriptPath is the path at which a program sees its script. It reveals nothing about the benchmark.
const ScriptPath = runner.InputDir + "/benchmark.smt2"

// Installed returns the command for a program of this machine. If the program is outside the folders that every run
// sees, the program alone is added to them.
func Installed(program string, args ...string) runner.Command {
	cmd := runner.Command{Argv: append([]string{program}, args...)}
	if !runner.SystemShows(program) {
		cmd = Brought(program, args...)
	}
	cmd.HostSystem = true
	return cmd
}

// Brought returns the command for a program of this machine. The program is mounted alone, without the rest of its
// folder.
func Brought(program string, args ...string) runner.Command {
	inside := runner.SolverDir + "/" + filepath.Base(program)
	return runner.Command{Argv: append([]string{inside}, args...),
		Mounts: []runner.Mount{{Source: program, Target: inside, Warm: true}}}
}

// Program returns the command for a program in the image, or for one of this machine, which the image then contains. i
// may be nil.
func (i *Image) Program(inImage bool, program string, args ...string) runner.Command {
	switch {
	case inImage:
		return runner.Command{Argv: append([]string{program}, args...)}
	case i != nil:
		return Brought(program, args...)
	}
	return Installed(program, args...)
}

// Expose changes a command's paths to the machine's paths, for execution without a separate root.
func Expose(cmd *runner.Command) {
	paths := []*string{&cmd.Dir}
	for i := range cmd.Argv {
		paths = append(paths, &cmd.Argv[i]) // a shell takes programs as arguments
	}
	for _, m := range cmd.Mounts {
		for _, p := range paths {
			*p = worker.Moved(*p, m.Target, m.Source)
		}
	}
	cmd.Mounts = nil
}
