package solver

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"
	"golang.org/x/sys/unix"

	"github.com/smtpipe/smtpipe/internal/base/packed"
)

// member is an entry of a test archive.
type member struct {
	name, content, link string
	mode                int64
	kind                byte // type in a tar archive; zero means a regular file
}

func makeTar(t *testing.T, members []member) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Mode: m.mode, Typeflag: m.kind, Linkname: m.link, Size: int64(len(m.content))}
		if h.Mode == 0 {
			h.Mode = 0o644
		}
		if m.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, m.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func makeZip(t *testing.T, members []member, unix bool) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := zip.NewWriter(&buf)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		if unix {
			mode := os.FileMode(0o644)
			if m.mode != 0 {
				mode = os.FileMode(m.mode)
			}
			if m.kind == tar.TypeSymlink {
				mode, m.content = mode|os.ModeSymlink, m.link
			}
			h.SetMode(mode)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, m.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// compress compresses data with the writer that open returns.
func compress(t *testing.T, data []byte, open func(io.Writer) (io.WriteCloser, error)) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := open(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func save(t *testing.T, data []byte) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "archive")
	if err := os.WriteFile(p, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestUnpackAllFormats(t *testing.T) {
	defer unix.Umask(unix.Umask(0o077)) // runs have a different user
	members := []member{
		{name: "./solver/bin/run", content: "#!/bin/sh\nexec ./real\n", mode: 0o755},
		{name: "solver/README", content: "read me"},
		{name: "solver/bin/link", link: "../README", kind: tar.TypeSymlink},
	}
	plain := makeTar(t, members)
	archives := map[string][]byte{
		"zip": makeZip(t, members, true),
		"tar": plain,
		"tar.gz": compress(t, plain, func(w io.Writer) (io.WriteCloser, error) {
			return gzip.NewWriter(w), nil
		}),
		"tar.xz":  compress(t, plain, func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) }),
		"tar.zst": compress(t, plain, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }),
	}
	sum := func(s string) Digest { return sha256.Sum256([]byte(s)) }
	want := &Tree{Entries: []Entry{
		{Path: "solver/README", Size: 7, Digest: sum("read me")},
		{Path: "solver/bin/link", Link: "../README"},
		{Path: "solver/bin/run", Size: 22, Digest: sum("#!/bin/sh\nexec ./real\n"), Executable: true},
	}}
	for format, data := range archives {
		t.Run(format, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			digest := sha256.Sum256(data)
			u, err := Unpack(t.Context(), save(t, data), dir,
				UnpackOptions{SHA256: strings.ToUpper(hex.EncodeToString(digest[:]))})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, u); diff != "" {
				t.Error(diff)
			}
			if u.Digest() != want.Digest() {
				t.Error("digests differ")
			}
			for _, name := range []string{"", "solver", "solver/bin", "solver/bin/run"} {
				if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o755 {
					t.Errorf("%q has the mode %v, %v", name, info.Mode(), err)
				}
			}
		})
	}
}

