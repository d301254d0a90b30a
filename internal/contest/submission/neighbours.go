package submission

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// ReadKnown reads the submissions next to a file and those of its base solvers. broken lists files in the folder that
// are not submissions or contain errors.
func ReadKnown(file string, bases []string, catalog *Catalog) (known *Known, broken []string, err error) {
	neighbours, err := neighboursOf(file)
	if err != nil {
		return nil, nil, err
	}
	known = &Known{}
	var seen []os.FileInfo
	for i, path := range append(slices.Clone(bases), neighbours...) {
		info, err := os.Stat(path)
		if err != nil {
			return nil, nil, exit.With(exit.Usage, exit.Plain(err, path))
		}
		if slices.ContainsFunc(seen, func(o os.FileInfo) bool { return os.SameFile(o, info) }) {
			continue
		}
		seen = append(seen, info)
		data, err := limits.Submission.ReadFile(path)
		if err == nil {
			err = known.Add(filepath.Base(path), data, catalog)
		}
		switch {
		case err == nil:
		case i < len(bases):
			return nil, nil, exit.Plain(err, path)
		default:
			broken = append(broken, filepath.Base(path))
		}
	}
	return known, broken, nil
}

// neighboursOf lists the other JSON files in a file's folder.
func neighboursOf(file string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, e := range entries {
		if !e.IsDir() && e.Name() != filepath.Base(file) && filepath.Ext(e.Name()) == ".json" {
			paths = append(paths, filepath.Join(filepath.Dir(file), e.Name()))
		}
	}
	return paths, nil
}
