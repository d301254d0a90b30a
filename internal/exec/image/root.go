package image

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"

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

// The places of unpacked images, and of the IDs of images by the digests of their files, below the store.
const (
	folders = "images"
	byFile  = "of-files"
)

// Unpack returns the root file system of an image: the one in the store, if it still has its digest, or a new one. It
// is
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

// Note remembers in the store which image a file or folder with a digest is, so that its ID is known where only the
// digest is.
func (img *Image) Note(store *cache.Store, file cache.Digest) error {
	name := filepath.Join(store.Dir(), folders, byFile, file.String())
	if _, ok := Noted(store, file); ok {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return renameio.WriteFile(name, []byte(img.ID.String()+"\n"), 0o644)
}

// Noted returns the ID of the image that a file or folder with a digest is.
func Noted(store *cache.Store, file cache.Digest) (id cache.Digest, ok bool) {
	for s := store; s != nil && !ok; s = s.Behind() {
		text, err := os.ReadFile(filepath.Join(s.Dir(), folders, byFile, file.String()))
		if err == nil {
			id, err = cache.ParseDigest(strings.TrimSpace(string(text)))
		}
		ok = err == nil
	}
	return id, ok
}
