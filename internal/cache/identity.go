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

// ID returns the unique name of this store: 32 hexadecimal digits. The first call creates it. The file that contains
// the name also records its own inode: a copy of a store counts as another store.
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

// name returns the store's name, or "" if it does not have its own.
func (s *Store) name() string {
	path := filepath.Join(s.dir, "id")
	text, err := os.ReadFile(path)
	id, inode, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	if err != nil || len(id) != 32 || inode != inodeOf(path) {
		return ""
	}
	return id
}

// setID sets the store's name.
func (s *Store) setID(id string) error {
	f, err := os.CreateTemp(s.dir, "id-*.tmp")
	if err != nil {
		return s.unwritable(err)
	}
	defer os.Remove(f.Name()) // no-op after the rename
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

// inodeOf returns an identifier of the file at path on this machine, or "" if the file does not exist.
func inodeOf(path string) string {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return ""
	}
	return fmt.Sprintf("%d:%d", st.Dev, st.Ino)
}
