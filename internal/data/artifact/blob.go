package artifact

import "github.com/smtpipe/smtpipe/internal/cache"

// ReadBlob reads the blob with a digest, which is in hex as in a table's row.
func ReadBlob(store *cache.Store, digest string) ([]byte, error) {
	d, err := cache.ParseDigest(digest)
	if err != nil {
		return nil, err
	}
	return store.ReadBytes(d)
}

// ReadOutput returns a run's output, which is in the row if it is short, or else in the blob with the digest.
func ReadOutput(store *cache.Store, short, digest string) ([]byte, error) {
	if digest == "" {
		return []byte(short), nil
	}
	return ReadBlob(store, digest)
}
