package solver

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/packed"
)

// change is a layer member: a file with content, a folder ("name/"), or a link.
type change struct {
	name, text string
	kind       byte // 0 means a folder if the name ends with a slash, else a file
	mode       int64
}

// makeLayer returns a layer with the given members.
func makeLayer(t testing.TB, members ...change) Layer {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Typeflag: m.kind, Mode: m.mode, Format: tar.FormatPAX}
		switch {
		case m.kind == 0 && strings.HasSuffix(m.name, "/"):
			h.Typeflag = tar.TypeDir
		case m.kind == 0:
			h.Typeflag, h.Size = tar.TypeReg, int64(len(m.text))
		default:
			h.Linkname = m.text
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := io.WriteString(w, m.text); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return layerOf(b.Bytes())
}

func layerOf(b []byte) Layer {
	sum := sha256.Sum256(b)
	return Layer{SHA256: fmt.Sprintf("%x", sum),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b)), nil }}
}

// treeText lists an unpacked root's files and links.
func treeText(t *testing.T, dir string, tree *Tree) string {
	t.Helper()
	var b strings.Builder
	for _, e := range tree.Entries {
		text := e.Link
		if text == "" {
			content, err := os.ReadFile(filepath.Join(dir, e.Path))
			if err != nil {
				t.Fatal(err)
			}
			text = "= " + string(content)
			if e.Executable {
				text = "* " + string(content)
			}
		} else {
			text = "> " + text
		}
		fmt.Fprintf(&b, "%s %s\n", e.Path, text)
	}
	return b.String()
}

