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

	"github.com/google/renameio/v2"
)

// Written are the files outside of the store that smtpipe wrote for one pipeline, by what they held: only such a file
// is replaced.
type Written struct {
	store *Store
	path  string
	known map[string][]Digest // path of the file → what we wrote last, or are about to write
}

// Written returns what was written for the pipeline of a name. A list that cannot be read is empty.
func (s *Store) Written(pipeline string) *Written {
	w := &Written{store: s, path: filepath.Join(s.dir, "outputs", DigestOf([]byte(pipeline)).String()[:32]+".json"),
		known: map[string][]Digest{}}
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
	return w
}

// Publish writes a file outside of the store: all of it, or nothing. A file that has the content already is left alone.
// One that holds something that was not written here is an error, unless it may be overwritten.
func (w *Written) Publish(target string, overwrite bool, write func(io.Writer) error) error {
	w.store.sweepBeside(target)
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
		return fmt.Errorf("%s is there already and cannot be read, so that it is not known whether smtpipe wrote it; "+
			"move it away, or replace it with --overwrite: %w", target, err)
	case err == nil && old == fresh:
		return w.note(target, fresh)
	case err == nil && !overwrite && !slices.Contains(w.known[target], old):
		return fmt.Errorf("%s holds something that smtpipe did not write, or that was changed since; move it away, "+
			"choose another path, or replace it with --overwrite", target)
	}
	if err := w.note(target, append(slices.Clone(w.known[target]), fresh)...); err != nil {
		return err
	}
	if err := f.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return w.note(target, fresh)
}

// note keeps what a file may hold. A kill between the two notes of a file finds either content known.
func (w *Written) note(target string, digests ...Digest) error {
	if slices.Equal(w.known[target], digests) {
		return nil
	}
	w.known[target] = digests
	stored := map[string][]string{}
	for path, all := range w.known {
		for _, d := range all {
			stored[path] = append(stored[path], d.String())
		}
	}
	data, err := json.MarshalIndent(stored, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(w.path), 0o777); err != nil {
		return ignoreReadOnly(err)
	}
	return ignoreReadOnly(writeFileAtomic(w.path, append(data, '\n')))
}

// digestFile returns the digest of a file's bytes.
func digestFile(path string) (Digest, error) {
	f, err := os.Open(path)
	if err != nil {
		return Digest{}, err
	}
	defer f.Close()
	dw := NewDigestWriter(io.Discard)
	if _, err := io.Copy(dw, f); err != nil {
		return Digest{}, err
	}
	d, _ := dw.Sum()
	return d, nil
}
