package report

import (
	"encoding/binary"
	"io"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// Kept is what earlier reports keep in a store: files of sites and data, by what they depend on.
type Kept struct {
	store    *cache.Store
	items    *cache.Items
	readOnly bool
}

// KeptIn returns what reports keep in a store. What reports keep in the store behind an overlay is only read, because
// the overlay's content is temporary.
func KeptIn(store *cache.Store) (*Kept, error) {
	k, from := &Kept{store: store}, store
	if behind := store.Behind(); behind != nil {
		k.readOnly, from = true, behind
	}
	var err error
	k.items, err = from.Items("report")
	return k, err
}

// Kept implements site.Keeper.
func (k *Kept) Kept(id string, read func(io.Reader) error) bool {
	f, ok := k.get(dataKey(id))
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

// Keep implements site.Keeper.
func (k *Kept) Keep(id string, write func(io.Writer) error) error {
	if k.readOnly {
		return write(io.Discard)
	}
	d, size, err := k.store.Write(write)
	if err != nil {
		return err
	}
	return k.put(dataKey(id), cache.ManifestFile{Digest: d, Size: size})
}

func dataKey(id string) cache.Key {
	w := cache.NewKeyWriter("data of reports")
	w.Int("version", version)
	w.String("id", id)
	return w.Key()
}

func fileKey(name, reads string) cache.Key {
	w := cache.NewKeyWriter("file of a report")
	w.Int("version", version)
	w.String("name", name)
	w.String("reads", reads)
	return w.Key()
}

// get returns the digest and size behind a key. The store may no longer have the content.
func (k *Kept) get(key cache.Key) (f cache.ManifestFile, ok bool) {
	record, _, err := k.items.Get(key)
	n := copy(f.Digest[:], record)
	if err != nil || len(record) != n+8 {
		return f, false
	}
	f.Size = int64(binary.BigEndian.Uint64(record[n:]))
	return f, true
}

func (k *Kept) put(key cache.Key, f cache.ManifestFile) error {
	if k.readOnly {
		return nil
	}
	return k.items.Put(key, binary.BigEndian.AppendUint64(f.Digest[:], uint64(f.Size)))
}
