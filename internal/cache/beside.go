package cache

import (
	"os"
	"path/filepath"
	"strings"
)

// What is published is made in a folder beside its target, .smtpipe-STORE-PROCESS-NUMBER, on the same file system.
// STORE tells whose processes PROCESS is one of, so that what a killed one left is removed when the next one publishes
// there.
const besidePrefix = ".smtpipe-"

// tempBeside makes an empty folder beside target. The caller removes it.
func (s *Store) tempBeside(target string) (string, error) {
	parent := filepath.Dir(target)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return "", err
	}
	return os.MkdirTemp(parent, s.besideStore()+s.process()+"-*")
}

// besideStore begins the names of the folders of this store's processes.
func (s *Store) besideStore() string {
	id, err := s.ID()
	if err != nil { // a store that is only readable and has no name yet: nobody knows what is its
		return besidePrefix + "x-"
	}
	return besidePrefix + id[:12] + "-"
}

// sweepBeside removes what dead processes left beside target. What cannot be removed stays.
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

// escapeGlob makes a pattern that only the path itself fits.
func escapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}
