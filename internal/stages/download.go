package stages

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gofrs/flock"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/smt/release"
)

// Download downloads a file into the store. Another stage or process that wants the same file waits, because both would
// write the same partial file. progress receives the number of bytes as in release.Client.
func Download(ctx context.Context, store *cache.Store, client *release.Client, want release.Wanted,
	progress func(n int64)) (cache.Digest, int64, error) {
	partial, err := store.DownloadPath(want.URL + "\n" + want.MD5 + "\n" + want.SHA256)
	if err != nil {
		return cache.Digest{}, 0, err
	}
	lock := flock.New(partial + ".lock")
	if _, err := lock.TryLockContext(ctx, 50*time.Millisecond); err != nil {
		return cache.Digest{}, 0, fmt.Errorf("lock the download of %s: %w", want.URL, err)
	}
	defer lock.Close()
	if err := client.Download(ctx, want, partial, progress); err != nil {
		return cache.Digest{}, 0, err
	}
	d, size, err := store.PutFile(partial)
	if err != nil {
		return cache.Digest{}, 0, err
	}
	return d, size, os.Remove(partial)
}
