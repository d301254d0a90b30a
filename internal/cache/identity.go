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
	if id := s.name(); id != "" {
		return id, nil
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	id := hex.EncodeToString(random)
	return id, s.setID(id)
}

// name returns the name of the store, or "" if it has none of its own.
func (s *Store) name() string {
	path := filepath.Join(s.dir, "id")
	text, err := os.ReadFile(path)
	id, inode, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	if err != nil || len(id) != 32 || inode != inodeOf(path) {
		return ""
	}
	return id
}

// setID names the store.
func (s *Store) setID(id string) error {
	f, err := os.CreateTemp(s.dir, "id-*.tmp")
	if err != nil {
		return s.unwritable(err)
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
		return s.unwritable(err)
	}
	return os.Rename(f.Name(), filepath.Join(s.dir, "id"))
}

// inodeOf returns an identifier of the file at path on this machine, or "" if there is none.
func inodeOf(path string) string {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return ""
	}
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}
