package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner/initproc"
)

// Paths and limits inside an isolated run.
const (
	WorkDir   = initproc.WorkDir  // private working folder, initially empty
	HomeDir   = initproc.HomeDir  // private home folder (HOME)
	SolverDir = "/solver"         // usual mount point of a solver's tree
	InputDir  = "/input"          // usual mount point of inputs
	Hostname  = initproc.Hostname // host name
	maxArgs   = 128 << 10         // Linux's limit on the size of a single argument
)

// Command is a command to execute as one run.
type Command struct {
	// Argv is the program and its arguments, which no shell interprets. A program without a slash is looked up in the
	// PATH of the run's environment.
	Argv []string
	// Dir is the working folder as the command sees it. The default is WorkDir or, in a run without a private root, a
	// new temporary folder.
	Dir string
	// Mounts are host folders and files that the run sees read-only, in this order.
	Mounts []Mount
	// Inputs are single files that the run sees read-only. Host files are read once before the start: the run's time
	// and memory must not depend on the page cache.
	Inputs []Input
	// HostSystem shows the host's programs and libraries (/usr, /bin, /lib, /lib64, ...) read-only. Without it, only
	// Mounts and Inputs are visible.
	HostSystem bool
	// Hide lists host paths to cover with something empty, such as other installed solvers.
	Hide []string
	// Stdin is the command's standard input; nil means /dev/null. It cannot be combined with Interact.
	Stdin io.Reader
	// StdinFile is a host file to use as standard input. A regular file is read before the start, like Inputs.
	StdinFile string
	// OneStream connects stdout and stderr to a single pipe, which preserves the order of the output: everything is
	// captured as stdout, and stderr is empty. Otherwise they are captured separately.
	OneStream bool
	// Interact, if not nil, conducts a dialogue with the command. See Peer.
	Interact func(ctx context.Context, p *Peer) error
	// Env holds settings of the form NAME=VALUE. They override the defaults of PATH, HOME, TMPDIR, USER, LOGNAME and
	// LANG.
	Env []string
	// PassEnv names environment variables of the driver to pass on if they are set.
	PassEnv []string
	// Limits are the run's resource limits. It is an error to request more cores than the slot has.
	Limits comp.Limits
	// SoftCPUTime and SoftWallTime, if not zero, are the times after which every process of the run receives SIGTERM.
	SoftCPUTime  time.Duration
	SoftWallTime time.Duration
	// StopOutputBytes ends the run if stdout and stderr together exceed this size. Zero means no such limit: output
	// beyond Limits.OutputBytes is counted and dropped.
	StopOutputBytes int64
	// OpenFiles limits the file descriptors of each process; zero means 1024 (soft) and 4096 (hard).
	OpenFiles uint64
	// TimestampLines is the number of stdout lines to record with their arrival time and up to 256 bytes of text.
	// Answer lines (sat, unsat, unknown) beyond this number are also recorded, up to a total of 65536.
	TimestampLines int
	// Collect selects files in the command's working folder to copy to the host after the run.
	Collect *Collect
	// Attach names a file in the working folder. If it is regular and fits within Limits.OutputBytes, it is appended to
	// the captured standard output after run.AttachedMark.
	Attach string
}

// Mount shows a host folder or file inside a run.
type Mount struct {
	Source string // path on the host
	Target string // absolute path in the run; ImageRoot means the root file system itself
	// Writable lets the run write to the source. It is meant for tools, never for solvers, because the written files
	// outlive the run.
	Writable bool
	// Overlay lets the run write to a copy in its scratch space. The source never changes. It is not supported for
	// files.
	Overlay bool
	// Warm makes the Host read the source's regular files once, before the first run that shows it: the run's time and
	// memory must not depend on the page cache. It is meant for solver trees and inputs, never for folders that may
	// contain anything. Files in /proc and other kernel file systems are not read.
	Warm bool
}

// Input is a file to show in a run: a host file, or given bytes.
type Input struct {
	Target  string // absolute path in the run
	Source  string // path on the host; if empty, Content is used
	Content []byte
	Mode    os.FileMode // mode of a file with Content; zero means 0444
}

// Collect selects files in the working folder to copy out after a run. Only regular files are copied, links are never
// followed, and non-local names are rejected.
type Collect struct {
	Into     string   // existing host folder that receives the files
	Patterns []string // path.Match patterns relative to the working folder; "**" alone matches all files
	MaxBytes int64    // limit on the total size; zero means 1 GB
	MaxFiles int      // limit on the number of files; zero means 1000
}

// validate returns an error if the command is not executable as given.
func (c *Command) validate() error {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return errors.New("the command is empty")
	}
	for _, a := range c.Argv {
		if strings.IndexByte(a, 0) >= 0 {
			return fmt.Errorf("argument %q contains a NUL byte, which no argument can", a)
		}
		if len(a) >= maxArgs {
			return fmt.Errorf("an argument has %d bytes; Linux allows at most %d", len(a), maxArgs-1)
		}
	}
	if c.Stdin != nil && (c.StdinFile != "" || c.Interact != nil) || c.StdinFile != "" && c.Interact != nil {
		return errors.New("only one of Stdin, StdinFile and Interact can be set")
	}
	for _, m := range c.Mounts {
		if m.Target == ImageRoot {
			if c.HostSystem || m.Writable || m.Overlay {
				return errors.New("a run has either the host's programs or an image, which must be read-only")
			}
			continue
		}
		if err := insidePath(m.Target); err != nil {
			return err
		}
	}
	for _, in := range c.Inputs {
		if err := insidePath(in.Target); err != nil {
			return err
		}
	}
	for _, kv := range c.Env {
		if name, _, ok := strings.Cut(kv, "="); !ok || name == "" || strings.IndexByte(kv, 0) >= 0 {
			return fmt.Errorf("environment setting %q is not NAME=VALUE", kv)
		}
	}
	return c.Limits.Validate()
}

func (c *Command) hasImage() bool {
	return slices.ContainsFunc(c.Mounts, func(m Mount) bool { return m.Target == ImageRoot })
}

// insidePath checks a path in a run, which must be absolute, clean and below the root.
func insidePath(p string) error {
	if !path.IsAbs(p) || path.Clean(p) != p || p == "/" {
		return fmt.Errorf("path %q inside the run must be absolute, without . or .., and below the root", p)
	}
	return nil
}
