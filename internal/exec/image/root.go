package image

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
	"github.com/smtpipe/smtpipe/internal/exec/solvertree"
)

// Root is an unpacked image.
type Root struct {
	Path   string       // read-only by agreement
	Digest cache.Digest // of the tree (solver.Tree.Digest)
	Image  *Image
}

// folders is the folder of unpacked images in the store.
const folders = "images"

// Unpack returns an image's root file system: the one in the store if its digest still matches, or a new one. It is
// safe for concurrent use by goroutines and processes.
func (img *Image) Unpack(ctx context.Context, store *cache.Store) (Root, error) {
	kept := solvertree.Kept{Store: store, Home: filepath.Join(store.Dir(), folders, img.ID.String()),
		Unpack: func(ctx context.Context, _, dir string) (*solver.Tree, error) {
			return solver.UnpackRoot(ctx, img.layers, dir, solver.UnpackOptions{})
		}}
	f, err := kept.Check(ctx)
	if err != nil {
		return Root{}, fmt.Errorf("the image %s cannot be unpacked: %w", img.ID, err)
	}
	return Root{f.Path, f.Digest, img}, nil
}
