// Package solvertree keeps unpacked solver archives and other unpacked folders in a store. Each archive has one folder,
// named by the archive's digest. All pipelines with this store share it, so each archive is unpacked only once.
//
// The folders only save time: each one can be recreated from its archive, and is recreated if its digest has changed.
package solvertree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/exec/runner/solver"
)

// Archive locates the bytes of an archive.
type Archive struct {
	SHA256 cache.Digest
	Path   string // path on this machine; empty if the archive is a blob in the store
}

// Folder is an unpacked archive.
type Folder struct {
	Path   string       // path of the folder, which must not be modified
	Digest cache.Digest // digest of the tree (solver.Tree.Digest), which is part of run keys
}

// folders is the store's folder for unpacked archives.
const folders = "solvers"

// Open returns the folder of an archive, unpacking the archive if necessary. It does not check an existing folder; see
// Check. It is safe for concurrent use by goroutines and processes.
//
// If the archive is unsafe or has another digest, Open returns the error of solver.Unpack.
func Open(ctx context.Context, store *cache.Store, a Archive) (Folder, error) {
	return a.kept(store).Open(ctx)
}

// Find returns an archive's folder; ok is false if the archive has not been unpacked.
func Find(store *cache.Store, a Archive) (f Folder, ok bool) {
	for s := store; s != nil && !ok; s = s.Behind() {
		var err error
		f, err = read(filepath.Join(s.Dir(), folders, a.SHA256.String()))
		ok = err == nil
	}
	return f, ok
}

// Check compares the folder's content with its digest and unpacks the archive again if they differ.
func Check(ctx context.Context, store *cache.Store, a Archive) (Folder, error) {
	return a.kept(store).Check(ctx)
}

func (a Archive) kept(store *cache.Store) Kept {
	return Kept{Store: store, Home: filepath.Join(store.Dir(), folders, a.SHA256.String()),
		Unpack: func(ctx context.Context, work, dir string) (*solver.Tree, error) {
			return a.unpack(ctx, store, work, dir)
		}}
}

// Kept is a folder in a store that can be recreated.
type Kept struct {
	Store *cache.Store
	Home  string // parent of the folder and its digest, inside the store
	// Unpack creates the folder dir, which must not exist. work is a folder for temporary files.
	Unpack func(ctx context.Context, work, dir string) (*solver.Tree, error)
}

// Open is like the function Open.
func (k Kept) Open(ctx context.Context) (Folder, error) {
	f, err := read(k.Home)
	if errors.Is(err, fs.ErrNotExist) {
		return k.make(ctx)
	}
	return f, err
}

// Check is like the function Check.
func (k Kept) Check(ctx context.Context) (Folder, error) {
	f, err := k.Open(ctx)
	if err != nil {
		return f, err
	}
	tree, err := solver.ReadTree(ctx, f.Path)
	if err == nil && cache.Digest(tree.Digest()) == f.Digest {
		return f, nil
	}
	if ctx.Err() != nil {
		return f, ctx.Err() // the error does not concern the folder
	}
	if err := k.remove(); err != nil {
		return f, err
	}
	return k.make(ctx)
}

// remove removes a damaged folder. It is renamed first, so that a visible folder is always complete.
func (k Kept) remove() error {
	work, err := k.Store.TempDir()
	if err == nil {
		err = errors.Join(os.Rename(k.Home, filepath.Join(work, "damaged")), os.RemoveAll(work))
	}
	if err != nil {
		return fmt.Errorf("remove the damaged folder %s: %w", k.Home, err)
	}
	return nil
}

// The entries of an archive's folder in the store.
const (
	treeName   = "tree"
	digestName = "digest"
)

// read returns the existing folder. If there is none, the error is fs.ErrNotExist.
func read(home string) (Folder, error) {
	text, err := os.ReadFile(filepath.Join(home, digestName))
	if err != nil {
		return Folder{}, err
	}
	d, err := cache.ParseDigest(strings.TrimSpace(string(text)))
	if err != nil {
		return Folder{}, fmt.Errorf("%s: %w; remove the folder", filepath.Join(home, digestName), err)
	}
	return Folder{Path: filepath.Join(home, treeName), Digest: d}, nil
}

// make creates the folder under a temporary name and renames it: a visible folder is always complete.
func (k Kept) make(ctx context.Context) (Folder, error) {
	work, err := k.Store.TempDir()
	if err != nil {
		return Folder{}, err
	}
	defer func() {
		if ctx.Err() == nil { // otherwise removed later, with other files of dead processes
			os.RemoveAll(work)
		}
	}()
	made := filepath.Join(work, "made")
	if err := os.Mkdir(made, 0o755); err != nil {
		return Folder{}, err
	}
	tree, err := k.Unpack(ctx, work, filepath.Join(made, treeName))
	if err != nil {
		return Folder{}, err
	}
	if err := os.WriteFile(filepath.Join(made, digestName), []byte(tree.Digest().String()+"\n"), 0o644); err != nil {
		return Folder{}, err
	}
	if err := os.MkdirAll(filepath.Dir(k.Home), 0o755); err != nil {
		return Folder{}, err
	}
	if err := os.Rename(made, k.Home); err != nil && !errors.Is(err, fs.ErrExist) {
		return Folder{}, err
	}
	f, err := read(k.Home) // of another process if that created it first
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	// Earlier versions could be interrupted while they removed the folder, after its digest was gone.
	if err := errors.Join(k.remove(), os.Rename(made, k.Home)); err != nil {
		return Folder{}, err
	}
	return read(k.Home)
}

func (a Archive) unpack(ctx context.Context, store *cache.Store, work, dir string) (*solver.Tree, error) {
	path := a.Path
	if path == "" {
		var err error
		if path, err = copyBlob(store, a.SHA256, work); err != nil {
			return nil, err
		}
	}
	return solver.Unpack(ctx, path, dir, solver.UnpackOptions{SHA256: a.SHA256.String()})
}

func copyBlob(store *cache.Store, d cache.Digest, work string) (path string, err error) {
	f, err := os.Create(filepath.Join(work, "archive"))
	if err != nil {
		return "", err
	}
	if err := store.CopyBlob(f, d); err != nil {
		return "", errors.Join(fmt.Errorf("the archive sha256:%s is not in the store: %w", d, err), f.Close())
	}
	return f.Name(), f.Close()
}
