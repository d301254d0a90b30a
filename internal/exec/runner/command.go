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
	SolverDir = "/solver"         // where a solver's tree is usually mounted
	InputDir  = "/input"          // where inputs are usually shown
	Hostname  = initproc.Hostname // host name inside a run
	maxArgs   = 128 << 10         // Linux's limit for a single argument
)

// Command is one run to execute.
type Command struct {
	// Argv is the program and its arguments. No shell sees them. A program without a slash is looked up in the PATH of
	// the run's environment.
	Argv []string
	// Dir is the working folder as seen inside. Empty means WorkDir or, in a run without a private root, a new
	// temporary folder.
	Dir string
	// Mounts shows host folders and files inside, read-only, in this order.
	Mounts []Mount
	// Inputs shows single files inside, read-only. Host files are read once before the start, so that the run's time
	// and memory do not depend on the page cache.
	Inputs []Input
	// HostSystem shows the host's programs and libraries (/usr, /bin, /lib, /lib64, ...) read-only. Without it only
	// Mounts and Inputs are visible.
	HostSystem bool
	// Hide lists host paths that are covered by something empty, for example other installed solvers.
	Hide []string
	// Stdin is the command's standard input; nil means /dev/null. It cannot be combined with Interact.
	Stdin io.Reader
	// StdinFile is a host file to use as standard input. A regular file is read before the start, like Inputs.
	StdinFile string
	// OneStream gives the command one pipe for stdout and stderr, which preserves the order of the output: everything
	// is captured as stdout, and stderr is empty. Otherwise they are captured separately.
	OneStream bool
	// Interact, if not nil, conducts a dialogue with the command; see Peer.
	Interact func(ctx context.Context, p *Peer) error
	// Env holds NAME=VALUE settings. PATH, HOME, TMPDIR, USER, LOGNAME and LANG are set first.
	Env []string
	// PassEnv names driver variables that are passed on if they are set.
	PassEnv []string
	// Limits limits the run. More cores than the slot has is an error.
	Limits comp.Limits
	// SoftCPUTime and SoftWallTime, if not zero, are the times after which every process of the run receives SIGTERM.
	SoftCPUTime  time.Duration
	SoftWallTime time.Duration
	// StopOutputBytes ends the run if stdout and stderr together exceed it. Zero means no such limit: output beyond
	// Limits.OutputBytes is counted and dropped.
	StopOutputBytes int64
	// OpenFiles limits each process's file descriptors; zero means 1024 (soft) and 4096 (hard).
	OpenFiles uint64
	// TimestampLines is the number of stdout lines that are recorded with their arrival time and up to 256 bytes of
	// text. Answer lines (sat, unsat, unknown) are recorded beyond it, up to 65536.
	TimestampLines int
	// Collect copies files that the command wrote to its working folder to the host, after the run.
	Collect *Collect
	// Attach names a file of the working folder that is appended to the captured standard output after the end, behind
	// run.AttachedMark, if it is regular and fits Limits.OutputBytes.
	Attach string
}

// Mount shows a host folder or file inside a run.
type Mount struct {
	Source string // on the host
	Target string // inside, absolute; ImageRoot: the root file system itself
	// Writable lets the run write to it. It is meant for tools, never for solvers, because the written files outlive
	// the run.
	Writable bool
	// Overlay lets the run write to a copy in its scratch space. The source never changes. It is not for files.
	Overlay bool
	// Warm makes the Host read the source's regular files once in its lifetime, before the first run that shows it, so
	// that the run's time and memory do not depend on the page cache. It is meant for a solver's tree and for inputs,
	// never for a folder that may contain anything. Files in /proc and other kernel file systems are not read.
	Warm bool
}

// Input is a file for a run: a host file, or bytes.
type Input struct {
	Target  string // inside, absolute
	Source  string // on the host; empty means Content
	Content []byte
	Mode    os.FileMode // of Content; zero means 0444
}

// Collect selects the files in the working folder that are copied out after a run. Only regular files are copied, links
// are never followed, and non-local names are rejected.
type Collect struct {
	Into     string   // an existing host folder
	Patterns []string // path.Match patterns relative to the working folder; "**" alone matches all files
	MaxBytes int64    // in total; zero means 1 GB
	MaxFiles int      // zero means 1000
}

// validate returns an error if the command cannot be executed.
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

// insidePath checks a path inside a run. It must be absolute, clean and below the root.
func insidePath(p string) error {
	if !path.IsAbs(p) || path.Clean(p) != p || p == "/" {
		return fmt.Errorf("path %q inside the run must be absolute, without . and .., and below the root", p)
	}
	return nil
}
