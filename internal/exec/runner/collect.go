package runner

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/data/run"
)

const (
	defaultCollectBytes = 1e9
	defaultCollectFiles = 1000
)

// collect copies the requested files out of the working folder. The command owns this folder, which may contain
// anything. Therefore collect accesses it only through os.Root, never follows links, and opens only regular files.
func (e *execution) collect(folder string) []CollectedFile {
	want := e.cmd.Collect
	if want == nil {
		return nil
	}
	from, err := os.OpenRoot(folder)
	if err != nil {
		e.flags |= FlagCollectPartly
		return nil
	}
	defer from.Close()
	into, err := os.OpenRoot(want.Into)
	if err != nil {
		e.flags |= FlagCollectPartly
		return nil
	}
	defer into.Close()
	c := collector{from: from, into: into, want: want, bytes: want.MaxBytes, files: want.MaxFiles,
		entries: 100 * defaultCollectFiles}
	if c.bytes == 0 {
		c.bytes = defaultCollectBytes
	}
	if c.files == 0 {
		c.files = defaultCollectFiles
	}
	c.folder(".", 0)
	if c.refused {
		e.flags |= FlagCollectPartly
	}
	return c.done
}

// collector is a collection in progress.
type collector struct {
	from, into *os.Root
	want       *Collect
	bytes      int64 // number of bytes that may still be copied
	files      int
	entries    int // maximum number of entries in a folder to look at
	done       []CollectedFile
	refused    bool
}

const maxCollectDepth = 32

func (c *collector) folder(dir string, depth int) {
	if depth > maxCollectDepth {
		c.refused = true
		return
	}
	f, err := c.from.OpenFile(dir, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
	if err != nil {
		c.refused = true
		return
	}
	entries, err := f.ReadDir(c.entries)
	f.Close()
	if err != nil && err != io.EOF || len(entries) == c.entries {
		c.refused = true // files may be missing
	}
	sortEntries(entries)
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case e.IsDir():
			c.folder(name, depth+1)
		case c.wanted(name) && !e.Type().IsRegular():
			c.refused = true
		case c.wanted(name):
			if err := c.file(name); err != nil {
				c.refused = true
			}
		}
	}
}

func (c *collector) wanted(name string) bool {
	for _, p := range c.want.Patterns {
		if p == "**" {
			return true
		}
		if ok, _ := path.Match(p, name); ok {
			return true
		}
	}
	return false
}

// openLeft opens a file that the command left behind. It returns os.ErrInvalid for anything but a regular file.
func openLeft(folder *os.Root, name string) (*os.File, int64, error) {
	in, err := folder.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := in.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = os.ErrInvalid
	}
	if err != nil {
		return nil, 0, errors.Join(err, in.Close())
	}
	return in, info.Size(), nil
}

// attachment returns the file to attach, preceded by its mark, or nil if the command left none. Like collect, it does
// not trust the folder.
func (e *execution) attachment(folder string) []byte {
	name := e.cmd.Attach
	if name == "" {
		return nil
	}
	from, err := os.OpenRoot(folder)
	if err != nil {
		e.flags |= FlagCollectPartly
		return nil
	}
	defer from.Close()
	info, err := from.Lstat(name) // os.Root follows links that stay inside the folder
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !info.Mode().IsRegular() {
		e.flags |= FlagCollectPartly
		return nil
	}
	in, size, err := openLeft(from, name)
	if err != nil {
		e.flags |= FlagCollectPartly
		return nil
	}
	defer in.Close()
	if size > e.outputBytes() {
		e.flags |= FlagTruncated
		return nil
	}
	content := make([]byte, len(run.AttachedMark)+int(size))
	if _, err := io.ReadFull(in, content[copy(content, run.AttachedMark):]); err != nil {
		e.flags |= FlagCollectPartly
		return nil
	}
	return content
}

// outputBytes returns the limit on captured output.
func (e *execution) outputBytes() int64 { return cmp.Or(e.cmd.Limits.OutputBytes, defaultOutputBytes) }

// attach appends an attachment to the captured output unless both together exceed the limit.
func (e *execution) attach(out *Output, more []byte) {
	switch {
	case more == nil:
	case out.Dropped() > 0 || out.Total+int64(len(more)) > e.outputBytes():
		e.flags |= FlagTruncated
	default:
		out.Head, out.Tail = append(out.Bytes(), more...), nil
		out.Total += int64(len(more))
	}
}

func (c *collector) file(name string) error {
	in, size, err := openLeft(c.from, name)
	if err != nil {
		return err
	}
	defer in.Close()
	if size > c.bytes || c.files == 0 {
		return os.ErrInvalid
	}
	if err := c.into.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	out, err := c.into.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	n, err := io.Copy(out, io.LimitReader(in, c.bytes))
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	c.bytes -= n
	c.files--
	c.done = append(c.done, CollectedFile{Path: name, Size: n})
	return nil
}

// sortEntries sorts by name: which files fit within a limit must not depend on the file system.
func sortEntries(entries []os.DirEntry) {
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
}
