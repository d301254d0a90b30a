package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// Operations of FuzzStore. Each consists of four bytes of the fuzzer's input: the operation, a file, and two positions
// in it.
const (
	opFlip      = iota // flips a bit
	opCut              // removes everything after the first position
	opZero             // zeroes the bytes between the positions
	opSwap             // swaps the contents of two files
	opReorder          // swaps the halves of the range between the positions
	opDuplicate        // copies the file to a new name of the same kind
	opRemove           // removes the file
	opRepeat           // duplicates the bytes between the positions
	operations
)

// FuzzStore damages arbitrary files of a small store in many ways, adds a solver, changes the scoring, and executes.
// The result must equal the result with an undamaged store, and no finished run with a readable record may be executed
// again. Checking, cleaning, and another execution must then succeed and find nothing to do.
func FuzzStore(f *testing.F) {
	dir := f.TempDir()
	if err := writeBenchmarks(dir, damageBenchmarks); err != nil {
		f.Fatal(err)
	}
	if _, _, err := scored(f.Context(), dir, small(damageSolvers, "par")); err != nil {
		f.Fatal(err)
	}
	whole := wholeStore(f, dir)
	undisturbed, _, err := scored(f.Context(), dir, small(damageSolvers+1, "par2"))
	if err != nil {
		f.Fatal(err)
	}
	for op := range byte(operations) {
		for file := range byte(len(whole)) {
			f.Add([]byte{op, file, 90, 130})
		}
	}
	f.Add([]byte{opSwap, 0, 7, 0, opFlip, 5, 80, 1, opReorder, 6, 20, 250})
	f.Fuzz(func(t *testing.T, script []byte) {
		files := maps.Clone(whole)
		for ; len(script) >= 4; script = script[4:] {
			change(files, script)
		}
		store := filepath.Join(dir, "store")
		if err := os.RemoveAll(store); err != nil {
			t.Fatal(err)
		}
		for name, content := range files {
			full := filepath.Join(store, filepath.FromSlash(name))
			os.MkdirAll(filepath.Dir(full), 0o777)
			if err := os.WriteFile(full, content, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		tryStore(t, dir, undisturbed, finishedRuns(files), string(files["format"]) == string(whole["format"]))
	})
}

// tryStore executes with a damaged store, checks it, cleans it, and executes again.
func tryStore(t *testing.T, dir string, want cty.Value, finished int, hasFormat bool) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	most := int64(damageBenchmarks*(damageSolvers+1) - finished)
	got, runs, err := scored(ctx, dir, small(damageSolvers+1, "par2"))
	if err != nil && !hasFormat && strings.Contains(err.Error(), "format") {
		return // the error explains what to do
	}
	if err != nil {
		t.Fatal(err)
	}
	if !got.RawEquals(want) {
		t.Fatalf("the scores are %#v, want %#v", got, want)
	}
	if runs > most {
		t.Fatalf("%d runs were executed, want at most %d: %d can be read", runs, most, finished)
	}
	checkStore(t, dir)
	got, runs, err = scored(ctx, dir, small(damageSolvers+1, "par2"))
	if err != nil || runs != 0 || !got.RawEquals(want) {
		t.Fatalf("after checking and cleaning: %d runs, %#v, %v", runs, got, err)
	}
}

// checkStore checks, repairs and cleans a store. A second check must find nothing.
func checkStore(t *testing.T, dir string) {
	t.Helper()
	store, err := cache.Open(filepath.Join(dir, "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	found, err := store.Check()
	if err != nil {
		t.Fatal(err)
	}
	mended, err := store.Repair()
	if err != nil || len(mended.Problems) < len(found.Problems) {
		t.Fatalf("a check found %q, the repair %q, %v", found.Problems, mended.Problems, err)
	}
	if found, err = store.Check(); err != nil || len(found.Problems) > 0 {
		t.Fatalf("after the repair, a check found %q, %v", found.Problems, err)
	}
	refers := func(string, cache.Digest) ([]cache.Digest, error) { return nil, nil }
	if _, err := store.GC(cache.GCOptions{Refers: refers}); err != nil {
		t.Fatal(err)
	}
}

// scored executes the pipeline s in dir and returns the scores and the number of executed runs.
func scored(ctx context.Context, dir string, s *shape) (scores cty.Value, runs int64, err error) {
	out, err := execution(ctx, dir, s)
	if err != nil {
		return cty.NilVal, 0, err
	}
	return out.scores, out.Runs, nil
}

// wholeStore reads all files of a store.
func wholeStore(f *testing.F, dir string) map[string][]byte {
	all := map[string][]byte{}
	root := os.DirFS(filepath.Join(dir, "store"))
	err := fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			all[name], err = fs.ReadFile(root, name)
		}
		return err
	})
	if err != nil {
		f.Fatal(err)
	}
	return all
}

// change applies the first operation in the script to the files.
func change(files map[string][]byte, script []byte) {
	names := slices.Sorted(maps.Keys(files))
	if len(names) == 0 {
		return
	}
	name := names[int(script[1])%len(names)]
	b := slices.Clone(files[name])
	from, to := int(script[2])*len(b)/256, int(script[3])*len(b)/256
	from, to = min(from, to), max(from, to)
	switch script[0] % operations {
	case opFlip:
		if at := int(script[2]) * len(b) / 256; at < len(b) {
			b[at] ^= 1 << (script[3] % 8)
		}
	case opCut:
		b = b[:from]
	case opZero:
		clear(b[from:to])
	case opSwap:
		other := names[int(script[2])%len(names)]
		b, files[other] = files[other], b
	case opReorder:
		middle := (from + to) / 2
		b = slices.Concat(b[:from], b[middle:to], b[from:middle], b[to:])
	case opDuplicate:
		beside, base := path.Split(name)
		files[beside+fmt.Sprintf("%02x", script[2])+base[min(2, len(base)):]] = b
	case opRemove:
		delete(files, name)
		return
	case opRepeat:
		b = slices.Concat(b[:to], b[from:to], b[to:])
	}
	files[name] = b
}

// finishedRuns counts the runs with an intact record anywhere in a segment of runs, verified by checksum
// (docs/run/store.md, Segments).
func finishedRuns(files map[string][]byte) int {
	keys := map[string]bool{}
	for name, b := range files {
		if !strings.HasPrefix(name, "items/execute/") || !strings.HasSuffix(name, ".seg") {
			continue
		}
		for at := 0; at+frameHeader <= len(b); at++ {
			length := int(binary.LittleEndian.Uint32(b[at:]))
			if length != recordSize || at+frameHeader+length > len(b) {
				continue
			}
			sum := crc32.Checksum(b[at+8:at+frameHeader+length], crc32.MakeTable(crc32.Castagnoli))
			if sum == binary.LittleEndian.Uint32(b[at+4:]) {
				keys[string(b[at+8:at+frameHeader])] = true
			}
		}
	}
	return len(keys)
}
