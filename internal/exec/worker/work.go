package worker

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// The formats of chunks and results. Readers reject any other format.
const (
	WorkFormat   = "smtpipe-work/1"
	ResultFormat = "smtpipe-results/1"
)

// Header is the first line of a chunk. It describes what all runs in the chunk require of the machine.
type Header struct {
	Format string `json:"format"` // always WorkFormat
	// Isolation is the level that every run must have (full, cgroup, namespaces, none). best_effort is rejected: the
	// paths in a work are paths inside the run, which depend on the level.
	Isolation   runner.Isolation `json:"isolation"`
	Cores       int              `json:"cores"`        // number of cores per run
	MemoryBytes int64            `json:"memory_bytes"` // memory per run
	Jobs        int              `json:"jobs,omitempty"`
	// Hardware is the profile on which the runs must be measured (runner.Profile.String); empty means any.
	Hardware string `json:"hardware,omitempty"`
}

// Work is one run to execute.
type Work struct {
	ID string `json:"id"` // id of the result; unique within a chunk

	Command    []string    `json:"command"`
	Dir        string      `json:"dir,omitempty"` // working folder in the run; empty means the run's default
	HostSystem bool        `json:"host_system,omitempty"`
	Mounts     []Mount     `json:"mounts,omitempty"`
	Inputs     []File      `json:"inputs,omitempty"`
	Stdin      *File       `json:"stdin,omitempty"`
	Env        []string    `json:"environment,omitempty"` // NAME=VALUE settings, sorted; added to every run's defaults
	Limits     comp.Limits `json:"limits"`
	// Attach is a file in the working folder to append to stdout; see runner.Command.
	Attach string `json:"attach,omitempty"`
	// OneStream captures stdout and stderr together, in the order written.
	OneStream bool `json:"one_stream,omitempty"`
	// TimestampLines is the number of stdout lines whose arrival times are recorded. Arrival times of answers are
	// always recorded.
	TimestampLines int `json:"timestamp_lines,omitempty"`
	// Dialogue, if not nil, sends the commands in Stdin, a script of the incremental track, one after another.
	Dialogue *Dialogue `json:"dialogue,omitempty"`
	// Verify lists the programs that must be identical on the worker's machine.
	Verify []Digest `json:"verify,omitempty"`
	// Followed means that the chunk's next work belongs to the same group. That work is executed in the same place
	// right after this one, and a group's results are written together.
	Followed bool `json:"followed,omitempty"`
	// About is for executors that write works to files for other programs. It is not part of a chunk.
	About *About `json:"-"`
	// Here is a tool's command on this machine. It replaces everything except ID. It may use features that a work
	// cannot represent, and the record of an interrupted run counts. It is not part of a chunk, because the command
	// exists only on this machine.
	Here *runner.Command `json:"-"`
}

// About describes a work for executors that write files for people and other programs. Runs never see it.
type About struct {
	Benchmark string // benchmark's path in the release
	Logic     string
	Family    string
	Status    string // sat, unsat or unknown; empty if there are several check-sats
	Number    int    // benchmark's number in the stage, from 0
	Script    int    // script's number in the stage, in an order that reveals nothing about the benchmarks
	Solver    string
	// Participation is the participation's number in the submission.
	Participation int
	Track         string
	Image         string // root file system, in readable form; empty if there is none
}

// Mount shows a folder or file of the worker's machine in the run, read-only. Unless Cold is set, it is read before its
// first run; see runner.Mount.Warm.
type Mount struct {
	Source string `json:"source"`
	Target string `json:"target"`
	Cold   bool   `json:"cold,omitempty"`
}

// File is a file for a run: its bytes, or the path of a file that the worker can read.
type File struct {
	Target  string `json:"target,omitempty"` // path in the run; only for inputs
	SHA256  string `json:"sha256"`           // digest of the content, hex
	Content []byte `json:"content,omitempty"`
	Path    string `json:"path,omitempty"` // path on the worker's machine; if empty, Content is used
	// Source opens the content if Content is not set, for executors that send each content only once.
	Source Source `json:"-"`
}

// Source opens content of a known size, which is read sequentially in chunks.
type Source func() (content io.ReadCloser, size int64, err error)

// SourceOf returns a Source for bytes in memory.
func SourceOf(content []byte) Source {
	return func() (io.ReadCloser, int64, error) {
		return io.NopCloser(bytes.NewReader(content)), int64(len(content)), nil
	}
}

// Dialogue describes how an incremental script's commands are passed to the solver.
type Dialogue struct {
	ContinueAfterUnknown bool `json:"continue_after_unknown,omitempty"`
}

// Digest is the digest of a program with everything that it loads, or of a folder's tree; see Fingerprint.
type Digest struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Tree   bool   `json:"tree,omitempty"`
	// Root means that the tree is a root file system, whose links may point anywhere.
	Root bool `json:"root,omitempty"`
}

// MoveTree makes the work use tree i of Verify at a new path.
func (w *Work) MoveTree(i int, to string) {
	from := w.Verify[i].Path
	w.Verify = slices.Clone(w.Verify)
	w.Verify[i].Path = to
	for j := range w.Mounts {
		w.Mounts[j].Source = Moved(w.Mounts[j].Source, from, to)
	}
	for j := range w.Command { // for runs that see the machine's files
		w.Command[j] = Moved(w.Command[j], from, to)
	}
	w.Dir = Moved(w.Dir, from, to)
}

// Moved returns the new path of a file that is at or below from, once that is at to.
func Moved(path, from, to string) string {
	if rest, ok := strings.CutPrefix(path, from); ok && (rest == "" || rest[0] == '/') {
		return to + rest
	}
	return path
}

