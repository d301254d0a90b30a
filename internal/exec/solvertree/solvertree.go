// Package solvertree keeps the unpacked archives of solvers in a store: one folder for each archive, named by the
// archive's digest, so that an archive is unpacked once for all pipelines of the store.
//
// The folders are a convenience. Every one of them can be recreated from its archive, and a folder whose digest has
// changed since its creation is recreated.
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

// Archive is the place of an archive's bytes.
type Archive struct {
	SHA256 cache.Digest
	Path   string // on this machine; empty: the archive is a blob of the store
}

// Folder is an unpacked archive.
type Folder struct {
	Path   string       // read-only by agreement
	Digest cache.Digest // of the tree (solver.Tree.Digest), which is part of the keys of runs
}

// folders is the place of unpacked archives, below the store.
const folders = "solvers"

// Open returns the folder of an archive and unpacks the archive if there is none. It does not check an existing folder;
// see Check. It is safe for concurrent use by goroutines and processes.
//
// It fails with an error of solver.Unpack if the archive is not safe or does not have its digest.
func Open(ctx context.Context, store *cache.Store, a Archive) (Folder, error) {
	home := filepath.Join(store.Dir(), folders, a.SHA256.String())
	f, err := read(home)
	if err == nil {
		return f, nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	return unpack(ctx, store, a, home)
}

// Find returns the folder of an archive if the archive has been unpacked. ok is false if not.
func Find(store *cache.Store, a Archive) (f Folder, ok bool) {
	for s := store; s != nil && !ok; s = s.Behind() {
		var err error
		f, err = read(filepath.Join(s.Dir(), folders, a.SHA256.String()))
		ok = err == nil
	}
	return f, ok
}

// Check compares the content of the folder with its digest and unpacks the archive again if they differ.
func Check(ctx context.Context, store *cache.Store, a Archive) (Folder, error) {
	f, err := Open(ctx, store, a)
	if err != nil {
		return f, err
	}
	tree, err := solver.ReadTree(ctx, f.Path)
	if err == nil && cache.Digest(tree.Digest()) == f.Digest {
		return f, nil
	}
	if ctx.Err() != nil {
		return f, ctx.Err() // which does not concern the folder
	}
	home := filepath.Dir(f.Path)
	if err := os.RemoveAll(home); err != nil {
		return f, fmt.Errorf("remove the damaged folder of a solver: %w", err)
	}
	return unpack(ctx, store, a, home)
}

// The entries of the folder of one archive.
const (
	treeName   = "tree"
	digestName = "digest"
)

// read returns the folder that is there, or an error that is fs.ErrNotExist.
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

// unpack creates the folder under a temporary name and renames it, so that it is complete when it becomes visible.
func unpack(ctx context.Context, store *cache.Store, a Archive, home string) (Folder, error) {
	work, err := store.TempDir()
	if err != nil {
		return Folder{}, err
	}
	defer func() {
		if ctx.Err() == nil { // otherwise it is removed with other files of ended processes
			os.RemoveAll(work)
		}
	}()
	path := a.Path
	if path == "" {
		if path, err = copyBlob(store, a.SHA256, work); err != nil {
			return Folder{}, err
		}
	}
	made := filepath.Join(work, "made")
	if err := os.Mkdir(made, 0o755); err != nil {
		return Folder{}, err
	}
	u, err := solver.Unpack(ctx, path, filepath.Join(made, treeName), solver.UnpackOptions{SHA256: a.SHA256.String()})
	if err != nil {
		return Folder{}, err
	}
	digest := u.Tree.Digest().String() + "\n"
	if err := os.WriteFile(filepath.Join(made, digestName), []byte(digest), 0o644); err != nil {
		return Folder{}, err
	}
	if err := os.MkdirAll(filepath.Dir(home), 0o755); err != nil {
		return Folder{}, err
	}
	if err := os.Rename(made, home); err != nil && !errors.Is(err, fs.ErrExist) { // another process was first
		return Folder{}, err
	}
	return read(home)
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
