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

// The formats of chunks and of results. A reader refuses others.
const (
	WorkFormat   = "smtpipe-work/1"
	ResultFormat = "smtpipe-results/1"
)

// Header is the first line of a chunk: the requirements of all its runs on the machine.
type Header struct {
	Format string `json:"format"` // WorkFormat
	// Isolation is the level that every run must have (full, cgroup, namespaces, none); best_effort is refused, because
	// the paths in a work are those that the run sees.
	Isolation   runner.Isolation `json:"isolation"`
	Cores       int              `json:"cores"`        // of one run
	MemoryBytes int64            `json:"memory_bytes"` // of one run
	Jobs        int              `json:"jobs,omitempty"`
	// Hardware is the profile on which the runs must be measured (runner.Profile.String); empty means any.
	Hardware string `json:"hardware,omitempty"`
}

// Work is one run to execute.
type Work struct {
	ID string `json:"id"` // of the result; unique in a chunk

	Command    []string    `json:"command"`
	Dir        string      `json:"dir,omitempty"` // inside; empty: the run's own folder
	HostSystem bool        `json:"host_system,omitempty"`
	Mounts     []Mount     `json:"mounts,omitempty"`
	Inputs     []File      `json:"inputs,omitempty"`
	Stdin      *File       `json:"stdin,omitempty"`
	Env        []string    `json:"environment,omitempty"` // NAME=VALUE, sorted, in addition to those of every run
	Limits     comp.Limits `json:"limits"`
	// OneStream captures stderr with stdout, in the order of writing.
	OneStream bool `json:"one_stream,omitempty"`
	// TimestampLines is the number of lines of stdout whose time of arrival is recorded. It is always recorded for
	// answers.
	TimestampLines int `json:"timestamp_lines,omitempty"`
	// Dialogue sends the commands of Stdin, a script of the incremental track, one by one.
	Dialogue *Dialogue `json:"dialogue,omitempty"`
	// Verify are the programs that the worker must have, byte by byte.
	Verify []Digest `json:"verify,omitempty"`
	// Followed means that the next work of the chunk is of the same group: it is executed in the same place right after
	// this one, and the results of a group are written together.
	Followed bool `json:"followed,omitempty"`
	// About is for executors that do not pass works on. It is not part of a chunk.
	About *About `json:"-"`
	// Here is the command of a tool for this machine, in place of everything but ID. It may have what no work carries,
	// and the record of a run that was interrupted counts. It is not part of a chunk: elsewhere there is no command.
	Here *runner.Command `json:"-"`
}

// About describes a work. Only executors that write files for people and other programs need it. A run never sees it.
type About struct {
	Benchmark string // place in the release
	Logic     string
	Family    string
	Status    string // sat, unsat or unknown; empty: several check-sats
	Number    int    // of the benchmark among those of the stage, from 0
	Script    int    // of the script among those of the stage, in an order that reveals nothing about the benchmarks
	Solver    string
	// Participation is the number of the participation in the submission.
	Participation int
	Track         string
	Image         string // the root file system, for people; empty: none
}

// Mount shows a folder or file of the worker's machine inside, read-only. Unless it is cold, it is read before its
// first run; see runner.Mount.Warm.
type Mount struct {
	Source string `json:"source"`
	Target string `json:"target"`
	Cold   bool   `json:"cold,omitempty"`
}

// File is a file for a run: bytes, or a file that the worker can read.
type File struct {
	Target  string `json:"target,omitempty"` // inside; of inputs only
	SHA256  string `json:"sha256"`           // of the content, hex
	Content []byte `json:"content,omitempty"`
	Path    string `json:"path,omitempty"` // on the worker's machine; empty: Content
	// Source opens the content in place of Content, for executors that send each content once.
	Source Source `json:"-"`
}

// Source opens content of a known size. It is read from beginning to end, a piece at a time.
type Source func() (content io.ReadCloser, size int64, err error)

// SourceOf returns bytes that are in memory.
func SourceOf(content []byte) Source {
	return func() (io.ReadCloser, int64, error) {
		return io.NopCloser(bytes.NewReader(content)), int64(len(content)), nil
	}
}

