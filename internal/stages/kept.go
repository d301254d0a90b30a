package stages

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// Kept is what executions of a kind of stage keep in a store for later ones: files, by what they depend on. Collecting
// garbage removes their content. A nil Kept keeps nothing.
type Kept struct {
	store    *cache.Store
	items    *cache.Items
	kind     *Kind
	readOnly bool
}

// Kept returns what executions of a kind of stage keep, or nil if this one must not reuse anything.
func (e *Env) Kept(kind *Kind) (*Kept, error) {
	if e.Healing || e.Recheck {
		return nil, nil
	}
	return KeptIn(e.Store, kind)
}

// KeptIn returns what executions of a kind of stage keep in a store. What they keep in the store behind an overlay is
// only read, because the overlay's content is temporary.
func KeptIn(store *cache.Store, kind *Kind) (*Kept, error) {
	k, from := &Kept{store: store, kind: kind}, store
	if behind := store.Behind(); behind != nil {
		k.readOnly, from = true, behind
	}
	var err error
	k.items, err = from.Items(kind.Name)
	return k, err
}

// Kept calls read with the content kept under an id. It returns false if there is none, or if read fails.
func (k *Kept) Kept(id string, read func(io.Reader) error) bool {
	f, ok := k.File(id)
	if !ok || k.store.Verify(f.Digest) != nil {
		return false
	}
	b, err := k.store.OpenBlob(f.Digest)
	if err != nil {
		return false
	}
	defer b.Close()
	return read(b.Reader()) == nil
}

// Keep keeps what write writes under an id. It calls write unless k is nil.
func (k *Kept) Keep(id string, write func(io.Writer) error) error {
	switch {
	case k == nil:
		return nil
	case k.readOnly:
		return write(io.Discard)
	}
	d, size, err := k.store.Write(write)
	if err != nil {
		return err
	}
	return k.PutFile(id, cache.ManifestFile{Digest: d, Size: size})
}

func (k *Kept) key(id string) cache.Key {
	w := cache.NewKeyWriter("kept")
	w.Int(k.kind.Name, int64(k.kind.Version))
	w.String("program", program())
	w.String("id", id)
	return w.Key()
}

// program identifies the build of smtpipe: another one may keep data in another form.
var program = sync.OnceValue(func() string {
	path, err := os.Executable()
	if err != nil {
		return err.Error()
	}
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
})

// File returns the digest and size of the file under an id. The store may no longer have its content.
func (k *Kept) File(id string) (f cache.ManifestFile, ok bool) {
	if k == nil {
		return f, false
	}
	record, _, err := k.items.Get(k.key(id))
	n := copy(f.Digest[:], record)
	if err != nil || len(record) != n+8 {
		return f, false
	}
	f.Size = int64(binary.BigEndian.Uint64(record[n:]))
	return f, true
}

// PutFile keeps a file that is in the store under an id.
func (k *Kept) PutFile(id string, f cache.ManifestFile) error {
	if k == nil || k.readOnly {
		return nil
	}
	return k.items.Put(k.key(id), binary.BigEndian.AppendUint64(f.Digest[:], uint64(f.Size)))
}
