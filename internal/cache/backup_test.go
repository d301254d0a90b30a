package cache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// fill puts one item of each kind into a store; the contents depend on text.
func fill(t *testing.T, s *Store, text string) (small, large Digest, key Key) {
	t.Helper()
	small, err := s.PutBytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	large, err = s.PutBytes(bytes.Repeat([]byte(text), packLimit))
	if err != nil {
		t.Fatal(err)
	}
	it, err := s.Items("execute")
	if err != nil {
		t.Fatal(err)
	}
	w := NewKeyWriter("test")
	w.String("text", text)
	key = w.Key()
	action := &Action{Components: w.Components(), Outputs: map[string]Output{"out": {Digest: small.String()}}}
	err = errors.Join(it.Put(key, []byte(text)), s.PutAction(key, action),
		s.SaveState(&State{Pipeline: "p.hcl", Latest: map[string]string{"stage": key.String()}}),
		s.PutEvaluation("p.hcl", &Evaluation{Address: "stage", Namespace: "execute", Key: key.String(),
			Items: []Key{key}}))
	if err != nil {
		t.Fatal(err)
	}
	return small, large, key
}

// reopen closes a store and opens its folder again.
func reopen(t *testing.T, s *Store) *Store {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Open(s.dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { again.Close() })
	return again
}

// holds fails the test unless a store contains everything that fill stored.
func holds(t *testing.T, s *Store, text string, small, large Digest, key Key) {
	t.Helper()
	it, err := s.Items("execute")
	if err != nil {
		t.Fatal(err)
	}
	record, _, err := it.Get(key)
	if err != nil || string(record) != text {
		t.Errorf("the record is %q, %v", record, err)
	}
	if a, err := s.GetAction(key); err != nil || a == nil {
		t.Errorf("the stage record is %v, %v", a, err)
	}
	for _, d := range []Digest{small, large} {
		if b, err := s.ReadBytes(d); err != nil || !strings.HasPrefix(string(b), text) {
			t.Errorf("a blob of %d bytes, %v", len(b), err)
		}
	}
	if ev := s.Evaluation("p.hcl", "stage"); ev == nil || len(ev.Items) != 1 {
		t.Errorf("the last evaluation is %+v", ev)
	}
	if st, err := s.LoadState("p.hcl"); err != nil || st.Latest["stage"] != key.String() {
		t.Errorf("the state of the pipeline is %+v, %v", st, err)
	}
}

