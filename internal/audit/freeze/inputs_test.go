package freeze

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestInputWithShortName freezes a file whose name in the lock, "file x", is shorter than the word program.
func TestInputWithShortName(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	store, err := cache.Open(filepath.Join(dir, "store"), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	f := &freezing{Input: &Input{Store: store}}
	entry, items, err := f.inputEntry("file x", stages.File{Path: filepath.Join(dir, "x"), Name: "x"})
	if err != nil || entry[frozen.AttrKind] != "file" || entry[frozen.AttrBytes] != "4" || len(items) != 1 {
		t.Errorf("got the entry %v with %d files, %v", entry, len(items), err)
	}
}
