package main

import (
	"io/fs"
	"os"

	"github.com/google/renameio/v2"
)

// writeNamedFile writes a file that the user named, atomically. Anything other than a regular file, such as /dev/null
// or a pipe, is written to and never replaced.
func writeNamedFile(path string, data []byte, mode fs.FileMode) error {
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
	return renameio.WriteFile(path, data, mode)
}
