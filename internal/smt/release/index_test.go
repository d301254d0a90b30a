package release

import (
	"archive/tar"
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestIndexBadMembers indexes an archive with unusable members between two usable ones. Each unusable member must
// become a row that states its problem, and both usable members must be read.
func TestIndexBadMembers(t *testing.T) {
	const folder = "non-incremental/QF_BV/f/"
	const script = "(set-logic QF_BV)(check-sat)"
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, h := range []tar.Header{
		{Name: folder + "a.smt2"},
		{Name: folder + "red\x1b[31m.smt2"},
		{Name: folder + "latin\xe4.smt2"},
		{Name: folder + "soft.smt2", Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"},
		{Name: folder + "hard.smt2", Typeflag: tar.TypeLink, Linkname: folder + "a.smt2"},
		{Name: folder + "pipe.smt2", Typeflag: tar.TypeFifo},
		{Name: folder + "README", Typeflag: tar.TypeSymlink, Linkname: "a.smt2"},
		{Name: folder + "two.smt2"},
		{Name: folder + "two.smt2"},
		{Name: folder + "mixed.smt2"},
		{Name: folder + "mixed.smt2", Typeflag: tar.TypeSymlink, Linkname: "a.smt2"},
		{Name: folder + "z.smt2"},
	} {
		h.Mode = 0o644
		if h.Typeflag == 0 {
			h.Size = int64(len(script))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := w.Write([]byte(script)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	want := []struct{ name, problem string }{
		{"a.smt2", ""},
		{`red\x1b[31m.smt2`, "control characters"},
		{`latin\xe4.smt2`, "not UTF-8"},
		{"soft.smt2", "a link"},
		{"hard.smt2", "a link"},
		{"pipe.smt2", "neither a file nor a folder"},
		{"two.smt2", "2 times"},
		{"mixed.smt2", "2 times"},
		{"z.smt2", ""},
	}
	for _, workers := range []int{0, 3} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			rows, err := Index(t.Context(), "x.tar", "", nil, bytes.NewReader(buf.Bytes()), limits, workers)
			if err != nil {
				t.Fatal(err)
			}
			if len(rows) != len(want) {
				t.Fatalf("%d rows, want %d: %+v", len(rows), len(want), rows)
			}
			for i, r := range rows {
				if r.Path != folder+want[i].name || r.Status != "unknown" ||
					(r.Problem == "") != (want[i].problem == "") || !strings.Contains(r.Problem, want[i].problem) {
					t.Errorf("row %d is %q with status %q and problem %q, want %q with %q", i, r.Path, r.Status,
						r.Problem, want[i].name, want[i].problem)
				}
			}
		})
	}
}