// TestLayers checks that layers change lower layers as the OCI image specification says.
func TestLayers(t *testing.T) {
	base := []change{{name: "usr/lib/"}, {name: "lib", text: "usr/lib", kind: tar.TypeSymlink},
		{name: "lib/a", text: "a"}, {name: "usr/lib/b", text: "b", mode: 0o4750},
		{name: "etc/alternatives/awk", text: "/usr/bin/mawk", kind: tar.TypeSymlink},
		{name: "hard", text: "lib/a", kind: tar.TypeLink}}
	for name, tt := range map[string]struct {
		above [][]change
		want  string
	}{
		"one layer": {nil,
			"etc/alternatives/awk > /usr/bin/mawk\nhard = a\nlib > usr/lib\nusr/lib/a = a\nusr/lib/b * b\n"},
		"replaced": {[][]change{{{name: "/lib/a", text: "new"}, {name: "./hard", text: "usr/lib/a",
			kind: tar.TypeLink}}},
			"etc/alternatives/awk > /usr/bin/mawk\nhard = new\nlib > usr/lib\nusr/lib/a = new\nusr/lib/b * b\n"},
		"whiteout": {[][]change{{{name: "lib/.wh.a"}, {name: ".wh.etc"}, {name: ".wh.nothing"}}},
			"hard = a\nlib > usr/lib\nusr/lib/b * b\n"},
		"opaque, whatever the order": {[][]change{{{name: "usr/lib/c", text: "c"}, {name: "usr/lib/.wh..wh..opq"},
			{name: "lib/d", text: "d"}}},
			"etc/alternatives/awk > /usr/bin/mawk\nhard = a\nlib > usr/lib\nusr/lib/c = c\nusr/lib/d = d\n"},
		"a folder in place of a file and a link": {[][]change{{{name: "hard/x", text: "no"}}}, "hard\" is a file"},
		"a folder for a link": {[][]change{{{name: "lib/"}, {name: "lib/x", text: "x"}, {name: "hard/"}}},
			"etc/alternatives/awk > /usr/bin/mawk\nlib/x = x\nusr/lib/a = a\nusr/lib/b * b\n"},
		"a file in place of a folder": {[][]change{{{name: "usr", text: "x"}}, {{name: "etc", text: "lib",
			kind: tar.TypeSymlink}}},
			"etc > lib\nhard = a\nlib > usr/lib\nusr = x\n"},
		"devices are left out": {[][]change{{{name: "dev/null", kind: tar.TypeChar}, {name: "disk",
			kind: tar.TypeBlock},
			{name: "pipe", kind: tar.TypeFifo}, {name: ".wh.etc"}}},
			"hard = a\nlib > usr/lib\nusr/lib/a = a\nusr/lib/b * b\n"},
		"links that lead out": {[][]change{{{name: ".wh.etc"}, {name: "out", text: "../../../..",
			kind: tar.TypeSymlink},
			{name: "out/x", text: "x"}, {name: "tmp", text: "/", kind: tar.TypeSymlink}, {name: "tmp/tmp/y", text: "y"},
			{name: "home", text: "/root", kind: tar.TypeSymlink}}},
			"hard = a\nlib > usr/lib\nout > ../../../..\ntmp > /\nusr/lib/a = a\nusr/lib/b * b\nx = x\ny = y\n"},
		"a name that leads out":    {[][]change{{{name: "../x", text: "x"}}}, "leads out"},
		"a name through itself":    {[][]change{{{name: "usr/../../x", text: "x"}}}, "leads out"},
		"a whiteout of the parent": {[][]change{{{name: "usr/.wh..."}}}, "whiteout that names no file"},
		"a whiteout of the folder": {[][]change{{{name: "usr/.wh.."}}}, "whiteout that names no file"},
		"a hard link that leads out": {[][]change{{{name: "x", text: "../etc/passwd", kind: tar.TypeLink}}},
			"leads out"},
		"a hard link of nothing": {[][]change{{{name: "x", text: "usr/nothing", kind: tar.TypeLink}}},
			"no such file"},
		"a hard link of a folder": {[][]change{{{name: "x", text: "usr", kind: tar.TypeLink}}}, "is a folder"},
		"a circle of links": {[][]change{{{name: "l", text: "l", kind: tar.TypeSymlink}, {name: "l/x"}}},
			"form a cycle"},
		"a name that is too long":   {[][]change{{{name: strings.Repeat("x/", 3000) + "x"}}}, "more than 4096 bytes"},
		"a folder that is too deep": {[][]change{{{name: strings.Repeat("x/", 300) + "x"}}}, "more than 200 folders"},
		"a part that is too long":   {[][]change{{{name: strings.Repeat("x", 300)}}}, "file name too long"},
	} {
		t.Run(name, func(t *testing.T) {
			outside := t.TempDir()
			dir := filepath.Join(outside, "root")
			layers := []Layer{makeLayer(t, base...)}
			for _, members := range tt.above {
				layers = append(layers, makeLayer(t, members...))
			}
			tree, err := UnpackRoot(t.Context(), layers, dir, UnpackOptions{})
			if err != nil {
				if !strings.Contains(err.Error(), tt.want) {
					t.Fatalf("%v, want %q", err, tt.want)
				}
				if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
					t.Errorf("the folder is left: %v", err)
				}
				return
			}
			if got := treeText(t, dir, tree); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
			for _, name := range RootFolders {
				for at := name; at != "."; at = filepath.Dir(at) {
					if info, err := os.Lstat(filepath.Join(dir, at)); err != nil || !info.IsDir() {
						t.Errorf("%s is no folder: %v", at, err)
					}
				}
			}
			all, err := os.ReadDir(outside)
			if err != nil || len(all) != 1 {
				t.Errorf("outside are %v, %v", all, err)
			}
			if info, err := os.Stat(filepath.Join(dir, "usr/lib/b")); err == nil && info.Mode() != 0o755 {
				t.Errorf("a setuid program has the mode %v", info.Mode())
			}
		})
	}
}

// TestLayerDigest checks that a layer whose digest differs from the image's is rejected, compressed or not.
func TestLayerDigest(t *testing.T) {
	l := makeLayer(t, change{name: "a", text: "a"})
	r, _ := l.Open()
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write(plain); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	packedLayer := layerOf(z.Bytes())
	packedLayer.SHA256 = l.SHA256
	if _, err := UnpackRoot(t.Context(), []Layer{packedLayer}, filepath.Join(t.TempDir(), "x"),
		UnpackOptions{}); err != nil {
		t.Error(err)
	}
	other := bytes.Clone(plain)
	other[512] ^= 1 // changes the file's content
	wrong := layerOf(other)
	wrong.SHA256 = l.SHA256
	_, err = UnpackRoot(t.Context(), []Layer{wrong}, filepath.Join(t.TempDir(), "x"), UnpackOptions{})
	if err == nil || !strings.Contains(err.Error(), "the image says "+l.SHA256) {
		t.Errorf("another layer: %v", err)
	}
	for n := range plain {
		if n%64 != 0 || n >= 600 {
			continue
		}
		other := bytes.Clone(plain)
		other[n] ^= 0x40
		wrong := layerOf(other)
		wrong.SHA256 = l.SHA256
		if _, err := UnpackRoot(t.Context(), []Layer{wrong}, filepath.Join(t.TempDir(), "x"),
			UnpackOptions{}); err == nil {
			t.Errorf("byte %d is changed, and the layer is unpacked", n)
		}
	}
}

