package exchange

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
)

func digestOf(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// TestBlobs checks that content is read from its source only once, and that damaged content is detected and stored
// again.
func TestBlobs(t *testing.T) {
	dir := t.TempDir()
	b, reads := NewBlobs(dir), 0
	read := func() (io.ReadCloser, int64, error) { reads++; return worker.SourceOf([]byte("(check-sat)"))() }
	digest := digestOf("(check-sat)")
	for _, blobs := range []*Blobs{b, b, NewBlobs(dir)} {
		if err := blobs.Put(digest, read); err != nil {
			t.Fatal(err)
		}
	}
	got, err := b.Read(digest)
	if err != nil || string(got) != "(check-sat)" || reads != 1 {
		t.Fatalf("read %q after %d reads of the source, error %v", got, reads, err)
	}
	if err := os.WriteFile(b.Path(digest), []byte("(check"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Read(digest); err == nil {
		t.Error("damaged content was read")
	}
	if err := errors.Join(b.Renew(digest), b.Put(digest, read)); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Read(digest); err != nil || string(got) != "(check-sat)" {
		t.Errorf("after it was renewed: %q, error %v", got, err)
	}
	wrong := digestOf("something else")
	if err := b.Put(wrong, read); err == nil {
		t.Error("content was put under the digest of something else")
	}
	if _, err := os.Stat(b.Path(wrong)); err == nil {
		t.Error("and it is there")
	}
}

// TestPutTree checks that a tree in the exchange folder has the same digest as its original.
func TestPutTree(t *testing.T) {
	source := t.TempDir()
	for _, err := range []error{
		os.MkdirAll(filepath.Join(source, "bin"), 0o755),
		os.WriteFile(filepath.Join(source, "bin/run"), []byte("#!/bin/sh\n"), 0o700),
		os.WriteFile(filepath.Join(source, "data"), []byte("x"), 0o600),
		os.Symlink("bin/run", filepath.Join(source, "start")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	tree, err := solver.ReadTree(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	b := NewBlobs(t.TempDir())
	digest := tree.Digest().String()
	for range 2 {
		if err := b.PutTree(digest, source); err != nil {
			t.Fatal(err)
		}
	}
	got, err := solver.ReadTree(t.Context(), b.TreePath(digest))
	if err != nil || got.Digest() != tree.Digest() {
		t.Errorf("the copy is %v, error %v; want %v", got, err, tree)
	}
}

// TestLines checks that complete lines are read, partial lines are left for later, and records are distinguished from
// other lines.
func TestLines(t *testing.T) {
	data := AppendLine(nil, []byte(`{"id":"a"}`))
	data = append(data, "sh: smtpipe: not found\n"...)
	bad := AppendLine(nil, []byte(`{"id":"b"}`))
	bad[len(bad)-4] = 'x'
	data = append(data, bad...)
	whole := len(data)
	data = append(data, AppendLine(nil, []byte(`{"id":"c"}`))[:10]...)
	var records, others []string
	size, err := Lines(data, func(line []byte) error {
		if r, ok := Line(line); ok {
			records = append(records, string(r))
		} else {
			others = append(others, string(line))
		}
		return nil
	})
	if err != nil || size != whole || !slices.Equal(records, []string{`{"id":"a"}`}) || len(others) != 2 {
		t.Errorf("%d of %d bytes, records %q, others %q, error %v", size, whole, records, others, err)
	}
}

// FuzzLine checks that every line accepted as a record is exactly the line of that record.
func FuzzLine(f *testing.F) {
	f.Add([]byte("00000000 "))
	f.Add([]byte("6f4b2a11 {}"))
	f.Fuzz(func(t *testing.T, line []byte) {
		if r, ok := Line(line); ok && !bytes.EqualFold(AppendLine(nil, r), append(bytes.Clone(line), '\n')) {
			t.Errorf("%q is the record %q", line, r)
		}
	})
}
