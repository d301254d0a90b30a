package main

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/cache"
)

const (
	damageBenchmarks = 12
	damageSolvers    = 3
	frameHeader      = 40 // docs/run/store.md: length, checksum, key
)

// small returns the competition whose store is damaged.
func small(solvers int, scoring string) *shape {
	return &shape{solvers: solvers, scoring: scoring, durability: cache.Relaxed}
}

// TestDamagedStore damages a small store in one place, adds a solver, and executes. It must execute only the new
// solver's runs and those with damaged records, in one attempt and without an error. The next execution must have
// nothing to do.
func TestDamagedStore(t *testing.T) {
	dir := t.TempDir()
	if err := writeBenchmarks(dir, damageBenchmarks); err != nil {
		t.Fatal(err)
	}
	if _, err := execution(t.Context(), dir, small(damageSolvers, "par")); err != nil {
		t.Fatal(err)
	}
	places := 10
	if n, err := strconv.Atoi(os.Getenv("SMTPIPE_DAMAGES")); err == nil {
		places = n
	}
	whole := readStore(t, dir)
	random := rand.New(rand.NewPCG(5, 6))
	for _, name := range slices.Sorted(maps.Keys(whole)) {
		content := whole[name]
		isIndex := strings.HasSuffix(name, ".idx")
		for at := 0; at < len(content); at += 1 + random.IntN(2*max(1, len(content)/places)) {
			bit := byte(1) << random.IntN(8)
			flip := func(b []byte) []byte { b[at] ^= bit; return b }
			cut := func(b []byte) []byte { return b[:at] }
			what := fmt.Sprintf("bit %d of byte %d", bit, at)
			tryDamage(t, dir, whole, damage{name, what, flip, false, at, at + 1})
			tryDamage(t, dir, whole, damage{name, fmt.Sprintf("cut at byte %d", at), cut, false, at, len(content)})
			if !isIndex {
				tryDamage(t, dir, whole, damage{name, what + " and no index", flip, true, at, at + 1})
			}
		}
		if isIndex {
			tryDamage(t, dir, whole, damage{name, "gone", nil, false, 0, 0})
		}
	}
}

// damage is a change to one file.
type damage struct {
	name, what string
	change     func([]byte) []byte // nil to remove the file
	noIndex    bool                // remove its index, too
	from, to   int                 // range of the changed bytes
}

// readStore reads the files with results, but not those that only record the store's users or format.
func readStore(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	root := os.DirFS(filepath.Join(dir, "store"))
	err := fs.WalkDir(root, ".", func(name string, e fs.DirEntry, err error) error {
		top, _, _ := strings.Cut(name, "/")
		if err != nil || e.IsDir() || !slices.Contains([]string{"items", "packs", "blobs", "actions", "files"}, top) {
			return err
		}
		all[name], err = fs.ReadFile(root, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func tryDamage(t *testing.T, dir string, whole map[string][]byte, d damage) {
	t.Helper()
	store := filepath.Join(dir, "store")
	if err := os.RemoveAll(store); err != nil {
		t.Fatal(err)
	}
	for name, content := range whole {
		full := filepath.Join(store, filepath.FromSlash(name))
		if name == d.name {
			if d.change == nil {
				continue
			}
			content = d.change(slices.Clone(content))
		}
		if d.noIndex && name == d.name+".idx" {
			continue
		}
		os.MkdirAll(filepath.Dir(full), 0o777)
		if err := os.WriteFile(full, content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int{damageBenchmarks + lostRuns(whole, d), 0} {
		out, err := execution(t.Context(), dir, small(damageSolvers+1, "par"))
		if err != nil {
			t.Fatalf("%s: %s: %v", d.name, d.what, err)
		}
		if int(out.Runs) != want {
			t.Fatalf("%s: %s: %d runs were executed, want %d", d.name, d.what, out.Runs, want)
		}
	}
}

// lostRuns counts the runs lost to the damage. A run is lost if its frame is damaged outside the length field, which
// can be recovered.
func lostRuns(whole map[string][]byte, d damage) (lost int) {
	if !strings.HasPrefix(d.name, "items/execute/") || !strings.HasSuffix(d.name, ".seg") {
		return 0
	}
	content := whole[d.name]
	for start := len("smtpseg1"); start < len(content); {
		end := start + frameHeader + int(binary.LittleEndian.Uint32(content[start:]))
		if d.to > start+4 && d.from < end {
			lost++
		}
		start = end
	}
	return lost
}

// TestDamagedTable damages the table of all runs and changes only the scoring. The table must be assembled from the
// runs' records, without executing any run.
func TestDamagedTable(t *testing.T) {
	dir := t.TempDir()
	if err := writeBenchmarks(dir, damageBenchmarks); err != nil {
		t.Fatal(err)
	}
	if _, err := execution(t.Context(), dir, small(damageSolvers, "par")); err != nil {
		t.Fatal(err)
	}
	whole := readStore(t, dir)
	table := tableOfRuns(whole)
	for name, content := range whole {
		at := strings.Index(string(content), string(sha256Of(table)))
		if !strings.HasPrefix(name, "packs/") || at < 0 || strings.HasSuffix(name, ".idx") {
			continue
		}
		for name, content := range whole {
			os.WriteFile(filepath.Join(dir, "store", filepath.FromSlash(name)), content, 0o666)
		}
		content = slices.Clone(content)
		content[at+32+5] ^= 1
		if err := os.WriteFile(filepath.Join(dir, "store", filepath.FromSlash(name)), content, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, stages := range []int{1, 0} {
			out, err := execution(t.Context(), dir, small(damageSolvers, "par2"))
			if err != nil || out.Runs != 0 || out.Executed != stages {
				t.Errorf("%+v, %v; want no run and %d stages", out, err, stages)
			}
		}
		return
	}
	t.Fatal("the table of runs is in no pack")
}

// tableOfRuns returns the table that the synthetic stage assembles from the records: the first four bytes of each, in
// item order. The records do not reveal their order, so the table is identified by its size among the small blobs.
func tableOfRuns(whole map[string][]byte) []byte {
	for name, content := range whole {
		if !strings.HasPrefix(name, "packs/") || strings.HasSuffix(name, ".idx") {
			continue
		}
		for start := len("smtpseg1"); start < len(content); {
			length := int(binary.LittleEndian.Uint32(content[start:]))
			if length == 1+4*damageBenchmarks*damageSolvers { // stored uncompressed after a marker byte
				return content[start+frameHeader+1 : start+frameHeader+length]
			}
			start += frameHeader + length
		}
	}
	return nil
}

func sha256Of(b []byte) []byte {
	d := sha256.Sum256(b)
	return d[:]
}
