package freeze

import (
	"encoding/json"
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

// TestAddressesAsNames removes addresses from an object whose names all become equal.
func TestAddressesAsNames(t *testing.T) {
	for range 20 {
		var v any
		if err := json.Unmarshal([]byte(`{"a@x.org": 1, "b@x.org": 2, "c@x.org": 3, "d@x.org": 4}`), &v); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(removeAddresses(v))
		if want := `{"(address)":4}`; err != nil || string(got) != want {
			t.Fatalf("got %s, want %s (%v)", got, want, err)
		}
	}
}
