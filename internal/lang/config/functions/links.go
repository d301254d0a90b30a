package functions

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// CheckLinks rejects a path that leaves the pipeline's folder through a link, because a pipeline's text must show which
// files it reads, even if its author is not trusted. A path inside the folder can use links that stay inside. A
// relative path that leads out of the folder (../data) must not use links. Absolute paths belong to the machine and can
// use any links. Nonexistent paths are not rejected.
func CheckLinks(folder, name string) error {
	full, rel, err := within(folder, name)
	switch {
	case err != nil:
		return err
	case filepath.IsLocal(rel):
		root, err := os.OpenRoot(folder)
		if err != nil {
			return nil // the reader reports the error
		}
		defer root.Close()
		_, err = root.Stat(rel)
		if err == nil || !leaves(err) {
			return nil
		}
	case filepath.IsAbs(name):
		return nil
	default:
		base, rest := upwards(full, rel)
		real, err := filepath.EvalSymlinks(base)
		if err != nil {
			return nil
		}
		there, err := filepath.EvalSymlinks(full)
		if err != nil || there == filepath.Join(real, rest) {
			return nil
		}
	}
	return linkError(full, name)
}

// within returns a path's absolute form, and its form relative to the folder.
func within(folder, name string) (full, rel string, err error) {
	if folder, err = filepath.Abs(folder); err != nil {
		return "", "", err
	}
	if full = filepath.Clean(name); !filepath.IsAbs(name) {
		full = filepath.Join(folder, filepath.FromSlash(name))
	}
	rel, err = filepath.Rel(folder, full)
	return full, rel, err
}

// upwards splits a path after its leading upward steps.
func upwards(full, rel string) (base, rest string) {
	parts := strings.Split(rel, string(filepath.Separator))
	for len(parts) > 0 && parts[0] == ".." {
		parts = parts[1:]
	}
	rest = filepath.Join(parts...)
	return filepath.Clean(strings.TrimSuffix(full, rest)), rest
}

// leaves reports whether an os.Root error means that a path leads out of the root. All other errors come from the
// system.
func leaves(err error) bool {
	_, system := errors.AsType[syscall.Errno](err)
	return !system
}

func linkError(full, name string) error {
	where := "another folder"
	if real, err := filepath.EvalSymlinks(full); err == nil {
		where = real
	}
	return fmt.Errorf("%s leads by a link to %s, and a pipeline leaves its folder only where its text says so; "+
		"name that place, or copy the files into the folder", name, where)
}
