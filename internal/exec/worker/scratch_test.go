package worker

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestAbandoned checks that a worker removes the folders of killed workers but not those of live workers.
func TestAbandoned(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	held, done, err := newScratch()
	if err != nil {
		t.Fatal(err)
	}
	abandoned, young := filepath.Join(temp, scratchPrefix+"1"), filepath.Join(temp, scratchPrefix+"2")
	foreign := filepath.Join(temp, "smtpipe-other")
	yesterday := time.Now().Add(-24 * time.Hour)
	for _, dir := range []string{abandoned, foreign} {
		if err := os.MkdirAll(filepath.Join(dir, "tree/bin"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(young, 0o755); err != nil { // may not be locked yet
		t.Fatal(err)
	}
	for _, dir := range []string{abandoned, foreign, held} {
		if err := os.Chtimes(dir, yesterday, yesterday); err != nil {
			t.Fatal(err)
		}
	}
	removeAbandoned(scratchPrefix)
	for dir, want := range map[string]bool{abandoned: false, young: true, foreign: true, held: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", filepath.Base(dir), err == nil, want)
		}
	}
	done()
	if _, err := os.Stat(held); err == nil {
		t.Error("a folder is left after its end")
	}
}
