package worker

import (
	"os"
	"path/filepath"
	"testing"
)

// TestNewResults checks that every attempt has its own file, skips works that earlier attempts executed, and tolerates
// truncated lines anywhere.
func TestNewResults(t *testing.T) {
	name := filepath.Join(t.TempDir(), "results.jsonl")
	write := func(text string, wantDone ...string) {
		t.Helper()
		f, done, err := NewResults(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if len(done) != len(wantDone) {
			t.Errorf("done %v, want %v", done, wantDone)
		}
		for _, id := range wantDone {
			if !done[id] {
				t.Errorf("%s is not done", id)
			}
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	write("{\"format\":\"smtpipe-results/1\"}\n{\"id\":\"a\",\"record\":{\"ending\":\"exited\"}}\n{\"id\":\"b\",\"rec")
	write("garbage\n{\"id\":\"b\"}\n{\"id\":\"b\",\"failure\":{\"kind\":\"machine\"}}\n{\"id\":\"c\",\"record\":{\"ending\":\"exited\"}}\n", "a")
	write("", "a", "c")
	for _, file := range []string{"results.jsonl", "results.attempt-2.jsonl", "results.attempt-3.jsonl"} {
		if _, err := os.Stat(filepath.Join(filepath.Dir(name), file)); err != nil {
			t.Error(err)
		}
	}
}
