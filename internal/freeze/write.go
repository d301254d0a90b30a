package freeze

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/frozen"
)

// write writes all files beside the target and gives them its name when all are there.
func (f *freezing) write(ctx context.Context, target string) error {
	target, err := filepath.Abs(target)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s is there already; move it away, or choose another name", target), err)
	}
	f.announce()
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(target), ".smtpipe-freeze-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	made := filepath.Join(temp, folderName(target))
	w := &writer{dir: made, sums: frozen.Sums{}, progress: f.Progress}
	if err := f.writeAll(ctx, w); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(made, frozen.SumsName), w.sums.Encode(), 0o644); err != nil {
		return err
	}
	if err := f.sign(made); err != nil {
		return err
	}
	if packer := packerOf(target); packer != nil {
		archive := filepath.Join(temp, "archive")
		if err := packer(archive, made); err != nil {
			return err
		}
		made = archive
	}
	return os.Rename(made, target)
}

// sign writes the signature of the lock beside it.
func (f *freezing) sign(dir string) error {
	if f.Sign == nil {
		return nil
	}
	sig, err := f.Sign(f.lock.Encode())
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, frozen.SignatureName), sig, 0o644)
}

// folderName is the name of the folder that an archive holds.
func folderName(target string) string {
	name := filepath.Base(target)
	for _, suffix := range []string{".zip", ".tar.zst"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

func (f *freezing) announce() {
	if f.Announce == nil {
		return
	}
	var bytes int64
	for _, it := range f.items {
		bytes += max(it.size, 0)
	}
	f.Announce(len(f.items)+len(f.outputs)+len(f.inputs), bytes)
}

// writeAll writes the files on all cores.
func (f *freezing) writeAll(ctx context.Context, w *writer) error {
	slices.SortFunc(f.items, func(a, b item) int { return strings.Compare(a.path, b.path) })
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, it := range f.items {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return w.write(it)
		})
	}
	for name, digests := range map[string][]cache.Digest{frozen.OutputsName: f.outputs, frozen.ScriptsName: f.inputs} {
		if len(digests) == 0 {
			continue
		}
		group.Go(func() error {
			return w.write(item{path: name, mode: 0o644, members: len(digests), write: func(w io.Writer) error {
				return writeZip(ctx, w, f.Store, digests)
			}})
		})
	}
	return group.Wait()
}

// writer writes files into a folder and notes their digests.
type writer struct {
	dir      string
	progress func(files int) // nil: nobody is told

	mu   sync.Mutex
	sums frozen.Sums
}

func (w *writer) write(it item) error {
	path := filepath.Join(w.dir, filepath.FromSlash(it.path))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, it.mode)
	if err != nil {
		return err
	}
	dw := cache.NewDigestWriter(file)
	if err := errors.Join(it.write(dw), file.Close()); err != nil {
		return fmt.Errorf("%s: %w", it.path, err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sums[it.path], _ = dw.Sum()
	w.done(it.members)
	return nil
}

// done tells that a file is written, or an archive of so many.
func (w *writer) done(members int) {
	if w.progress != nil {
		w.progress(max(members, 1))
	}
}

// writeZip writes content into an archive, each by the name of its digest. The archive has no times in it.
func writeZip(ctx context.Context, w io.Writer, store *cache.Store, digests []cache.Digest) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestSpeed)
	})
	var content bytes.Buffer
	for _, d := range digests {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		content.Reset()
		if err := copyBlob(&content, store, d); err != nil {
			return err
		}
		member, err := z.CreateHeader(&zip.FileHeader{Name: d.String(), Method: zip.Deflate})
		if err != nil {
			return err
		}
		if _, err := content.WriteTo(member); err != nil {
			return err
		}
	}
	return z.Close()
}
