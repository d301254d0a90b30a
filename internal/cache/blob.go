package cache

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"
)

// packLimit is the largest blob, in bytes, that is stored in a pack rather than in its own file.
const packLimit = 64 << 10

// The first byte of a packed blob names the encoding of the remaining bytes.
const (
	packedRaw  = 0
	packedZstd = 1
)

var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false))
		if err != nil {
			panic(err) // impossible: the options are constants
		}
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(packLimit))
		if err != nil {
			panic(err) // impossible: the options are constants
		}
		return d
	})
)

// PutBytes stores b and returns its digest. For bytes that are already stored, it only looks up the digest.
func (s *Store) PutBytes(b []byte) (Digest, error) {
	if len(b) > packLimit {
		d, _, err := s.Write(func(w io.Writer) error {
			_, err := w.Write(b)
			return err
		})
		return d, err
	}
	d := DigestOf(b)
	if s.packs.whole(d) && s.packs.has(d) { // damaged bytes must be stored again
		return d, nil
	}
	return d, s.packs.put(d, pack(b))
}

// pack returns the stored form of a small blob. It compresses the blob if that saves at least an eighth.
func pack(b []byte) []byte {
	if len(b) >= 64 {
		z := encoder().EncodeAll(b, []byte{packedZstd})
		if len(z) < len(b)-len(b)/8 {
			return z
		}
	}
	return append([]byte{packedRaw}, b...)
}

// unpackOf unpacks a small blob and checks it against its digest.
func unpackOf(d Digest, stored []byte) ([]byte, error) {
	b, err := unpack(stored)
	if err == nil && DigestOf(b) != d {
		err = errWrongBytes
	}
	return b, err
}

func unpack(stored []byte) ([]byte, error) {
	if len(stored) == 0 {
		return nil, errors.New("it is empty")
	}
	switch stored[0] {
	case packedRaw:
		return bytes.Clone(stored[1:]), nil
	case packedZstd:
		return decoder().DecodeAll(stored[1:], nil)
	}
	return nil, fmt.Errorf("it has the unknown form %d", stored[0])
}

// Write stores the bytes that write produces, and returns their digest and size. If write fails, Write stores nothing.
func (s *Store) Write(write func(w io.Writer) error) (Digest, int64, error) {
	var small bytes.Buffer
	spill := &spillWriter{store: s, small: &small}
	defer spill.abandon()
	dw := NewDigestWriter(spill)
	if err := write(dw); err != nil {
		return Digest{}, 0, err
	}
	d, size := dw.Sum()
	if spill.file == nil {
		_, err := s.PutBytes(small.Bytes())
		return d, size, err
	}
	return d, size, spill.commit(d)
}

// PutFile stores a copy of the file at path.
func (s *Store) PutFile(path string) (Digest, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return Digest{}, 0, err
	}
	defer f.Close()
	return s.Write(func(w io.Writer) error {
		_, err := io.Copy(w, f)
		return err
	})
}

// spillWriter keeps up to packLimit bytes in memory and writes larger content to a temporary file.
type spillWriter struct {
	store *Store
	small *bytes.Buffer
	file  *os.File
}

func (w *spillWriter) Write(p []byte) (int, error) {
	if w.file == nil {
		if w.small.Len()+len(p) <= packLimit {
			return w.small.Write(p)
		}
		tmp := filepath.Join(w.store.dir, "tmp")
		if err := os.MkdirAll(tmp, 0o777); err != nil {
			return 0, err
		}
		f, err := os.CreateTemp(tmp, w.store.tempName("blob"))
		if err != nil {
			return 0, err
		}
		w.file = f
		if _, err := f.Write(w.small.Bytes()); err != nil {
			return 0, err
		}
	}
	return w.file.Write(p)
}

// commit renames the temporary file to its name in the store. It replaces any existing file, which may be damaged.
func (w *spillWriter) commit(d Digest) error {
	path := w.store.blobPath(d)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	if err := w.file.Chmod(0o444); err != nil {
		return err
	}
	if w.store.durability != Relaxed {
		if err := w.file.Sync(); err != nil {
			return err
		}
	}
	if err := os.Rename(w.file.Name(), path); err != nil {
		return err
	}
	err := w.file.Close()
	w.file = nil
	return errors.Join(err, syncDir(filepath.Dir(path)))
}

func (w *spillWriter) abandon() {
	if w.file != nil {
		w.file.Close()
		os.Remove(w.file.Name())
	}
}

func (s *Store) blobPath(d Digest) string {
	hex := d.String()
	return filepath.Join(s.dir, "blobs", hex[:2], hex)
}

