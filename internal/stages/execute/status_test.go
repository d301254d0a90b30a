package execute

import (
	"log/slog"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestStatus: who looks into the store sees what the driver said last, of this stage only.
func TestStatus(t *testing.T) {
	store, err := cache.Open(t.TempDir(), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	const address = `module.tracks.stage.execute.first["a/b"]`
	if got := Status(store, address); got != "" {
		t.Errorf("before the driver said anything: %q", got)
	}
	f := &fanout{env: &stages.Env{Store: store, Address: address, Progress: stages.Silent{}, Log: slog.Default()}}
	for _, text := range []string{"jobs: 3 queued, 0 running, 0 done", "jobs: 0 queued, 3 running, 0 done"} {
		f.tellStatus(text)
		if got := Status(store, address); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	if got := Status(store, "stage.execute.other"); got != "" {
		t.Errorf("another stage: %q", got)
	}
}
