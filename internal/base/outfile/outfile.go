// Package outfile writes files at paths chosen by the user.
package outfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// Write atomically writes a file at a path chosen by the user. It keeps a symbolic link and replaces its target. If the
// path is not a regular file, such as /dev/null or a pipe, Write writes to it without replacing it.
func Write(path string, data []byte, mode fs.FileMode) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if _, err := f.Write(data); err != nil {
			f.Close()
			return err
		}
		return f.Close()
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return renameio.WriteFile(path, data, mode)
}

// WriteText atomically replaces a file.
func WriteText(path, text string) error {
	if err := Write(path, []byte(text), 0o644); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// HoldsOther reports whether a path is a regular file with other content, which writing would lose. A file that cannot
// be read counts as one.
func HoldsOther(path string, content []byte) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	if info.Size() != int64(len(content)) {
		return true
	}
	old, err := os.ReadFile(path)
	return err != nil || !bytes.Equal(old, content)
}

// LinkOrCopy hard-links a file, or copies it if it is on another file system. A symbolic link would point outside the
// pipeline's folder.
func LinkOrCopy(file, target string) error {
	if real, err := filepath.EvalSymlinks(file); err == nil && os.Link(real, target) == nil {
		return nil
	}
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(target)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
