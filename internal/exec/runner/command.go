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

// Paths inside an isolated run.
const (
	WorkDir   = initproc.WorkDir  // the private working folder, empty at the start
	HomeDir   = initproc.HomeDir  // HOME, private
	SolverDir = "/solver"         // where a solver's tree is usually bound
	InputDir  = "/input"          // where inputs are usually shown
	Hostname  = initproc.Hostname // the name of the machine inside
	maxArgs   = 128 << 10         // longest single argument, of Linux
)

// Command is one run to execute.
type Command struct {
	// Argv is the program and its arguments. No shell sees them. A program without a slash is looked up in the PATH of
	// the run's environment.
	Argv []string
	// Dir is the working folder as seen inside; empty means WorkDir, or in a run without a private root a new temporary
	// folder.
	Dir string
	// Mounts shows folders and files of the host inside, read-only, in this order.
	Mounts []Mount
	// Inputs shows single files inside, read-only. Files of the host are read once before the start, so that neither
	// time nor memory of the run depends on the page cache.
	Inputs []Input
	// HostSystem shows the programs and libraries of the host (/usr, /bin, /lib, /lib64, ...) read-only. Without it
	// only Mounts and Inputs are visible.
	HostSystem bool
	// Hide lists paths of the host system that are replaced by something empty, such as other installed solvers.
	Hide []string
	// Stdin is the standard input of the command; nil is /dev/null. Interact excludes it.
	Stdin io.Reader
	// StdinFile is a file of the host that the command reads from. A regular file is read before the start, as Inputs
	// are.
	StdinFile string
	// OneStream gives the command one pipe for stdout and stderr, which keeps the order of the output: all of it is
	// captured as stdout, and stderr is empty. Otherwise they are captured separately.
	OneStream bool
	// Interact, if not nil, talks with the command; see Peer.
	Interact func(ctx context.Context, p *Peer) error
	// Env holds NAME=VALUE settings. PATH, HOME, TMPDIR, USER, LOGNAME, LANG, SHELL-free, are set first.
	Env []string
	// PassEnv names variables of the driver that are passed on if they are set.
	PassEnv []string
	// Limits bound the run. Cores above the slot's is an error.
	Limits comp.Limits
	// SoftCPUTime and SoftWallTime, if not zero, are the times at which every process of the run gets SIGTERM.
	SoftCPUTime  time.Duration
	SoftWallTime time.Duration
	// StopOutputBytes ends the run if stdout and stderr together exceed it. Zero means no such limit: output above
	// Limits.OutputBytes is counted and dropped.
	StopOutputBytes int64
	// OpenFiles limits file descriptors of each process; zero means 1024 soft and 4096 hard.
	OpenFiles uint64
	// TimestampLines is the number of lines of stdout that are recorded with their time of arrival and up to 256 bytes
	// of text. Lines that are an answer (sat, unsat, unknown) are recorded beyond it, up to 65536.
	TimestampLines int
	// Collect copies files that the command wrote in its working folder to the host, after the end.
	Collect *Collect
}

// Mount shows a folder or file of the host inside a run.
type Mount struct {
	Source string // on the host
	Target string // inside, absolute; ImageRoot: the root file system itself
	// Writable lets the run write to it. It is meant for tools, never for solvers, since the written files survive the
	// run.
	Writable bool
	// Overlay lets the run write to it in its scratch space; the source never changes. Not for files.
	Overlay bool
	// Warm makes the Host read the regular files of the source once in its life, before the first run that shows it, so
	// that neither time nor memory of a run depends on the page cache. It is meant for a solver's tree and for inputs,
	// never for a folder that may hold anything. Files of /proc and of other file systems of the kernel are not read.
	Warm bool
}

// Input is a file for a run: a file of the host, or bytes.
type Input struct {
	Target  string // inside, absolute
	Source  string // on the host; empty means Content
	Content []byte
	Mode    os.FileMode // of Content; zero means 0444
}

// Collect says which files of the working folder are copied out after a run. Only regular files are copied, no links
// are followed, and names that are not local are refused.
type Collect struct {
	Into     string   // an existing folder of the host
	Patterns []string // path.Match patterns relative to the working folder; "**" alone takes all files
	MaxBytes int64    // in all; zero means 1 GB
	MaxFiles int      // zero means 1000
}

// validate returns an error if the command cannot be executed.
func (c *Command) validate() error {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return errors.New("the command is empty")
	}
	for _, a := range c.Argv {
		if strings.IndexByte(a, 0) >= 0 {
			return fmt.Errorf("argument %q holds a NUL byte, which no argument can", a)
		}
		if len(a) >= maxArgs {
			return fmt.Errorf("an argument of %d bytes is longer than Linux takes (%d)", len(a), maxArgs-1)
		}
	}
	if c.Stdin != nil && (c.StdinFile != "" || c.Interact != nil) || c.StdinFile != "" && c.Interact != nil {
		return errors.New("only one of Stdin, StdinFile and Interact can be set")
	}
	for _, m := range c.Mounts {
		if m.Target == ImageRoot {
			if c.HostSystem || m.Writable || m.Overlay {
				return errors.New("a run has the host's programs or an image, which is read-only")
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

// insidePath checks a path inside a run: absolute, clean and below the root.
func insidePath(p string) error {
	if !path.IsAbs(p) || path.Clean(p) != p || p == "/" {
		return fmt.Errorf("path %q inside the run must be absolute, without . and .., and below the root", p)
	}
	return nil
}
