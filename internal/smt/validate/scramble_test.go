package validate_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/scramble"
	"github.com/smtpipe/smtpipe/internal/smt/validate"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestReduceCoreLikeScrambler checks that a reduced script of the unsat-core track equals the scrambler's output with
// -seed 0 -term_annot false -core FILE byte for byte, except for the comment with the names.
func TestReduceCoreLikeScrambler(t *testing.T) {
	archives, err := filepath.Glob(filepath.Join(testkit.Shared(t, "smtlib-mini", "non-incremental"), "QF_*.tar.zst"))
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	var scrambler scramble.Scrambler
	compared := 0
	for _, archive := range archives {
		for path, text := range firstFiles(t, archive, 3) {
			script, err := scrambler.Append(nil, text, scramble.ForTrack(comp.UnsatCore, 7))
			if err != nil {
				continue // the scrambler rejects it, as its own tests confirm
			}
			compareReduction(t, &scrambler, path, script)
			compared++
		}
	}
	if compared < 50 {
		t.Errorf("only %d scripts were compared", compared)
	}
}

// compareReduction reduces a script to every third of its names, both with ReduceCore and with the scrambler.
func compareReduction(t *testing.T, scrambler *scramble.Scrambler, path string, script []byte) {
	t.Helper()
	names, err := validate.ScriptNames(script)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if len(names.List) != names.Asserts {
		t.Errorf("%s: %d asserts, %d names", path, names.Asserts, len(names.List))
	}
	core := scramble.Core{}
	response := "("
	for i, name := range names.List {
		if want := fmt.Sprintf("smtcomp%d", i+1); name != want {
			t.Fatalf("%s: the name %d is %q, want %q", path, i+1, name, want)
		}
		if i%3 == 1 {
			core[name] = struct{}{}
			response += name + "\n"
		}
	}
	parsed, err := validate.ParseCore(names, []byte(response+")\n"))
	if err != nil || parsed.Size() != len(core) {
		t.Fatalf("%s: a core of %d names, want %d: %v", path, parsed.Size(), len(core), err)
	}
	got, err := validate.ReduceCore(script, parsed)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	want, err := scrambler.Append(nil, script, scramble.Options{Annotations: scramble.NoAnnotations, Core: core})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if _, after, found := bytes.Cut(want, []byte("\n")); found {
		want = after // the first line is the comment
	}
	if !bytes.Equal(got, want) {
		i := 0
		for i < min(len(got), len(want)) && got[i] == want[i] {
			i++
		}
		t.Errorf("%s: from byte %d on\n%.200q, the scrambler has\n%.200q", path, i, got[i:], want[i:])
	}
}

// firstFiles returns an archive's first n files.
func firstFiles(t testing.TB, name string, n int) map[string][]byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	files := make(map[string][]byte)
	for r := tar.NewReader(z); len(files) < n; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
	return files
}
