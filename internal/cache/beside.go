package cache

import (
	"os"
	"path/filepath"
	"strings"
)

// Content is first written to a folder next to its target, .smtpipe-STORE-PROCESS-NUMBER, on the same file system.
// STORE identifies the store that PROCESS uses: the next process that publishes there can remove folders left by killed
// processes.
const besidePrefix = ".smtpipe-"

// tempBeside creates an empty folder next to target. The caller removes it.
func (s *Store) tempBeside(target string) (string, error) {
	parent := filepath.Dir(target)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, s.besideStore()+s.process()+"-*")
}

// besideStore returns the prefix of the folders created by this store's processes.
func (s *Store) besideStore() string {
	id, err := s.ID()
	if err != nil { // a read-only store that was never named: its folders are not recognisable
		return besidePrefix + "x-"
	}
	return besidePrefix + id[:12] + "-"
}

// sweepBeside removes the folders that dead processes left next to target. It leaves those that cannot be removed.
func (s *Store) sweepBeside(target string) {
	parent := filepath.Dir(target)
	left, err := filepath.Glob(filepath.Join(escapeGlob(parent), besidePrefix+"*"))
	if err != nil || len(left) == 0 || s.presence == nil {
		return
	}
	own := s.besideStore()
	for _, path := range left {
		rest, ok := strings.CutPrefix(filepath.Base(path), own)
		process, _, numbered := strings.Cut(rest, "-")
		if ok && numbered && process != unregistered && process != s.process() && !s.lives(process) {
			os.RemoveAll(path)
		}
	}
}

// escapeGlob returns a pattern that matches only path itself.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