// Has reports whether the store has the blob, without reading it.
func (s *Store) Has(d Digest) bool {
	if s.packs.has(d) {
		return true
	}
	if _, err := os.Stat(s.blobPath(d)); err == nil || s.behind != nil && s.behind.Has(d) {
		return true
	}
	return s.packs.refresh() && s.packs.has(d)
}

// ReadBytes returns a blob's bytes after checking them against its digest. The error is a *MissingError for a missing
// blob and a *CorruptError for a damaged one. ReadBytes moves a damaged blob aside to let it be stored again.
func (s *Store) ReadBytes(d Digest) ([]byte, error) {
	b, err := s.readBytes(d)
	if s.writtenSince(err) {
		return s.readBytes(d)
	}
	return b, err
}

// writtenSince reports whether missing content may have been written by another process since the store was opened.
func (s *Store) writtenSince(err error) bool {
	_, missing := errors.AsType[*MissingError](err)
	return missing && s.packs.refresh()
}

func (s *Store) readBytes(d Digest) ([]byte, error) {
	if stored, ok, err := s.packs.get(d); err != nil {
		return nil, err
	} else if ok {
		b, err := unpackOf(d, stored)
		if err != nil {
			s.packs.damaged.Store([32]byte(d), true)
			return nil, &CorruptError{What: "blob " + d.String(), Why: err.Error()}
		}
		return b, nil
	}
	b, err := os.ReadFile(s.blobPath(d))
	if errors.Is(err, fs.ErrNotExist) && s.behind != nil {
		return s.behind.ReadBytes(d)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.Fetch(d); err != nil {
			return nil, err
		}
		return s.ReadBytes(d)
	}
	if err != nil {
		return nil, err
	}
	if DigestOf(b) != d {
		return nil, s.putAside(d, s.wrongBytes(d))
	}
	return b, nil
}

var errWrongBytes = errors.New("its content does not match its digest")

func (s *Store) wrongBytes(d Digest) error {
	return &CorruptError{What: "blob " + s.blobPath(d), Why: errWrongBytes.Error()}
}

// putAside moves a damaged blob aside if it has its own file. It returns wrong.
func (s *Store) putAside(d Digest, wrong error) error {
	path := s.blobPath(d)
	err := os.Rename(path, path+".damaged")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.EROFS) {
		err = nil
	}
	return errors.Join(wrong, err)
}

// Blob is an open blob.
type Blob struct {
	io.ReaderAt
	Size int64
	file *os.File
}

// Reader returns a reader that starts at the beginning of the blob.
func (b *Blob) Reader() io.Reader { return io.NewSectionReader(b, 0, b.Size) }

// Close closes the blob.
func (b *Blob) Close() error {
	if b.file != nil {
		return b.file.Close()
	}
	return nil
}

// EndOf returns a blob's last n bytes, or all of a shorter blob.
func (s *Store) EndOf(d Digest, n int64) ([]byte, error) {
	b, err := s.OpenBlob(d)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	end := make([]byte, min(n, b.Size))
	_, err = io.ReadFull(io.NewSectionReader(b, b.Size-int64(len(end)), n), end)
	return end, err
}

// OpenBlob opens a blob for random access. It does not check a large blob against its digest: the caller must check the
// bytes that it reads, or call Verify first.
func (s *Store) OpenBlob(d Digest) (*Blob, error) {
	b, err := s.openBlob(d)
	if s.writtenSince(err) {
		return s.openBlob(d)
	}
	return b, err
}

func (s *Store) openBlob(d Digest) (*Blob, error) {
	if s.packs.has(d) {
		b, err := s.ReadBytes(d)
		if err != nil {
			return nil, err
		}
		return &Blob{ReaderAt: bytes.NewReader(b), Size: int64(len(b))}, nil
	}
	f, err := os.Open(s.blobPath(d))
	if errors.Is(err, fs.ErrNotExist) && s.behind != nil {
		return s.behind.OpenBlob(d)
	}
	if errors.Is(err, fs.ErrNotExist) {
		if err := s.Fetch(d); err != nil {
			return nil, err
		}
		return s.OpenBlob(d)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Blob{ReaderAt: f, Size: info.Size(), file: f}, nil
}

// Verify reads a blob and checks it against its digest. A damaged blob is moved aside.
func (s *Store) Verify(d Digest) error {
	err := s.inspectBlob(d)
	if _, corrupt := errors.AsType[*CorruptError](err); corrupt {
		return s.putAside(d, err)
	}
	return err
}

// inspectBlob reads a blob and checks it against its digest.
func (s *Store) inspectBlob(d Digest) error {
	b, err := s.OpenBlob(d)
	if err != nil {
		return err
	}
	defer b.Close()
	got, _, err := DigestAll(b.Reader())
	if err == nil && got != d {
		return s.wrongBytes(d)
	}
	return err
}