// TestUnpackHostile unpacks archives that try to write outside the target folder.
func TestUnpackHostile(t *testing.T) {
	tests := []struct {
		name    string
		members []member
		want    string // expected text in the error
	}{
		{"parent", []member{{name: "../evil", content: "x"}}, "leads out"},
		{"parent in the middle", []member{{name: "a/../../evil", content: "x"}}, "leads out"},
		{"absolute", []member{{name: "/evil", content: "x"}}, "leads out"},
		{"link to the root", []member{{name: "l", link: "/etc", kind: tar.TypeSymlink}}, "leads out"},
		{"link to the parent", []member{{name: "a/l", link: "../../x", kind: tar.TypeSymlink}}, "leads out"},
		{"chain of links", []member{
			{name: "a/b/c/keep", content: "x"},
			{name: "up", link: "a/b/c", kind: tar.TypeSymlink},
			{name: "out", link: "up/../../../..", kind: tar.TypeSymlink},
		}, "leads out"},
		{"write through a link to a folder", []member{
			{name: "d", link: ".", kind: tar.TypeSymlink},
			{name: "d/../../evil", content: "x"},
		}, "leads out"},
		{"hard link outside", []member{{name: "h", link: "/etc/passwd", kind: tar.TypeLink}}, "leads out"},
		{"hard link to a link", []member{{name: "a/b/l", link: "../../x", kind: tar.TypeSymlink},
			{name: "h", link: "a/b/l", kind: tar.TypeLink}}, "leads out"},
		{"device", []member{{name: "null", kind: tar.TypeChar}}, "no solver needs"},
		{"fifo", []member{{name: "fifo", kind: tar.TypeFifo}}, "no solver needs"},
		{"too large", []member{{name: "big", content: strings.Repeat("x", 2000)}}, "too large"},
		{"too many", []member{{name: "1"}, {name: "2"}, {name: "3"}, {name: "4"}, {name: "5"}, {name: "6"}},
			"too many files"},
		{"too many folders", []member{{name: "1/2/3/4/5/6/", kind: tar.TypeDir}}, "too many files"},
		{"hard links to what is large", []member{{name: "a", content: strings.Repeat("x", 400)},
			{name: "b", link: "a", kind: tar.TypeLink}, {name: "c", link: "a", kind: tar.TypeLink}}, "too large"},
		{"empty", nil, "empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			parent := t.TempDir()
			dir := filepath.Join(parent, "out")
			opt := UnpackOptions{Limits: &packed.Limits{Bytes: 1000, Files: 5}}
			_, err := Unpack(t.Context(), save(t, makeTar(t, tt.members)), dir, opt)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if left, _ := os.ReadDir(parent); len(left) != 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
}

// TestUnpackBombs unpacks small archives with huge contents.
func TestUnpackBombs(t *testing.T) {
	const size = 8 << 20
	plain := makeTar(t, []member{{name: "zeros", content: strings.Repeat("\x00", size)}})
	archives := map[string][]byte{
		"zip": makeZip(t, []member{{name: "zeros", content: strings.Repeat("\x00", size)}}, true),
		"tar.gz": compress(t, plain, func(w io.Writer) (io.WriteCloser, error) {
			return gzip.NewWriter(w), nil
		}),
		"tar.xz":  compress(t, plain, func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) }),
		"tar.zst": compress(t, plain, func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) }),
		"sparse":  sparseTar(t, size),
	}
	for format, data := range archives {
		t.Run(format, func(t *testing.T) {
			for _, tt := range []struct {
				limits packed.Limits
				want   error
			}{
				{packed.Limits{Ratio: 100, Free: 1 << 20}, packed.ErrRatio},
				{packed.Limits{Ratio: 100, Free: size + 4096}, nil},
				{packed.Limits{Time: 1}, packed.ErrTime},
			} {
				parent := t.TempDir()
				_, err := Unpack(t.Context(), save(t, data), filepath.Join(parent, "out"),
					UnpackOptions{Limits: &tt.limits})
				if !errors.Is(err, tt.want) || tt.want == nil && err != nil {
					t.Errorf("%+v: %v, want %v", tt.limits, err, tt.want)
				}
				if left, _ := os.ReadDir(parent); err != nil && len(left) != 0 {
					t.Errorf("%v is left", left)
				}
			}
		})
	}
}

// sparseTar returns an archive with a file that consists only of a hole, in version 1.0 of GNU's sparse format: records
// with names that archive/tar does not write, and an empty map of data regions.
func sparseTar(t *testing.T, size int) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	content := "0\n" + strings.Repeat("\x00", 510)
	if err := w.WriteHeader(&tar.Header{Name: "raw", Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(content)),
		PAXRecords: map[string]string{"GNU_sparse.major": "1", "GNU_sparse.minor": "0", "GNU_sparse.name": "hole",
			"GNU_sparse.realsize": strconv.Itoa(size)}}); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return bytes.ReplaceAll(buf.Bytes(), []byte("GNU_sparse."), []byte("GNU.sparse."))
}

