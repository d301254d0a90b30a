package solvers

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/smt/release"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestDownloadWaits checks that nothing is downloaded into a partial file that another process writes.
func TestDownloadWaits(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was requested", r.URL)
	}))
	defer server.Close()
	store, err := cache.Open(filepath.Join(t.TempDir(), "store"), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s := source{url: server.URL + "/a.zip"}
	partial, err := store.DownloadPath(s.url + "\n\n")
	if err != nil {
		t.Fatal(err)
	}
	other := flock.New(partial + ".lock")
	if ok, err := other.TryLock(); !ok {
		t.Fatal(err)
	}
	defer other.Close()
	env := stages.NewEnv(Kind)
	env.Store = store
	g := &getter{env: env, client: release.NewClient(1, slog.New(slog.DiscardHandler))}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := g.download(ctx, s); err == nil {
		t.Error("the download did not wait")
	}
}
