package runner

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestCollectCrowdedFolder checks that a folder with more entries than are looked at is reported. Which of them are
// seen depends on the file system.
func TestCollectCrowdedFolder(t *testing.T) {
	dir := t.TempDir()
	err := errors.Join(os.WriteFile(filepath.Join(dir, "a"), nil, 0o644), os.Mkdir(filepath.Join(dir, "b"), 0o755))
	if err != nil {
		t.Fatal(err)
	}
	for entries, refused := range map[int]bool{2: true, 3: false} {
		from, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer from.Close()
		c := collector{from: from, want: &Collect{Patterns: []string{"c"}}, entries: entries}
		if c.folder(".", 0); c.refused != refused {
			t.Errorf("with %d entries at most: refused is %t", entries, c.refused)
		}
	}
}