// Content returns a File with the given bytes.
func Content(target string, content []byte) File {
	sum := sha256.Sum256(content)
	return File{Target: target, SHA256: hex.EncodeToString(sum[:]), Content: content}
}

// FromCommand returns a Work for a command and its standard input, which must not be set in the command itself. It
// rejects features for tools on this machine (writable mounts, files to collect, driver variables), and text that is
// not valid UTF-8, which JSON cannot represent.
func FromCommand(id string, c *runner.Command, stdin []byte) (*Work, error) {
	switch {
	case c.Stdin != nil || c.StdinFile != "" || c.Interact != nil:
		return nil, errors.New("set Work.Stdin, not Command.Stdin")
	case c.Collect != nil || len(c.PassEnv) > 0 || len(c.Hide) > 0 || c.OpenFiles != 0 || c.StopOutputBytes != 0 ||
		c.SoftCPUTime != 0 || c.SoftWallTime != 0:
		return nil, errors.New("the command uses an option that works do not support")
	}
	w := &Work{
		ID: id, Command: c.Argv, Dir: c.Dir, HostSystem: c.HostSystem, Env: slices.Sorted(slices.Values(c.Env)),
		OneStream: c.OneStream, TimestampLines: c.TimestampLines, Limits: c.Limits, Attach: c.Attach,
	}
	for _, m := range c.Mounts {
		if m.Writable || m.Overlay {
			return nil, fmt.Errorf("the mount of %s is writable; works support only read-only mounts", m.Source)
		}
		w.Mounts = append(w.Mounts, Mount{m.Source, m.Target, !m.Warm})
	}
	for _, in := range c.Inputs {
		if in.Source != "" || in.Mode != 0 {
			return nil, fmt.Errorf("input %s is a file of this machine or has a mode, which works do not support", in.Target)
		}
		w.Inputs = append(w.Inputs, Content(in.Target, in.Content))
	}
	if stdin != nil {
		f := Content("", stdin)
		w.Stdin = &f
	}
	return w, w.checkText()
}

// Files returns the work's files.
func (w *Work) Files() []File {
	files := slices.Clone(w.Inputs)
	if w.Stdin != nil {
		files = append(files, *w.Stdin)
	}
	return files
}

// EachFile changes the work's files.
func (w *Work) EachFile(change func(*File) error) error {
	for i := range w.Inputs {
		if err := change(&w.Inputs[i]); err != nil {
			return err
		}
	}
	if w.Stdin == nil {
		return nil
	}
	stdin := *w.Stdin
	w.Stdin = &stdin
	return change(w.Stdin)
}

// Fill reads the files that have only a digest.
func (w *Work) Fill(read func(digest string) ([]byte, error)) error {
	return w.EachFile(func(f *File) (err error) {
		if len(f.Content) == 0 && f.Path == "" && f.SHA256 != Content("", nil).SHA256 {
			f.Content, err = read(strings.ToLower(f.SHA256))
		}
		return err
	})
}

func (w *Work) checkText() error {
	all := slices.Concat([]string{w.ID, w.Dir}, w.Command, w.Env)
	for _, m := range w.Mounts {
		all = append(all, m.Source, m.Target)
	}
	for _, s := range all {
		if !utf8.ValidString(s) {
			return fmt.Errorf("%q is not UTF-8, so it cannot be written as JSON", s)
		}
	}
	return nil
}

// RunnerCommand returns the command for this machine. It reads files and checks their digests. stdin is the text of
// standard input, which the command reads directly unless a dialogue passes it on in parts.
func (w *Work) RunnerCommand() (cmd runner.Command, stdin []byte, err error) {
	switch {
	case w.ID == "":
		return cmd, nil, errors.New("the work has no id")
	case w.Here != nil:
		return *w.Here, nil, nil
	}
	cmd = runner.Command{
		Argv: w.Command, Dir: w.Dir, HostSystem: w.HostSystem, Env: w.Env, Limits: w.Limits, OneStream: w.OneStream,
		TimestampLines: w.TimestampLines, Attach: w.Attach,
	}
	for _, m := range w.Mounts {
		cmd.Mounts = append(cmd.Mounts, runner.Mount{Source: m.Source, Target: m.Target, Warm: !m.Cold})
	}
	for _, f := range w.Inputs {
		content, err := f.Read()
		if err != nil {
			return cmd, nil, fmt.Errorf("input %s: %w", f.Target, err)
		}
		cmd.Inputs = append(cmd.Inputs, runner.Input{Target: f.Target, Content: content})
	}
	if w.Stdin != nil {
		if stdin, err = w.Stdin.Read(); err != nil {
			return cmd, nil, fmt.Errorf("standard input: %w", err)
		}
		if w.Dialogue == nil {
			cmd.Stdin = bytes.NewReader(stdin)
		}
	}
	if w.Dialogue != nil && w.Stdin == nil {
		return cmd, nil, errors.New("a dialogue needs a script on stdin")
	}
	return cmd, stdin, nil
}

// Read returns the file's content after checking its digest.
func (f *File) Read() (content []byte, err error) {
	switch {
	case f.Path != "":
		content, err = os.ReadFile(f.Path)
	case f.Source != nil:
		var in io.ReadCloser
		if in, _, err = f.Source(); err == nil {
			content, err = io.ReadAll(in)
			err = errors.Join(err, in.Close())
		}
	default:
		content = f.Content
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(content)
	if got := hex.EncodeToString(sum[:]); got != strings.ToLower(f.SHA256) {
		return nil, fmt.Errorf("its content has the digest %s, not %s", got, f.SHA256)
	}
	return content, nil
}
