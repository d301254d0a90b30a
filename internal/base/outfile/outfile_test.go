package outfile

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestWriteFileKeepsDevices(t *testing.T) {
	link := filepath.Join(t.TempDir(), "null")
	if err := os.Symlink("/dev/null", link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced: %v, %v", info.Mode(), err)
	}
	plain := filepath.Join(t.TempDir(), "file")
	if err := Write(plain, []byte("y"), 0o644); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(plain); err != nil || string(b) != "y" {
		t.Errorf("got %q, %v", b, err)
	}
}

func TestHoldsOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if HoldsOther(path, []byte("x")) {
		t.Error("there is no file")
	}
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for content, want := range map[string]bool{"x": false, "y": true, "xy": true, "": true} {
		if HoldsOther(path, []byte(content)) != want {
			t.Errorf("%q: want %t", content, want)
		}
	}
	if HoldsOther("/dev/null", []byte("x")) {
		t.Error("a device loses nothing")
	}
}

func TestWriteKeepsLinks(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("x"), 0o644), os.Symlink("file", link)); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("y"), 0o644); err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(link); err != nil || to != "file" {
		t.Errorf("the link was replaced: %q, %v", to, err)
	}
	if b, err := os.ReadFile(file); err != nil || string(b) != "y" {
		t.Errorf("its target holds %q, %v", b, err)
	}
}
