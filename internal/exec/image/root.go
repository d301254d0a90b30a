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
	Path   string       // path of the root, which must not be modified
	Digest cache.Digest // digest of the tree (solver.Tree.Digest)
	Image  *Image
}

// folders is the store's folder for unpacked images.
const folders = "images"

// Unpack returns an image's root file system: the copy in the store if its digest still matches, or a new copy. It is
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