// Dialogue is how the commands of an incremental script are given.
type Dialogue struct {
	ContinueAfterUnknown bool `json:"continue_after_unknown,omitempty"`
}

// Digest is a program with everything that it loads, or the tree of a folder, with its digest; see Fingerprint.
type Digest struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Tree   bool   `json:"tree,omitempty"`
	// Root means that the tree is a root file system, whose links may say anything.
	Root bool `json:"root,omitempty"`
}

// MoveTree makes the work use the tree i of Verify at its new place.
func (w *Work) MoveTree(i int, to string) {
	from := w.Verify[i].Path
	w.Verify = slices.Clone(w.Verify)
	w.Verify[i].Path = to
	for j := range w.Mounts {
		w.Mounts[j].Source = moved(w.Mounts[j].Source, from, to)
	}
	for j := range w.Command { // of a run that sees the machine's files
		w.Command[j] = moved(w.Command[j], from, to)
	}
	w.Dir = moved(w.Dir, from, to)
}

// moved returns the path where the file is after a folder has been copied.
func moved(path, from, to string) string {
	if rest, ok := strings.CutPrefix(path, from); ok && (rest == "" || rest[0] == '/') {
		return to + rest
	}
	return path
}

// Content returns a File of bytes.
func Content(target string, content []byte) File {
	sum := sha256.Sum256(content)
	return File{Target: target, SHA256: hex.EncodeToString(sum[:]), Content: content}
}

// FromCommand returns a Work from a command and its standard input, which the command itself must not have. Features
// for tools of this machine only (writable mounts, files to collect, variables of the driver) are errors, and so is
// text that is not UTF-8, which JSON cannot carry.
func FromCommand(id string, c *runner.Command, stdin []byte) (*Work, error) {
	switch {
	case c.Stdin != nil || c.StdinFile != "" || c.Interact != nil:
		return nil, errors.New("standard input goes into the work, not into its command")
	case c.Collect != nil || len(c.PassEnv) > 0 || len(c.Hide) > 0 || c.OpenFiles != 0 || c.StopOutputBytes != 0 ||
		c.SoftCPUTime != 0 || c.SoftWallTime != 0:
		return nil, errors.New("the command has an option that no work carries")
	}
	w := &Work{
		ID: id, Command: c.Argv, Dir: c.Dir, HostSystem: c.HostSystem, Env: slices.Sorted(slices.Values(c.Env)),
		OneStream: c.OneStream, TimestampLines: c.TimestampLines, Limits: c.Limits,
	}
	for _, m := range c.Mounts {
		if m.Writable || m.Overlay {
			return nil, fmt.Errorf("the mount of %s can be written to, which no work carries", m.Source)
		}
		w.Mounts = append(w.Mounts, Mount{m.Source, m.Target, !m.Warm})
	}
	for _, in := range c.Inputs {
		if in.Source != "" || in.Mode != 0 {
			return nil, fmt.Errorf("input %s is a file of this machine or has a mode, which no work carries", in.Target)
		}
		w.Inputs = append(w.Inputs, Content(in.Target, in.Content))
	}
	if stdin != nil {
		f := Content("", stdin)
		w.Stdin = &f
	}
	return w, w.checkText()
}

// Files returns the files of the work.
func (w *Work) Files() []File {
	files := slices.Clone(w.Inputs)
	if w.Stdin != nil {
		files = append(files, *w.Stdin)
	}
	return files
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

// RunnerCommand returns the command for this machine. Files are read, and their digests are checked. stdin is the text
// of standard input, which the command reads unless a dialogue passes it piece by piece.
func (w *Work) RunnerCommand() (cmd runner.Command, stdin []byte, err error) {
	switch {
	case w.ID == "":
		return cmd, nil, errors.New("the work has no id")
	case w.Here != nil:
		return *w.Here, nil, nil
	}
	cmd = runner.Command{
		Argv: w.Command, Dir: w.Dir, HostSystem: w.HostSystem, Env: w.Env, Limits: w.Limits, OneStream: w.OneStream,
		TimestampLines: w.TimestampLines,
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
		return cmd, nil, errors.New("a dialogue needs a script as stdin")
	}
	return cmd, stdin, nil
}

// Read returns the content of a file, which has been compared with its digest.
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
