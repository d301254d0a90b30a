package cache

import (
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// umask is the process's file mode creation mask. It is read only once because umask(2) also sets it.
var umask = func() os.FileMode {
	old := unix.Umask(0o022)
	unix.Umask(old)
	return os.FileMode(old)
}()

// writeFileBelow is like writeFileAtomic, and creates the file's folder.
func writeFileBelow(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return writeFileAtomic(path, data)
}

// writeFileAtomic atomically replaces the file at path with data.
func writeFileAtomic(path string, data []byte) error {
	if err := renameio.WriteFile(path, data, 0o666, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// syncDir makes the entries of a folder durable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