// TestLayerLimits checks that too many entries or bytes, bombs and sparse files stop at the limits, and that nothing is
// left behind.
func TestLayerLimits(t *testing.T) {
	stream := func(write func(w *tar.Writer) error, compress bool) Layer {
		return Layer{Open: func() (io.ReadCloser, error) {
			r, pipe := io.Pipe()
			go func() {
				var out io.WriteCloser = pipe
				if compress {
					out = gzip.NewWriter(pipe)
				}
				w := tar.NewWriter(out)
				err := errors.Join(write(w), w.Close())
				if compress {
					err = errors.Join(err, out.Close())
				}
				pipe.CloseWithError(err)
			}()
			return r, nil
		}}
	}
	zeros := func(n int64) func(w *tar.Writer) error {
		return func(w *tar.Writer) error {
			if err := w.WriteHeader(&tar.Header{Name: "zeros", Typeflag: tar.TypeReg, Size: n,
				Format: tar.FormatPAX}); err != nil {
				return err
			}
			_, err := io.CopyN(w, zeroReader{}, n)
			return err
		}
	}
	many := func(kind byte, name func(i int) string) func(w *tar.Writer) error {
		return func(w *tar.Writer) error {
			for i := range 1_000_000 {
				h := &tar.Header{Name: name(i), Typeflag: kind, Linkname: "target"}
				if err := w.WriteHeader(h); err != nil {
					return err
				}
			}
			return nil
		}
	}
	some := packed.Limits{Bytes: 1 << 20, Files: 1000, Ratio: 10, Free: 1 << 16}
	for name, tt := range map[string]struct {
		layer Layer
		want  string
	}{
		"a million whiteouts": {stream(many(tar.TypeReg, func(i int) string { return fmt.Sprintf(".wh.%d", i) }),
			false), "too many"},
		"a million devices": {stream(many(tar.TypeChar, func(i int) string { return fmt.Sprint(i) }), false),
			"too many"},
		"a million links": {stream(many(tar.TypeSymlink, func(i int) string { return fmt.Sprint(i) }), false),
			"too many"},
		"one link, over again": {stream(many(tar.TypeSymlink, func(int) string { return "l" }), false), "too many"},
		"folders": {stream(many(tar.TypeDir, func(i int) string {
			return fmt.Sprintf("%d/%d/%d", i, i,
				i)
		}), false), "too many"},
		"a bomb": {stream(zeros(1<<30), true), "like a decompression bomb"},
		"bytes":  {stream(zeros(1<<21), false), "too large together"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "root")
			_, err := UnpackRoot(t.Context(), []Layer{tt.layer}, dir, UnpackOptions{Limits: &some})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
			if _, ours := errors.AsType[*ArchiveError](err); !ours {
				t.Errorf("the image is not blamed: %v", err)
			}
			if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the folder is left: %v", err)
			}
		})
	}
	// Hard links to one large file take no space, but their bytes count, because computing the digest reads all of
	// them.
	members := []change{{name: "large", text: strings.Repeat("x", 1<<19)}}
	for i := range 10 {
		members = append(members, change{name: fmt.Sprint("link", i), text: "large", kind: tar.TypeLink})
	}
	_, err := UnpackRoot(t.Context(), []Layer{makeLayer(t, members...)}, filepath.Join(t.TempDir(), "x"),
		UnpackOptions{Limits: &some})
	if err == nil || !strings.Contains(err.Error(), "too large together") {
		t.Errorf("hard links: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = UnpackRoot(ctx, []Layer{makeLayer(t, members...)}, filepath.Join(t.TempDir(), "x"), UnpackOptions{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context: %v", err)
	}
}

// zeroReader returns zeros endlessly.
type zeroReader struct{}

func (zeroReader) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// TestUmask checks that the user nobody, as which commands run, can read an image that was unpacked with any umask.
func TestUmask(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0o077))
	dir := filepath.Join(t.TempDir(), "root")
	layer := makeLayer(t, change{name: "a/b", text: "x", mode: 0o600}, change{name: "a/p", text: "x", mode: 0o700})
	if _, err := UnpackRoot(t.Context(), []Layer{layer}, dir, UnpackOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"a": 0o755, "a/b": 0o644, "a/p": 0o755, "var/tmp": 0o755} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has the mode %v, want %v (%v)", name, info.Mode().Perm(), want, err)
		}
	}
}
