package cache

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func open(t *testing.T) *Store {
	t.Helper()
	s, err := Open(filepath.Join(t.TempDir(), "store"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestBlobs(t *testing.T) {
	tests := []struct {
		name string
		data []byte
	}{
		{"empty", nil},
		{"short", []byte("sat\n")},
		{"compressible", bytes.Repeat([]byte("abc"), 10000)},
		{"at the limit", bytes.Repeat([]byte{1}, packLimit)},
		{"above the limit", bytes.Repeat([]byte{1}, packLimit+1)},
	}
	s := open(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, size, err := s.Write(func(w io.Writer) error {
				_, err := w.Write(tt.data)
				return err
			})
			if err != nil || d != DigestOf(tt.data) || size != int64(len(tt.data)) {
				t.Fatalf("Write gives %v, %d, %v", d, size, err)
			}
			again, err := s.PutBytes(tt.data)
			if err != nil || again != d {
				t.Errorf("PutBytes gives %v, %v", again, err)
			}
			if got, err := s.ReadBytes(d); err != nil || !bytes.Equal(got, tt.data) {
				t.Errorf("ReadBytes gives %d bytes, %v", len(got), err)
			}
			b, err := s.OpenBlob(d)
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			if got, err := io.ReadAll(b.Reader()); err != nil || !bytes.Equal(got, tt.data) {
				t.Errorf("OpenBlob gives %d bytes, %v", len(got), err)
			}
		})
	}
}

func TestFailedWriteLeavesNothing(t *testing.T) {
	s := open(t)
	stop := errors.New("stop")
	_, _, err := s.Write(func(w io.Writer) error {
		w.Write(bytes.Repeat([]byte{2}, packLimit+10))
		return stop
	})
	if !errors.Is(err, stop) {
		t.Fatalf("error %v", err)
	}
	left, err := filepath.Glob(filepath.Join(s.Dir(), "tmp", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestDamagedBlob(t *testing.T) {
	s := open(t)
	data := bytes.Repeat([]byte{3}, packLimit+10)
	d, err := s.PutBytes(data)
	if err != nil {
		t.Fatal(err)
	}
	path := s.blobPath(d)
	os.Chmod(path, 0o666)
	if err := os.WriteFile(path, append([]byte{4}, data[1:]...), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := s.Verify(d); err == nil {
		t.Error("a damaged blob was not noticed")
	}
	if _, err := s.ReadBytes(d); !errors.As(err, new(*MissingError)) {
		t.Errorf("a damaged blob that was put aside gives %v, want a MissingError", err)
	}
	if _, err := s.PutBytes(data); err != nil {
		t.Fatal(err)
	}
	if got, err := s.ReadBytes(d); err != nil || !bytes.Equal(got, data) {
		t.Errorf("stored anew it gives %v", err)
	}
}

func TestActionMustHaveItsKey(t *testing.T) {
	s := open(t)
	k := NewKeyWriter("stage/1")
	k.String("kind", "cap")
	k.Int("seed", 42)
	a := &Action{Address: "stage.cap.x", Components: k.Components()}
	if err := s.PutAction(k.Key(), a); err != nil {
		t.Fatal(err)
	}
	if got, err := s.GetAction(k.Key()); err != nil || got.Address != "stage.cap.x" {
		t.Fatalf("got %v, %v", got, err)
	}
	path := s.actionPath(k.Key())
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(b, []byte("42"), []byte("43"), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := s.GetAction(k.Key()); !errors.As(err, new(*CorruptError)) {
		t.Errorf("a record with other components gives %v, want a CorruptError", err)
	}
}

func TestKeyIsPrefixFree(t *testing.T) {
	write := func(pairs ...string) Key {
		k := NewKeyWriter("f")
		for i := 0; i < len(pairs); i += 2 {
			k.String(pairs[i], pairs[i+1])
		}
		return k.Key()
	}
	keys := map[Key]string{}
	for _, pairs := range [][]string{{"a", "bc"}, {"ab", "c"}, {"a", "b", "c", ""}, {"a", "b", "", "c"}, {"", "abc"},
		{}} {
		k := write(pairs...)
		if other, twice := keys[k]; twice {
			t.Errorf("%q and %s have one key", pairs, other)
		}
		keys[k] = strings.Join(pairs, "|")
	}
}

func TestStoreFormats(t *testing.T) {
	tests := []struct {
		name, file, text, want string
	}{
		{"newer", "format", `{"format": 2}`, "use a newer smtpipe"},
		{"other", "format", "hello", "does not say which version"},
		{"foreign folder", "README", "x", "is not empty and not a store"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, tt.file), []byte(tt.text), 0o666); err != nil {
				t.Fatal(err)
			}
			_, err := Open(dir, Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestLocks(t *testing.T) {
	s := open(t)
	a, busy, err := s.Lock("x")
	if err != nil || busy {
		t.Fatal(busy, err)
	}
	if _, busy, err := s.Lock("x"); err != nil || !busy {
		t.Errorf("a second lock: busy %v, %v", busy, err)
	}
	a.Close()
	b, busy, err := s.Lock("x")
	if err != nil || busy {
		t.Errorf("after it was freed: busy %v, %v", busy, err)
	}
	b.Close()
}

func TestPublishTree(t *testing.T) {
	s := open(t)
	d, err := s.PutBytes([]byte("text"))
	if err != nil {
		t.Fatal(err)
	}
	m := &Manifest{Files: []ManifestFile{{Path: "a/b.txt", Size: 4, Digest: d}}}
	target := filepath.Join(t.TempDir(), "site")
	if err := s.PublishTree(m, target); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(filepath.Join(target, "a", "b.txt")); err != nil || string(b) != "text" {
		t.Errorf("got %q, %v", b, err)
	}
	m.Files[0].Path = "c.txt"
	if err := s.PublishTree(m, target); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(target, "a")); !os.IsNotExist(err) {
		t.Errorf("the old tree is still there: %v", err)
	}
	foreign := t.TempDir()
	os.WriteFile(filepath.Join(foreign, "mine"), nil, 0o666)
	if err := s.PublishTree(m, foreign); err == nil || !strings.Contains(err.Error(), "did not write") {
		t.Errorf("a foreign folder was replaced: %v", err)
	}
	m.Files[0].Path = "../escape"
	if err := s.PublishTree(m, target); err == nil {
		t.Error("a path that escapes was written")
	}
}

// TestPublishTreeAgain checks that publishing repairs a folder, keeps other files in it, and preserves a link to it.
func TestPublishTreeAgain(t *testing.T) {
	s := open(t)
	d, err := s.PutBytes([]byte("text"))
	if err != nil {
		t.Fatal(err)
	}
	m := &Manifest{Files: []ManifestFile{{Path: "a/b \n\"c.txt", Size: 4, Digest: d}, {Path: "d.txt", Size: 4,
		Digest: d}}}
	folder := t.TempDir()
	target, link := filepath.Join(folder, "site"), filepath.Join(folder, "link")
	if err := os.Symlink("site", link); err != nil {
		t.Fatal(err)
	}
	publish := func(at string) error { t.Helper(); return s.PublishTree(m, at) }
	file := filepath.Join(target, "a", "b \n\"c.txt")
	for _, damage := range []func() error{
		func() error { return nil },
		func() error { return os.Remove(file) },
		func() error { return os.WriteFile(file, []byte("longer"), 0o666) },
	} {
		if err := errors.Join(publish(target), damage(), publish(link)); err != nil {
			t.Fatal(err)
		}
		if b, err := os.ReadFile(file); err != nil || string(b) != "text" {
			t.Errorf("got %q, %v", b, err)
		}
	}
	mine := filepath.Join(target, "a", "mine")
	if err := os.WriteFile(mine, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := publish(target); err != nil { // the tree must stay, and so must the files next to it
		t.Error(err)
	}
	m.Files = m.Files[:1]
	if err := publish(target); err == nil || !strings.Contains(err.Error(), "did not write, such as a/mine") {
		t.Errorf("a folder with a file of others was replaced: %v", err)
	}
	if err := errors.Join(os.Remove(mine), publish(link)); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if _, err := os.Stat(filepath.Join(target, "d.txt")); !os.IsNotExist(err) {
		t.Errorf("the old tree is still there: %v", err)
	}
}

// TestPublishTreeLinks checks that a file that stays the same is linked, and is written if somebody has changed it.
func TestPublishTreeLinks(t *testing.T) {
	s := open(t)
	put := func(text string) ManifestFile {
		d, err := s.PutBytes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return ManifestFile{Path: "a/" + text[:1], Size: int64(len(text)), Digest: d}
	}
	target := filepath.Join(t.TempDir(), "site")
	look := func(name string) (os.FileInfo, string) {
		info, err := os.Stat(filepath.Join(target, name))
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(target, name))
		if err != nil {
			t.Fatal(err)
		}
		return info, string(text)
	}
	publish := func(files ...ManifestFile) {
		if err := s.PublishTree(&Manifest{Files: files}, target); err != nil {
			t.Fatal(err)
		}
	}
	stays, edited := put("stays"), put("edited")
	publish(stays, edited, put("old"))
	before, _ := look("a/s")
	later := time.Now().Add(time.Minute)
	changed := filepath.Join(target, "a", "e")
	err := errors.Join(os.WriteFile(changed, []byte("EDITED"), 0o666), os.Chtimes(changed, later, later))
	if err != nil {
		t.Fatal(err)
	}
	publish(stays, edited, put("new"))
	if now, text := look("a/s"); !os.SameFile(before, now) || text != "stays" {
		t.Errorf("a file that stays the same was written again, or is %q", text)
	}
	for name, want := range map[string]string{"a/e": "edited", "a/n": "new"} {
		if _, text := look(name); text != want {
			t.Errorf("%s is %q, want %q", name, text, want)
		}
	}
}

func TestManifestRoundTrip(t *testing.T) {
	m := &Manifest{Files: []ManifestFile{{Path: "x y\n\"z", Size: 3, Digest: DigestOf([]byte("x")), Executable: true},
		{Path: "b"}}}
	m.Sort()
	got, err := DecodeManifest(m.Encode())
	if err != nil || len(got.Files) != 2 || got.Files[1] != m.Files[1] {
		t.Errorf("got %+v, %v", got, err)
	}
}
