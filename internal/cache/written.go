package cache

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// Written lists the files outside the store that smtpipe wrote for one pipeline, with their content. smtpipe replaces
// only these files.
type Written struct {
	store *Store
	path  string
	known map[string][]Digest // path of the file → content that was written last or is about to be written
	files *FileIndex
	made  map[string]Digest // path of the file → source of its content
}

// Written returns the list of files written for the named pipeline. An unreadable list counts as empty. The index
// computes the digests of the written files.
func (s *Store) Written(pipeline string, files *FileIndex) *Written {
	w := &Written{store: s, path: filepath.Join(s.dir, "outputs", DigestOf([]byte(pipeline)).String()[:32]+".json"),
		known: map[string][]Digest{}, files: files, made: map[string]Digest{}}
	var stored map[string][]string
	if data, err := os.ReadFile(w.path); err == nil && json.Unmarshal(data, &stored) == nil {
		for path, texts := range stored {
			for _, text := range texts {
				if d, err := ParseDigest(text); err == nil {
					w.known[path] = append(w.known[path], d)
				}
			}
		}
	}
	var made map[string]string
	if data, err := os.ReadFile(w.madePath()); err == nil && json.Unmarshal(data, &made) == nil {
		for path, text := range made {
			if d, err := ParseDigest(text); err == nil {
				w.made[path] = d
			}
		}
	}
	return w
}

func (w *Written) madePath() string { return strings.TrimSuffix(w.path, ".json") + ".made" }

// Publish atomically writes a file outside the store. It leaves a file that already has the content alone. It returns
// an error if the existing content was not written by smtpipe, unless overwrite is true.
//
// Equal sources produce equal content: Publish does not rewrite an unchanged file that was made from the same source. A
// zero digest means that the source is unknown.
func (w *Written) Publish(target string, source Digest, overwrite bool, write func(io.Writer) error) error {
	w.store.sweepBeside(target)
	if w.isMade(target, source) {
		return nil
	}
	if err := w.publish(target, overwrite, write); err != nil {
		return err
	}
	return w.noteMade(target, source)
}

// isMade reports whether a file was made from the given source and is unchanged since it was last written.
func (w *Written) isMade(target string, source Digest) bool {
	known := w.known[target]
	if source == (Digest{}) || w.made[target] != source || len(known) != 1 {
		return false
	}
	now, _, err := w.files.Digest(target)
	return err == nil && now == known[0]
}

// noteMade records a file's source.
func (w *Written) noteMade(target string, source Digest) error {
	if w.made[target] == source {
		return nil
	}
	w.made[target] = source
	stored := map[string]string{}
	for path, d := range w.made {
		stored[path] = d.String()
	}
	return writeList(w.madePath(), stored)
}

// writeList writes a list of files as JSON, unless the store is read-only.
func writeList(path string, stored any) error {
	data, err := json.MarshalIndent(stored, "", "  ")
	if err != nil {
		return err
	}
	return ignoreReadOnly(writeFileBelow(path, append(data, '\n')))
}

func (w *Written) publish(target string, overwrite bool, write func(io.Writer) error) error {
	temp, err := w.store.tempBeside(target)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	f, err := renameio.NewPendingFile(target, renameio.WithPermissions(0o666), renameio.WithTempDir(temp))
	if err != nil {
		return err
	}
	defer f.Cleanup()
	dw := NewDigestWriter(f)
	if err := write(dw); err != nil {
		return err
	}
	fresh, _ := dw.Sum()
	old, err := digestFile(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil && !overwrite:
		return fmt.Errorf("%s already exists and cannot be read, so it is not known whether smtpipe wrote it; "+
			"move it away, or replace it with --overwrite: %w", target, err)
	case err == nil && old == fresh:
		return w.note(target, fresh)
	case err == nil && !overwrite && !slices.Contains(w.known[target], old) && !slices.Contains(listed(target), old):
		return fmt.Errorf("%s holds something that smtpipe did not write with this store, or that was changed since; "+
			"move it, choose another path, or replace it with --overwrite", target)
	}
	if err := w.note(target, append(slices.Clone(w.known[target]), fresh)...); err != nil {
		return err
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return w.note(target, fresh)
}

// note records the possible contents of a file. Publish calls it before and after writing: even if the process is
// killed in between, the content is known.
func (w *Written) note(target string, digests ...Digest) error {
	if slices.Equal(w.known[target], digests) {
		return nil
	}
	if err := list(target, digests); err != nil && !errors.Is(err, fs.ErrPermission) { // another user's, as in /tmp
		return err
	}
	w.known[target] = digests
	stored := map[string][]string{}
	for path, all := range w.known {
		for _, d := range all {
			stored[path] = append(stored[path], d.String())
		}
	}
	return writeList(w.path, stored)
}

// listName is a file next to outputs that makes them recognisable without the store of the process that wrote them. It
// has one line for each possible content of each output: the digest and the quoted name.
const listName = ".smtpipe-outputs"

// listed returns the contents that smtpipe last wrote to a file, according to the list next to the file.
func listed(target string) (all []Digest) {
	text, err := limits.Sums.ReadFile(filepath.Join(filepath.Dir(target), listName))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		digest, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if d, err := ParseDigest(digest); err == nil && name == strconv.Quote(filepath.Base(target)) {
			all = append(all, d)
		}
	}
	return all
}

// list replaces a file's lines in the list next to it. An unreadable list is started anew.
func list(target string, digests []Digest) error {
	path := filepath.Join(filepath.Dir(target), listName)
	own := "  " + strconv.Quote(filepath.Base(target)) + "\n"
	var b strings.Builder
	if text, err := limits.Sums.ReadFile(path); err == nil {
		for line := range strings.Lines(string(text)) {
			if !strings.HasSuffix(line, own) {
				b.WriteString(line)
			}
		}
	}
	for _, d := range digests {
		b.WriteString(d.String() + own)
	}
	return writeFileAtomic(path, []byte(b.String()))
}

// digestFile returns the digest of a file's content.
func digestFile(path string) (Digest, error) {
	f, err := os.Open(path)
	if err != nil {
		return Digest{}, err
	}
	defer f.Close()
	d, _, err := DigestAll(f)
	return d, err
}