// TestUnpackThroughLink checks that a member behind a symbolic link stays inside even if the link's target looks local.
func TestUnpackThroughLink(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	u, err := Unpack(t.Context(), save(t, makeTar(t, []member{
		{name: "real/x", content: "1"},
		{name: "alias", link: "real", kind: tar.TypeSymlink},
		{name: "alias/y", content: "2"},
		{name: "real/x", content: "3"},
	})), dir, UnpackOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, e := range u.Entries {
		paths = append(paths, e.Path)
	}
	if diff := cmp.Diff([]string{"alias", "real/x", "real/y"}, paths); diff != "" {
		t.Error(diff)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "real/x")); string(data) != "3" {
		t.Errorf("the later member of a name does not replace the earlier: %q", data)
	}
}

func TestUnpackDigestMismatch(t *testing.T) {
	archive := save(t, makeTar(t, []member{{name: "a", content: "b"}}))
	_, err := Unpack(t.Context(), archive, filepath.Join(t.TempDir(), "out"),
		UnpackOptions{SHA256: strings.Repeat("0", 64)})
	if err == nil || !strings.Contains(err.Error(), "fetch it again or correct the submission") {
		t.Errorf("error %v", err)
	}
}

// TestZipWithoutModes unpacks a zip made on a system without Unix modes: programs are recognised by their first bytes.
func TestZipWithoutModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	u, err := Unpack(t.Context(), save(t, makeZip(t, []member{
		{name: "run.sh", content: "#!/bin/sh\n"}, {name: "prog", content: "\x7fELF..."},
		{name: "data", content: "plain"}, {name: "e"},
	}, false)), dir, UnpackOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for _, e := range u.Entries {
		got[e.Path] = e.Executable
	}
	if diff := cmp.Diff(map[string]bool{"run.sh": true, "prog": true, "data": false, "e": false}, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzUnpack checks that no archive creates a file outside its folder.
func FuzzUnpack(f *testing.F) {
	f.Add([]byte("PK\x03\x04"))
	f.Add([]byte{0x1f, 0x8b, 8, 0})
	var buf bytes.Buffer
	w := tar.NewWriter(&buf)
	_ = w.WriteHeader(&tar.Header{Name: "../x", Typeflag: tar.TypeSymlink, Linkname: "../../y"})
	_ = w.Close()
	f.Add(buf.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		parent := t.TempDir()
		dir := filepath.Join(parent, "out")
		opt := UnpackOptions{Limits: &packed.Limits{Bytes: 1 << 20, Files: 100}}
		_, err := Unpack(t.Context(), save(t, data), dir, opt)
		left, _ := os.ReadDir(parent)
		if err != nil && len(left) != 0 || len(left) > 1 {
			t.Errorf("left %v after %v", left, err)
		}
	})
}

func TestTreeDigestSeesEverything(t *testing.T) {
	base := Tree{Entries: []Entry{{Path: "a", Size: 1, Digest: Digest{1}}, {Path: "b", Link: "a"}}}
	seen := map[Digest]string{base.Digest(): "base"}
	for name, change := range map[string]func(*Tree){
		"path":       func(t *Tree) { t.Entries[0].Path = "c" },
		"content":    func(t *Tree) { t.Entries[0].Digest[5] = 1 },
		"executable": func(t *Tree) { t.Entries[0].Executable = true },
		"link":       func(t *Tree) { t.Entries[1].Link = "c" },
		"newline":    func(t *Tree) { t.Entries[0].Path = "a\n" },
		"fewer":      func(t *Tree) { t.Entries = t.Entries[:1] },
	} {
		tree := Tree{Entries: append([]Entry{}, base.Entries...)}
		change(&tree)
		if other, ok := seen[tree.Digest()]; ok {
			t.Errorf("a changed %s has the digest of %s", name, other)
		}
		seen[tree.Digest()] = name
	}
}
