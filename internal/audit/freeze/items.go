package freeze

import (
	"io"
	"io/fs"
	"os"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// item is a file to write to the folder.
type item struct {
	path  string // path in the folder, with slashes
	mode  fs.FileMode
	size  int64 // approximate size; -1 means unknown but small
	write func(w io.Writer) error

	members int    // number of members of an archive
	from    string // source of the content (madeFrom); if empty, every freeze rewrites the file
}

// add adds a file unless it has already been added: two outputs, or two names in the pipeline, may be the same file.
func (f *freezing) add(it item) {
	if !f.taken[it.path] {
		f.taken[it.path] = true
		f.items = append(f.items, it)
	}
}

func bytesItem(path string, content []byte) item {
	return item{path: path, mode: 0o644, size: int64(len(content)), write: func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	}}
}

func fileItem(path, from string, mode fs.FileMode) item {
	it := item{path: path, mode: mode, size: -1, write: func(w io.Writer) error {
		r, err := os.Open(from)
		if err != nil {
			return err
		}
		defer r.Close()
		_, err = io.Copy(w, r)
		return err
	}}
	if info, err := os.Stat(from); err == nil {
		it.size, it.from = info.Size(), madeFrom("file", from, info.Size(), info.ModTime().UnixNano(), mode)
	}
	return it
}

// blobItem returns an item for stored content, which is checked when it is written.
func (f *freezing) blobItem(path string, d cache.Digest, size int64) item {
	f.plain[d] = true
	return item{path: path, mode: 0o644, size: size, from: madeFrom("blob", d),
		write: func(w io.Writer) error { return copyBlob(w, f.Store, d) }}
}

// copyBlob writes content after checking it and, if necessary, fetching it.
func copyBlob(w io.Writer, store *cache.Store, d cache.Digest) error {
	b, err := store.OpenBlob(d)
	if err != nil {
		return err
	}
	defer b.Close()
	dw := cache.NewDigestWriter(w)
	if _, err := io.Copy(dw, b.Reader()); err != nil {
		return err
	}
	if got, _ := dw.Sum(); got != d {
		return &cache.CorruptError{What: "blob " + d.String(), Why: "its content does not match its digest"}
	}
	return nil
}
