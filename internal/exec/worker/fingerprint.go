package worker

import (
	"context"
	"os"

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
