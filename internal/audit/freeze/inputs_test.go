package freeze

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
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

// TestEqualMachines freezes the reports of two machines with the same hardware, as a cluster has.
func TestEqualMachines(t *testing.T) {
	f := &freezing{
		Input: &Input{Steps: []engine.SnapshotStep{{Instance: stages.Instance{Addr: "stage.execute.a"}}}},
		lock: &frozen.Lock{Stages: map[string]frozen.Entry{
			"stage.execute.a": {"hardware": "a CPU", frozen.AttrFinished: "2026-07-01T12:00:00Z"}}},
		taken: map[string]bool{}}
	for _, host := range []string{"one", "two"} {
		name := filepath.Join(t.TempDir(), host)
		if err := os.WriteFile(name, []byte(`{"host": "`+host+`", "profile": "a CPU"}`), 0o644); err != nil {
			t.Fatal(err)
		}
		f.Machines = append(f.Machines, name)
	}
	if err := f.addProgram(); err != nil || len(f.items) != 2 {
		t.Errorf("%d of 2 reports are frozen, %v", len(f.items), err)
	}
}
