package runner

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// errBusy is the kernel's error for a cgroup that still contains processes or cgroups.
var errBusy = unix.EBUSY

// writeFile writes a value to an existing file in the cgroup file system.
func writeFile(path, value string) error {
	fd, err := unix.Open(path, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	defer unix.Close(fd)
	if _, err := unix.Write(fd, []byte(value)); err != nil {
		return fmt.Errorf("write %q to %s: %w", value, path, err)
	}
	return nil
}

// readWords returns the words in a small file, or nil if the file is unreadable.
func readWords(path string) []string {
	data, err := readKernel(path)
	if err != nil {
		return nil
	}
	return strings.Fields(string(data))
}

// readInt reads a file that contains one number. For "max" it returns the largest number.
func readInt(path string) (int64, error) {
	data, err := readKernel(path)
	if err != nil {
		return 0, err
	}
	return parseInt(data)
}

func parseInt(data []byte) (int64, error) {
	s := strings.TrimSpace(string(data))
	if s == "max" {
		return 1<<63 - 1, nil
	}
	return strconv.ParseInt(s, 10, 64)
}

// readKey returns the number that follows key in a file with lines of the form "key number".
func readKey(path, key string) (int64, bool) {
	data, err := readKernel(path)
	if err != nil {
		return 0, false
	}
	return findKey(data, key)
}

func findKey(data []byte, key string) (int64, bool) {
	for line := range bytes.Lines(data) {
		name, value, ok := bytes.Cut(line, []byte(" "))
		if ok && string(name) == key {
			n, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// folder is an open folder in a cgroup file system. Opening files relative to it saves the kernel a path lookup. The
// zero value represents no folder.
type folder struct {
	path string
	fd   int
}

func openFolder(path string) (folder, error) {
	fd, err := unix.Open(path, folderFlags, 0)
	if err != nil {
		return folder{}, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return folder{path, fd}, nil
}

// folderFlags open a folder only as a base for relative paths and for CLONE_INTO_CGROUP.
const folderFlags = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC

// is reports whether there is a folder.
func (f folder) is() bool { return f.path != "" }

// mkdir creates a subfolder.
func (f folder) mkdir(name string) (folder, error) {
	path := f.path + "/" + name
	if err := unix.Mkdirat(f.fd, name, 0o755); err != nil {
		return folder{}, &os.PathError{Op: "mkdir", Path: path, Err: err}
	}
	fd, err := unix.Openat(f.fd, name, folderFlags, 0)
	if err != nil {
		_ = unix.Unlinkat(f.fd, name, unix.AT_REMOVEDIR)
		return folder{}, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return folder{path, fd}, nil
}

// open opens a file in the folder. The caller must close the descriptor.
func (f folder) open(name string, flags int) (int, error) {
	if !f.is() {
		return -1, &os.PathError{Op: "open", Path: name, Err: unix.ENOENT}
	}
	fd, err := unix.Openat(f.fd, name, flags|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: f.path + "/" + name, Err: err}
	}
	return fd, nil
}

// write writes a value to an existing file in the folder.
func (f folder) write(name, value string) error {
	fd, err := f.open(name, unix.O_WRONLY)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	if _, err := unix.Write(fd, []byte(value)); err != nil {
		return fmt.Errorf("write %q to %s/%s: %w", value, f.path, name, err)
	}
	return nil
}

// counter opens the first of the named counter files that exists. It returns nil if none exists.
func (f folder) counter(names ...string) *statFile {
	for _, name := range names {
		if fd, err := f.open(name, unix.O_RDONLY); err == nil {
			return &statFile{fd}
		}
	}
	return nil
}

// close closes the folder if it is open.
func (f folder) close() {
	if f.is() {
		_ = unix.Close(f.fd)
	}
}

// remove closes and removes a folder and everything below it. The folder must not contain processes.
func (f folder) remove() error {
	if !f.is() {
		return nil
	}
	f.close()
	return removeCgroup(f.path)
}

// statFile is an open counter file that several goroutines read repeatedly.
type statFile struct{ fd int }

// statBytes exceeds the size of every counter file.
const statBytes = 2048

// read reads the content into the caller's buffer, which must hold statBytes.
func (s *statFile) read(buf []byte) ([]byte, error) {
	n, err := unix.Pread(s.fd, buf, 0)
	if err != nil {
		return nil, err
	}
	return buf[:n], nil
}

// content is like read, but returns no bytes for a missing or unreadable file.
func (s *statFile) content(buf []byte) []byte {
	if s == nil {
		return nil
	}
	data, _ := s.read(buf)
	return data
}

// number returns the number in a file. Like key and pressure, it returns false for a missing file.
func (s *statFile) number() (n int64, ok bool) {
	var buf [statBytes]byte
	n, err := parseInt(s.content(buf[:]))
	return n, err == nil
}

// key returns the number that follows name.
func (s *statFile) key(name string) (n int64, ok bool) {
	var buf [statBytes]byte
	return findKey(s.content(buf[:]), name)
}

// pressure returns the total in a pressure stall information file.
func (s *statFile) pressure() (total time.Duration, ok bool) {
	var buf [statBytes]byte
	return parsePressure(s.content(buf[:]))
}

func (s *statFile) close() {
	if s != nil {
		_ = unix.Close(s.fd)
	}
}

// removeCgroup removes a cgroup and all cgroups below it. They must not contain processes. The kernel may report a
// cgroup as busy for a moment after its last process has left.
func removeCgroup(dir string) error {
	var err error
	for wait := 50 * time.Microsecond; wait < time.Second; wait *= 2 {
		err = unix.Rmdir(dir)
		if err == nil || errors.Is(err, unix.ENOENT) {
			return nil
		}
		if !errors.Is(err, errBusy) {
			break
		}
		children, _ := filepath.Glob(filepath.Join(dir, "*/"))
		for _, c := range children {
			if info, statErr := os.Lstat(c); statErr == nil && info.IsDir() {
				_ = removeCgroup(c)
			}
		}
		time.Sleep(wait)
	}
	return fmt.Errorf("remove cgroup %s: %w", dir, err)
}
