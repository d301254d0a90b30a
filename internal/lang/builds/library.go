package builds

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/packed"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/compare"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/smt/release"
	"github.com/smtpipe/smtpipe/internal/smt/scramble"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
)

// Library is a source of benchmarks: a folder of files, or archives of a release.
type Library struct {
	folder   string // folder with the files
	archives []packedArchive
	All      []compare.Benchmark
}

// packedArchive is an archive of a release, with its benchmarks.
type packedArchive struct {
	path   string
	digest cache.Digest
	holds  map[string]bool
}

// OpenLibrary lists the benchmarks in a folder of files, in an archive, or in a folder of archives. skipped is the
// number of files that cannot be read or do not contain exactly one check-sat.
func OpenLibrary(ctx context.Context, store *cache.Store, items *cache.Items, path string) (_ *Library, skipped int,
	err error,
) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, 0, usage(err)
	}
	lib := &Library{}
	switch {
	case info.IsDir():
		lib.folder = path
		lib.All, skipped, err = listFolder(ctx, path)
	case !IsPacked(path):
		lib.folder = filepath.Dir(path)
		lib.All, skipped, err = list(ctx, lib.folder, path)
	}
	var paths []string
	if err == nil && len(lib.All)+skipped == 0 {
		lib.folder = ""
		paths, err = ArchivesOf(path)
	}
	files := store.FileIndex(false).EndWith(ctx)
	for _, file := range paths {
		var digest cache.Digest
		if digest, _, err = files.Digest(file); err != nil {
			break
		}
		var index archiveIndex
		if index, err = indexArchive(ctx, items, file, digest); err != nil {
			break
		}
		skipped += index.Passed
		holds := map[string]bool{}
		for _, b := range index.Benchmarks {
			holds[b.Path] = true
		}
		lib.archives = append(lib.archives, packedArchive{file, digest, holds})
		lib.All = append(lib.All, index.Benchmarks...)
	}
	files.Save()
	if ctx.Err() != nil {
		return nil, 0, ctx.Err()
	}
	if err != nil {
		return nil, 0, err
	}
	if len(lib.All) == 0 {
		return nil, 0, usage(fmt.Errorf("%s contains no benchmark (.smt2) with exactly one check-sat", path))
	}
	return lib, skipped, nil
}

// ArchivesOf returns the archive at a path, or the archives below a folder.
func ArchivesOf(path string) ([]string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return []string{path}, err
	}
	var found []string
	err = filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && release.IsArchive(e.Name()) {
			found = append(found, file)
		}
		return err
	})
	return found, err
}

// listFolder lists the benchmarks in a folder of files. It skips files that are not benchmarks, or that are not for the
// single-query track.
func listFolder(ctx context.Context, folder string) (all []compare.Benchmark, passed int, err error) {
	var files []string
	err = filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && filepath.Ext(path) == ".smt2" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	return list(ctx, folder, files...)
}

// list lists the benchmarks among a folder's files.
func list(ctx context.Context, folder string, files ...string) (all []compare.Benchmark, passed int, err error) {
	for _, path := range files {
		if ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, 0, err
		}
		info, err := smtlib.Inspect(text)
		if err != nil || len(info.Statuses) != 1 {
			passed++
			continue
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return nil, 0, err
		}
		b := compare.Benchmark{Path: filepath.ToSlash(rel), Logic: string(info.Logic), Status: string(info.Statuses[0])}
		if loc, ok := comp.ParseLocation(b.Path); ok {
			b.Family = string(loc.Family)
		} else if dir := filepath.ToSlash(filepath.Dir(rel)); dir != "." {
			b.Family = strings.TrimPrefix(strings.TrimPrefix(dir, b.Logic), "/")
		}
		all = append(all, b)
	}
	return all, passed, nil
}

// archiveIndex is the store's record of an archive.
type archiveIndex struct {
	Benchmarks []compare.Benchmark
	Passed     int
}

