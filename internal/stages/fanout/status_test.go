package fanout

import (
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestStatus checks that a reader of the store sees the driver's last status, and only for this stage.
func TestStatus(t *testing.T) {
	store, err := cache.Open(t.TempDir(), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	const address = `module.tracks.stage.execute.first["a/b"]`
	now := time.Now()
	if got := Status(store, address, now); got != "" {
		t.Errorf("before the driver said anything: %q", got)
	}
	f := &Site{env: &stages.Env{Store: store, Address: address, Progress: stages.Silent{}}}
	f.Log = slog.Default()
	for _, text := range []string{"jobs: 3 queued, 0 running, 0 done", "jobs: 0 queued, 3 running, 0 done"} {
		f.tellStatus(text)
		if got := Status(store, address, time.Now()); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	// A killed driver goes silent; a live driver repeats its status.
	then := time.Date(2026, 11, 20, 23, 59, 0, 0, time.UTC)
	path := filepath.Join(store.Dir(), "executors", url.PathEscape(address), statusFile)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
	const text = "jobs: 0 queued, 3 running, 0 done"
	const stale = text + ", at 2026-11-20 23:59 UTC; no smtpipe run has checked since"
	if got := Status(store, address, then.Add(6*time.Minute)); got != stale {
		t.Errorf("after six minutes: %q, want %q", got, stale)
	}
	f.tellStatus(text)
	if got := Status(store, address, time.Now()); got != text {
		t.Errorf("said again: %q", got)
	}
	if got := Status(store, "stage.execute.other", now); got != "" {
		t.Errorf("another stage: %q", got)
	}
}
