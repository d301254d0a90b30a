package worker

import (
	"os"
	"testing"

	"github.com/smtpipe/smtpipe/internal/exec/runner"
)

// TestExposeEqualNames exposes two inputs that differ only in their folders.
func TestExposeEqualNames(t *testing.T) {
	w := &Work{ID: "x", Command: []string{"cat", "/input/a/x.smt2", "/input/b/x.smt2"},
		Inputs: []File{Content("/input/a/x.smt2", []byte("a")), Content("/input/b/x.smt2", []byte("b"))}}
	done, err := Expose(w, runner.Unisolated)
	defer done()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"a", "b"} {
		if got, err := os.ReadFile(w.Command[i+1]); string(got) != want || err != nil {
			t.Errorf("%s has %q, want %q (%v)", w.Command[i+1], got, want, err)
		}
	}
}
