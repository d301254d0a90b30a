package artifact

import (
	"fmt"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// WriteTree stores a tree's manifest. The store must already contain the files, which must be sorted.
func WriteTree(store *cache.Store, m *cache.Manifest) (Ref, error) {
	d, err := store.PutBytes(m.Encode())
	if err != nil {
		return Ref{}, err
	}
	var size int64
	for _, f := range m.Files {
		size += f.Size
	}
	return Ref{Schema: "tree", Digest: d, Rows: int64(len(m.Files)), SizeBytes: size}, nil
}

// ReadTree reads a tree's manifest from the store.
func ReadTree(store *cache.Store, art Ref) (*cache.Manifest, error) {
	if art.Schema != "tree" {
		return nil, fmt.Errorf("got a %s, want a tree", art.Schema)
	}
	b, err := store.ReadBytes(art.Digest)
	if err != nil {
		return nil, err
	}
	return cache.DecodeManifest(b)
}
