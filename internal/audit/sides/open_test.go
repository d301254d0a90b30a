package sides

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHoldsPipeline checks that brackets in a folder's name are not taken as a pattern, and that rules are not a
// pipeline.
func TestHoldsPipeline(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "year [1]")
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file string
		want bool
	}{{"a.rules.hcl", false}, {"a.hcl", true}} {
		if err := os.WriteFile(filepath.Join(dir, c.file), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if got := holdsPipeline(dir); got != c.want {
			t.Errorf("with %s: got %v", c.file, got)
		}
	}
}
