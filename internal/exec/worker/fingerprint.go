package worker

import (
	"context"
	"os"
	"sync"

	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
)

// Fingerprint returns the digest of a program with everything that it loads, or of a folder's tree.
func Fingerprint(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		tree, err := solver.ReadTree(context.Background(), path)
		if err != nil {
			return "", err
		}
		return tree.Digest().String(), nil
	}
	_, digest, err := solver.ProgramClosure(path)
	if err != nil {
		return "", err
	}
	return digest.String(), nil
}

// Fingerprints computes each program's fingerprint once. It is safe for concurrent use.
type Fingerprints struct{ known sync.Map } // path → func() (string, error)

// Of is like Fingerprint.
func (f *Fingerprints) Of(path string) (string, error) {
	digest, _ := f.known.LoadOrStore(path, sync.OnceValues(func() (string, error) { return Fingerprint(path) }))
	return digest.(func() (string, error))()
}
