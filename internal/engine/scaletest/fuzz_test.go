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

// The operations of FuzzStore. Each takes four bytes of the fuzzer: operation, file, and two places in it.
const (
	opFlip      = iota // flips a bit
	opCut              // removes the bytes after the first place
	opZero             // zeroes the bytes between the places
	opSwap             // swaps the content of two files
	opReorder          // swaps the halves between the places
	opDuplicate        // copies the file under a name of the same kind
	opRemove           // removes the file
	opRepeat           // repeats the bytes between the places
	operations
)

// FuzzStore damages arbitrary files of a small store in many ways, adds a solver, changes the scoring, and executes.
// The result must equal that of an undamaged store. No finished run that can be read is executed again, and checking,
// cleaning, and executing once more succeed and find nothing left to do.
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

// tryStore executes in a damaged store, checks it, cleans it, and executes again.
func tryStore(t *testing.T, dir string, want cty.Value, finished int, hasFormat bool) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	most := int64(damageBenchmarks*(damageSolvers+1) - finished)
	got, runs, err := scored(ctx, dir, small(damageSolvers+1, "par2"))
	if err != nil && !hasFormat && strings.Contains(err.Error(), "format") {
		return // the error says what to do
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

// checkStore checks, repairs and cleans a store, after which there is nothing left to find.
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

// scored executes the pipeline of s in dir and returns the scores and how many runs were executed.
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

// change applies the operation in the first four bytes of the script to the files.
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

// finishedRuns counts the runs whose record is somewhere in a segment of runs, with its checksum (docs/run/store.md,
// Segments).
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
