package model

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// illSorted is the release's only ill-sorted file: it uses a constant that it does not declare.
const illSorted = "non-incremental/QF_SLIA/20230403-webapp/str-rep-all/str_replace_all227.smt2"

// TestRealBenchmarksAreWellSorted runs the sort checker on the benchmarks of the shared release, including those with
// quantifiers.
func TestRealBenchmarksAreWellSorted(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join(testkit.Shared(t, "smtlib-mini", "non-incremental"), "*.tar.zst"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	n := 0
	for _, path := range archives {
		eachFile(t, path, func(name string, text []byte) {
			n++
			err := checkSorts(t, text)
			if (err != nil) != (name == illSorted) {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	t.Logf("%d benchmarks", n)
}

func eachFile(t *testing.T, path string, do func(name string, text []byte)) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	for tr := tar.NewReader(z); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Ext(h.Name) == ".smt2" {
			do(h.Name, text)
		}
	}
}

func checkSorts(t *testing.T, text []byte) error {
	t.Helper()
	s, err := smtlib.Parse(text)
	if err != nil {
		return err
	}
	v := newValidation(context.Background(), s, Options{})
	if r := v.readBenchmark(); r != nil {
		return errors.New(r.Reason)
	}
	g := &term.Graph{}
	for _, goal := range v.goals {
		root, err := v.check.Body(g, goal.terms, goal.root)
		if err != nil {
			return fmt.Errorf("%s: %w", v.place(false, position(err)), err)
		}
		if got := v.check.Sorts.String(g.Nodes[root].Sort); got != "Bool" {
			return fmt.Errorf("%s: an assertion has sort %s", v.place(false, goal.pos), got)
		}
	}
	return nil
}
