package image

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
	"github.com/smtpipe/smtpipe/internal/exec/solvertree"
)

// folders is the store's folder for unpacked images.
const folders = "images"

// Unpack returns an image's root file system: the copy in the store if its digest still matches, or a new copy. It is
// safe for concurrent use by goroutines and processes.
func (img *Image) Unpack(ctx context.Context, store *cache.Store) (solvertree.Folder, error) {
	kept := solvertree.Kept{Store: store, Home: filepath.Join(store.Dir(), folders, img.ID.String()),
		Unpack: func(ctx context.Context, _, dir string) (*solver.Tree, error) {
			return solver.UnpackRoot(ctx, img.layers, dir, solver.UnpackOptions{})
		}}
	f, err := kept.Check(ctx)
	if err != nil {
		return f, fmt.Errorf("the image %s cannot be unpacked: %w", img.ID, err)
	}
	return f, nil
}
