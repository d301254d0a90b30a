package freeze

import (
	"archive/zip"
	"bytes"
	"cmp"
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

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/cache"
)

// write writes all files next to the target, and renames the folder to the target once all files are complete.
func (f *freezing) write(ctx context.Context, target string) error {
	target, err := filepath.Abs(target)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s already exists; move it, or choose another name", target), err)
	}
	items := f.allItems(ctx)
	f.announce()
	p, err := openPartial(target)
	if err != nil {
		return err
	}
	if err := f.fill(ctx, p, items, target); err != nil {
		if ctx.Err() != nil {
			return errors.Join(err, p.close()) // the next freeze continues with these files
		}
		return errors.Join(err, p.remove())
	}
	return p.remove()
}

// fill writes all files to the partial folder, and renames the folder or its archive to the target.
func (f *freezing) fill(ctx context.Context, p *partial, items []item, target string) error {
	kept, err := p.keep(items)
	if err != nil {
		return err
	}
	if f.Resume != nil && len(kept) > 0 {
		f.Resume(len(kept))
	}
	w := &writer{partial: p, kept: kept, files: map[string]frozen.File{}, progress: f.Progress}
	if err := w.writeAll(ctx, items); err != nil {
		return err
	}
	f.lock.Files = w.files
	if err := f.seal(p.made); err != nil {
		return err
	}
	made := p.made
	if packer := packerOf(target); packer != nil {
		made = filepath.Join(p.dir, "archive")
		if err := packer(made, p.made); err != nil {
			return err
		}
	}
	return os.Rename(made, target)
}

// seal writes the lock, which names all files, the list of digests that follows from the lock, and the lock's
// signature.
func (f *freezing) seal(dir string) error {
	lock := f.lock.Encode()
	files := map[string][]byte{frozen.LockName: lock, frozen.SumsName: f.lock.Sums().Encode()}
	if f.Sign != nil {
		sig, err := f.Sign(lock)
		if err != nil {
			return err
		}
		files[frozen.SignatureName] = sig
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// folderName returns the name of the folder inside an archive.
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
	if f.Level == Outputs && len(f.inputs) > 0 && f.Scripts != nil {
		defer func() { f.Scripts(len(f.inputs), f.sizeOf(f.inputs)) }()
	}
	f.Announce(len(f.items)+len(f.outputs)+len(f.inputs), bytes, f.sizeOf(f.outputs)+f.sizeOf(f.inputs))
}

// sizeOf estimates the total size of contents from a sample.
func (f *freezing) sizeOf(digests []cache.Digest) int64 {
	const most = 256
	var bytes, known int64
	for i := 0; i < len(digests); i += 1 + len(digests)/most {
		if b, err := f.Store.OpenBlob(digests[i]); err == nil { // writing unreadable content reports the error
			bytes, known = bytes+b.Size, known+1
			b.Close()
		}
	}
	return bytes * int64(len(digests)) / max(known, 1)
}

// allItems returns the folder's files, including the archives of small content.
func (f *freezing) allItems(ctx context.Context) []item {
	all := slices.Clone(f.items)
	for name, digests := range map[string][]cache.Digest{frozen.OutputsName: f.outputs, frozen.ScriptsName: f.inputs} {
		if len(digests) == 0 {
			continue
		}
		all = append(all, item{path: name, mode: 0o644, members: len(digests), from: madeFrom(f.Version, digests),
			write: func(w io.Writer) error { return writeZip(ctx, w, f.Store, digests) }})
	}
	// archives first, because they take longest
	slices.SortFunc(all, func(a, b item) int {
		return cmp.Or(cmp.Compare(b.members, a.members), strings.Compare(a.path, b.path))
	})
	return all
}

// writeAll writes the files using all cores.
func (w *writer) writeAll(ctx context.Context, items []item) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, it := range items {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return w.write(it)
		})
	}
	return group.Wait()
}

// writer writes files to a partial folder and records their digests.
type writer struct {
	partial  *partial
	kept     map[string]frozen.File // files that already exist
	progress func(files int)        // receives the number of finished files; may be nil

	mu    sync.Mutex
	files map[string]frozen.File
}

func (w *writer) write(it item) error {
	file, there := w.kept[it.path]
	if !there {
		var err error
		if file, err = w.create(it); err != nil {
			return fmt.Errorf("%s: %w", it.path, err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[it.path] = file
	w.done(it.members)
	return nil
}

func (w *writer) create(it item) (frozen.File, error) {
	path := filepath.Join(w.partial.made, filepath.FromSlash(it.path))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return frozen.File{}, err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, it.mode)
	if err != nil {
		return frozen.File{}, err
	}
	dw := cache.NewDigestWriter(file)
	if err := errors.Join(it.write(dw), file.Close()); err != nil {
		return frozen.File{}, err
	}
	digest, size := dw.Sum()
	if it.from != "" {
		err = w.partial.note(it, digest)
	}
	return frozen.File{Digest: digest, Bytes: size}, err
}

// done reports that a file, or an archive with the given number of members, has been written.
func (w *writer) done(members int) {
	if w.progress != nil {
		w.progress(max(members, 1))
	}
}

// writeZip writes contents to an archive. Each member's name is its digest. The archive contains no times.
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