// indexArchive lists the benchmarks in an archive, from the store if it was read before.
func indexArchive(ctx context.Context, items *cache.Items, path string, digest cache.Digest) (index archiveIndex,
	err error,
) {
	k := cache.NewKeyWriter("compare-index/1")
	k.Digest("archive", digest)
	if record, ok, err := items.Get(k.Key()); ok || err != nil {
		return index, errors.Join(err, json.Unmarshal(record, &index))
	}
	file, err := os.Open(path)
	if err != nil {
		return index, err
	}
	defer file.Close()
	rows, err := release.Index(ctx, filepath.Base(path), digest.String(), nil, file, packed.Default,
		runtime.GOMAXPROCS(0)-1)
	if err != nil {
		return index, usage(err)
	}
	for _, r := range rows {
		if !usable(r) {
			index.Passed++
			continue
		}
		index.Benchmarks = append(index.Benchmarks, compare.Benchmark{Path: r.Path, Logic: r.Logic, Family: r.Family,
			Status: r.Status})
	}
	record, err := json.Marshal(index)
	if err != nil {
		return index, err
	}
	return index, items.Put(k.Key(), record)
}

func usable(r results.BenchmarkRow) bool {
	return r.Problem == "" && !r.Incremental && r.CheckSats == 1
}

// variants writes a sample's benchmarks, scrambled with their seeds, and records their paths. Benchmarks that the
// scrambler rejects stay unscrambled.
func (l *Lab) variants(ctx context.Context, sample []compare.Benchmark, seeds []int64) (all []compare.Benchmark,
	err error,
) {
	opt := l.Scramble
	var s scramble.Scrambler
	for _, b := range sample {
		text, err := os.ReadFile(l.Places[b.ID()])
		if err != nil || ctx.Err() != nil {
			return nil, errors.Join(err, ctx.Err())
		}
		for i, seed := range seeds {
			v := b
			v.Seed, v.SecondFirst = seed, b.SecondFirst != (i%2 == 1)
			opt.Seed = seed
			changed := text
			if !l.Unchanged {
				if out, err := s.Append(nil, text, opt); err == nil {
					changed = out
				}
			}
			if l.Places[v.ID()], err = keepVariant(l.Store, changed); err != nil {
				return nil, err
			}
			all = append(all, v)
		}
	}
	return all, nil
}

// keepVariant writes a text below the store's benchmarks folder, where it remains for commands that repeat runs.
func keepVariant(store *cache.Store, text []byte) (string, error) {
	digest := cache.DigestOf(text).String()
	place, err := filepath.Abs(filepath.Join(store.Dir(), "benchmarks", "variants", digest[:2], digest+".smt2"))
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(place); err == nil {
		return place, nil
	}
	return place, writeWhole(place, bytes.NewReader(text))
}

// Place returns the path of each benchmark in a sample. It unpacks benchmarks in archives below a folder in the store,
// where they remain for commands that repeat runs.
func (lib *Library) Place(store *cache.Store, sample []compare.Benchmark) (map[string]string, error) {
	places := map[string]string{}
	if lib.folder != "" {
		for _, b := range sample {
			full, err := filepath.Abs(filepath.Join(lib.folder, filepath.FromSlash(b.Path)))
			if err != nil {
				return nil, err
			}
			places[b.Path] = full
		}
		return places, nil
	}
	for _, a := range lib.archives {
		home, err := filepath.Abs(filepath.Join(store.Dir(), "benchmarks", a.digest.String()))
		if err != nil {
			return nil, err
		}
		missing := map[string]bool{}
		for _, b := range sample {
			if !a.holds[b.Path] {
				continue
			}
			places[b.Path] = filepath.Join(home, filepath.FromSlash(b.Path))
			if _, err := os.Stat(places[b.Path]); err != nil {
				missing[b.Path] = true
			}
		}
		if err := a.unpack(missing, places); err != nil {
			return nil, err
		}
	}
	return places, nil
}

// unpack writes missing benchmarks to their places. Files appear atomically.
func (a *packedArchive) unpack(missing map[string]bool, places map[string]string) error {
	if len(missing) == 0 {
		return nil
	}
	file, err := os.Open(a.path)
	if err != nil {
		return err
	}
	defer file.Close()
	return release.Walk(filepath.Base(a.path), file, packed.Default, func(m release.Member, content io.Reader) error {
		if !missing[m.Path] {
			return nil
		}
		return writeWhole(places[m.Path], content)
	})
}

// writeWhole writes a file atomically.
func writeWhole(target string, content io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(target), ".part-*")
	if err != nil {
		return err
	}
	_, err = io.Copy(part, content)
	if err = errors.Join(err, part.Chmod(0o644), part.Close()); err != nil {
		return errors.Join(err, os.Remove(part.Name()))
	}
	return os.Rename(part.Name(), target)
}
