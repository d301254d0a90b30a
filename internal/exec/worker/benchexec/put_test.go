package benchexec

import (
	"bytes"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestPutTogether lets many runs write the same script concurrently. All succeed, and only the script is left.
func TestPutTogether(t *testing.T) {
	j := newJob(t.TempDir())
	content := bytes.Repeat([]byte("(check-sat)\n"), 10_000)
	for range 20 {
		name := "benchmarks/files/x.smt2"
		if err := os.RemoveAll(filepath.Join(j.folder, "benchmarks")); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if err := j.put(name, content, 0o644); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		entries, err := os.ReadDir(filepath.Join(j.folder, "benchmarks", "files"))
		if err != nil || len(entries) != 1 || entries[0].Name() != "x.smt2" {
			t.Fatalf("%v, %v", entries, err)
		}
		info, err := entries[0].Info()
		if err != nil || info.Mode().Perm() != 0o644 || info.Size() != int64(len(content)) {
			t.Fatalf("%v, %v", info, err)
		}
	}
}

// TestForeignTable checks that a table which somebody else changed is reported.
func TestForeignTable(t *testing.T) {
	j := newJob(t.TempDir())
	if err := os.WriteFile(filepath.Join(j.folder, "t.csv"), []byte("number\n1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := j.table("t.csv", []string{"number", "name"}, map[int]string{}); !errors.Is(err, csv.ErrFieldCount) {
		t.Errorf("error %v", err)
	}
}
