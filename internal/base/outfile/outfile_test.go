package outfile

import (
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
