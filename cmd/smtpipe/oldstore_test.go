package main

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/smtpipe/smtpipe/internal/artifact"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestOldStores opens stores that earlier versions wrote. Each holds 60 runs of a solver that says unsat on the
// benchmarks of QF_UF of the embedded release, 39 of them unsat, with their scores by the rules of 2026.
func TestOldStores(t *testing.T) {
	archives, err := filepath.Glob("testdata/stores/*.tar.zst")
	if err != nil || len(archives) == 0 {
		t.Fatal(archives, err)
	}
	for _, archive := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(archive), ".tar.zst"), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			unpackStore(t, archive, dir)
			store, err := cache.Open(dir, cache.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			found, err := store.Check()
			if err != nil || len(found.Problems)+found.Missing > 0 || found.Records != 181 || found.Actions != 6 {
				t.Errorf("the check gives %+v, %v", found, err)
			}
			runs, err := store.Items("execute")
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			if err := runs.Each(func(cache.Key, []byte) error { n++; return nil }); err != nil || n != 60 {
				t.Errorf("%d runs, %v", n, err)
			}
			par := scoresOf(t, store)
			if par.Correct != 39 || par.Errors != 21 || par.Solver != "ann" {
				t.Errorf("the score is %+v", par)
			}
		})
	}
}

// scoresOf reads the score of the only solver in the view par.
func scoresOf(t *testing.T, store *cache.Store) (par results.ScoreRow) {
	t.Helper()
	damaged, err := store.EachAction(func(_ cache.Key, a *cache.Action) error {
		if a.Address != "stage.score.main" {
			return nil
		}
		out := a.Outputs["scores"]
		d, err := cache.ParseDigest(out.Digest)
		if err != nil {
			return err
		}
		rows, err := artifact.ReadTable[results.ScoreRow](store, stages.Artifact{Schema: out.Schema, Digest: d,
			Rows: out.Rows, SizeBytes: out.SizeBytes})
		for _, r := range rows {
			if r.View == "par" && r.Logic == "" {
				par = r
			}
		}
		return err
	})
	if err != nil || len(damaged) > 0 {
		t.Fatal(damaged, err)
	}
	return par
}

func unpackStore(t *testing.T, archive, dir string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unzipped, err := zstd.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	defer unzipped.Close()
	for in := tar.NewReader(unzipped); ; {
		member, err := in.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if member.Typeflag != tar.TypeReg {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(member.Name))
		content, err := io.ReadAll(in)
		if err == nil {
			err = errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, content, 0o666))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
