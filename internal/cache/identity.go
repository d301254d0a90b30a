package cache

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// ID returns the unique name of this store: 32 hexadecimal digits. It is created on the first call. The file that holds
// it names its own inode, so that a copy of a store counts as another store.
func (s *Store) ID() (string, error) {
	path := filepath.Join(s.dir, "id")
	if text, err := os.ReadFile(path); err == nil {
		if id, inode, ok := strings.Cut(strings.TrimSpace(string(text)), " "); ok && len(id) == 32 &&
			inode == inodeOf(path) {
			return id, nil
		}
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	id := hex.EncodeToString(random)
	f, err := os.CreateTemp(s.dir, "id-*.tmp")
	if err != nil {
		return "", s.unwritable(err)
	}
	defer os.Remove(f.Name()) // does nothing after the rename
	_, err = fmt.Fprintln(f, id, inodeOf(f.Name()))
	if err == nil {
		err = f.Chmod(0o666 &^ umask)
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return "", s.unwritable(err)
	}
	return id, os.Rename(f.Name(), path)
}

// inodeOf returns an identifier of the file at path on this machine, or nothing if there is none.
func inodeOf(path string) string {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return ""
	}
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}
