package builds

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
)

// TestDownloadOnce checks that an archive's download waits for another process that downloads it.
func TestDownloadOnce(t *testing.T) {
	content := []byte("an archive")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
	}))
	defer server.Close()
	store, err := cache.Open(t.TempDir(), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	finder := Finder{Store: store}
	archive := &submission.Archive{URL: server.URL + "/s.zip", SHA256: cache.DigestOf(content).String()}
	path, err := finder.archiveOf(t.Context(), archive)
	if err != nil {
		t.Fatal(err)
	}
	other := flock.New(path + ".lock")
	if ok, err := other.TryLock(); !ok || err != nil {
		t.Fatalf("the lock is still held: %v, %v", ok, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := finder.archiveOf(ctx, archive); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("downloaded beside another process: %v", err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := finder.archiveOf(t.Context(), archive); err != nil {
		t.Error(err)
	}
}