// TestBackup checks that a lost store is restored from its backup, including its name.
func TestBackup(t *testing.T) {
	s, backup := open(t), open(t)
	fill(t, s, "one")
	copied := func(want Copied) {
		t.Helper()
		got, err := s.Backup(t.Context(), backup, func() {})
		if err != nil || got.Blobs != want.Blobs || got.Records != want.Records || got.Actions != want.Actions ||
			got.Files != want.Files || len(got.Problems) > 0 {
			t.Fatalf("copied %+v, %v; want %+v", got, err, want)
		}
	}
	copied(Copied{Blobs: 2, Records: 1, Actions: 1, Files: 2})
	copied(Copied{}) // nothing is new
	small, large, key := fill(t, s, "two")
	copied(Copied{Blobs: 2, Records: 1, Actions: 1, Files: 2})
	id, err := s.ID()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Close(), os.RemoveAll(s.dir)); err != nil {
		t.Fatal(err)
	}
	lost, err := Open(s.dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer lost.Close()
	got, took, err := lost.Restore(t.Context(), backup, func() {})
	if err != nil || !took || got.Records != 2 || got.Actions != 2 || got.Blobs != 4 {
		t.Fatalf("restored %+v, %v, %v", got, took, err)
	}
	holds(t, reopen(t, lost), "two", small, large, key)
	if again, err := lost.ID(); err != nil || again != id {
		t.Errorf("its name is %s, was %s: %v", again, id, err)
	}

	// A second restored copy is a different store because the original exists.
	other := open(t)
	if _, took, err := other.Restore(t.Context(), backup, func() {}); took || err != nil {
		t.Errorf("took the name of a store that lives: %v", err)
	}

	// A backup that has lost its original's name still contains everything else.
	if err := os.WriteFile(filepath.Join(backup.dir, originalFile), []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err = lost.Backup(t.Context(), backup, func() {})
	if err == nil || !strings.Contains(err.Error(), "another folder") {
		t.Errorf("into a backup of nobody: %v", err)
	}
	third := open(t)
	if c, took, err := third.Restore(t.Context(), backup, func() {}); took || err != nil || c.Records != 2 {
		t.Errorf("from a backup of nobody: %+v, %v, %v", c, took, err)
	}
}

// TestDamagedState checks that a damaged state, which counts attempts, neither counts as empty nor replaces its backup.
func TestDamagedState(t *testing.T) {
	s, backup := open(t), open(t)
	small, large, key := fill(t, s, "one")
	if _, err := s.Backup(t.Context(), backup, func() {}); err != nil {
		t.Fatal(err)
	}
	path := s.statePath("p.hcl")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)/2], 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := s.LoadState("p.hcl"); !IsLost(err) || !strings.Contains(err.Error(), "smtpipe cache restore") {
		t.Errorf("a damaged state: %v", err)
	}
	if _, err := s.GC(GCOptions{}); !IsLost(err) {
		t.Errorf("gc with a damaged state: %v", err)
	}
	if got, err := s.Backup(t.Context(), backup, func() {}); err != nil || got.Files != 0 || len(got.Problems) != 1 {
		t.Errorf("copied %+v, %v", got, err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Restore(t.Context(), backup, func() {}); err != nil {
		t.Fatal(err)
	}
	holds(t, s, "one", small, large, key)
}

// TestRestoreKeeps checks that Restore brings back a lost segment and keeps what the store has, although the backup is
// older.
func TestRestoreKeeps(t *testing.T) {
	s, backup := open(t), open(t)
	small, large, key := fill(t, s, "one")
	if _, err := s.Backup(t.Context(), backup, func() {}); err != nil {
		t.Fatal(err)
	}
	s = reopen(t, s)
	segments, err := filepath.Glob(filepath.Join(s.dir, "items/execute/*"))
	if err != nil || len(segments) == 0 {
		t.Fatal("no segment to lose", err)
	}
	for _, path := range segments {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	s = reopen(t, s)
	small2, large2, key2 := fill(t, s, "two")
	got, _, err := s.Restore(t.Context(), backup, func() {})
	if err != nil || got.Records != 1 || got.Blobs+got.Actions+got.Files != 0 {
		t.Fatalf("restored %+v, %v", got, err)
	}
	holds(t, s, "two", small2, large2, key2)
	if err := s.SaveState(&State{Pipeline: "p.hcl", Latest: map[string]string{"stage": key.String()}}); err != nil {
		t.Fatal(err)
	}
	holds(t, s, "one", small, large, key)
}

// TestBackupOfDamage checks that damaged content is reported but not copied, and that the backup keeps its intact copy.
func TestBackupOfDamage(t *testing.T) {
	s, backup := open(t), open(t)
	_, large, _ := fill(t, s, "one")
	if _, err := s.Backup(t.Context(), backup, func() {}); err != nil {
		t.Fatal(err)
	}
	_, wrong, _ := fill(t, s, "two")
	for _, d := range []Digest{large, wrong} {
		if err := os.WriteFile(s.blobPath(d), bytes.Repeat([]byte("owt"), packLimit), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Backup(t.Context(), backup, func() {})
	if err != nil || len(got.Problems) != 1 || !strings.Contains(got.Problems[0], wrong.String()) {
		t.Errorf("copied %+v, %v", got, err)
	}
	if backup.Has(wrong) {
		t.Error("copied a damaged blob")
	}
	if err := backup.Verify(large); err != nil {
		t.Error(err)
	}
}

// TestBackupRefuses checks that a backup accepts only one store, and that a store in use is rejected as a backup.
func TestBackupRefuses(t *testing.T) {
	s, other, backup := open(t), open(t), open(t)
	fill(t, s, "one")
	fill(t, other, "two")
	if _, err := s.Backup(t.Context(), other, func() {}); err == nil || !strings.Contains(err.Error(), "store in use") {
		t.Errorf("into a store that is used: %v", err)
	}
	if _, err := s.Backup(t.Context(), backup, func() {}); err != nil {
		t.Fatal(err)
	}
	if _, err := other.Backup(t.Context(), backup, func() {}); err == nil || !strings.Contains(err.Error(), s.dir) {
		t.Errorf("into the backup of another store: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Backup(ctx, open(t), func() {}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if _, err := io.ReadAll(limits.UntilEnd(ctx, strings.NewReader("x"))); !errors.Is(err, context.Canceled) {
		t.Errorf("read: %v", err)
	}
}
