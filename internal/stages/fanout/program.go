package fanout

import (
	"path/filepath"
	"strings"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// ScriptPath is the path at which a program sees its script. It reveals nothing about the benchmark.
const ScriptPath = runner.InputDir + "/benchmark.smt2"

// Private reports whether a level of isolation provides a separate root.
func Private(i runner.Isolation) bool { return i == runner.Full || i == runner.NamespacesOnly }

// systemFolders are the machine's folders that every run sees.
var systemFolders = []string{"/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/opt/"}

// Installed returns the command for a program of this machine. If the program is outside the folders that every run
// sees, the program alone is added to them.
func Installed(program string, args ...string) runner.Command {
	cmd := runner.Command{Argv: append([]string{program}, args...), HostSystem: true}
	for _, folder := range systemFolders {
		if strings.HasPrefix(program, folder) {
			return cmd
		}
	}
	cmd = Brought(program, args...)
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

// Expose changes a command's paths to the machine's paths, for execution without a separate root.
func Expose(cmd *runner.Command) {
	paths := []*string{&cmd.Dir}
	for i := range cmd.Argv {
		paths = append(paths, &cmd.Argv[i]) // a shell takes programs as arguments
	}
	for _, m := range cmd.Mounts {
		for _, p := range paths {
			if rest, ok := strings.CutPrefix(*p, m.Target); ok && (rest == "" || rest[0] == '/') {
				*p = m.Source + rest
			}
		}
	}
	cmd.Mounts = nil
}
