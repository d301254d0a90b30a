package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/compare"
	"github.com/smtpipe/smtpipe/internal/packed"
	"github.com/smtpipe/smtpipe/internal/release"
	"github.com/smtpipe/smtpipe/internal/smtlib"
)

// findBenchmarks lists the benchmarks of a folder or archive, or of a folder with the archives of a release.
func (f *compareFlags) findBenchmarks(cmd *cobra.Command) (all []compare.Benchmark, err error) {
	passed := 0
	err = f.walk(cmd.Context(), func(name string, content func() ([]byte, error)) error {
		text, err := content()
		if err != nil {
			return err
		}
		info, err := smtlib.Inspect(text)
		if err != nil || len(info.Statuses) != 1 {
			passed++
			return nil
		}
		b := compare.Benchmark{Path: name, Logic: string(info.Logic), Status: string(info.Statuses[0])}
		if loc, ok := comp.ParseLocation(name); ok {
			b.Family = string(loc.Family)
		} else if dir := path.Dir(name); dir != "." {
			b.Family = strings.TrimPrefix(strings.TrimPrefix(dir, b.Logic), "/")
		}
		all = append(all, b)
		return nil
	})
	switch {
	case cmd.Context().Err() != nil:
		return nil, errInterrupted
	case errors.Is(err, fs.ErrNotExist):
		return nil, withExit(exitUsage, plain(err, f.benchmarks))
	case err != nil:
		return nil, err
	case len(all) == 0:
		return nil, withExit(exitUsage, fmt.Errorf("%s has no benchmark (.smt2) with one check-sat", f.benchmarks))
	case passed > 0:
		fmt.Fprintf(cmd.ErrOrStderr(), "Note: %d files were passed over: they cannot be read, or have not one check-sat.\n",
			passed)
	}
	return all, nil
}

// visitor is given a benchmark by its path in the folder or archive.
type visitor func(name string, content func() ([]byte, error)) error

// walk visits all benchmarks.
func (f *compareFlags) walk(ctx context.Context, visit visitor) error {
	return filepath.WalkDir(f.benchmarks, func(file string, e fs.DirEntry, err error) error {
		if err = errors.Join(err, ctx.Err()); err != nil || e.IsDir() {
			return err
		}
		if release.IsArchive(file) {
			return walkArchive(ctx, file, visit)
		}
		if filepath.Ext(file) != ".smt2" {
			return nil
		}
		name, err := filepath.Rel(f.benchmarks, file)
		if err != nil {
			return err
		}
		return visit(filepath.ToSlash(name), func() ([]byte, error) { return os.ReadFile(file) })
	})
}

func walkArchive(ctx context.Context, file string, visit visitor) error {
	r, err := os.Open(file)
	if err != nil {
		return err
	}
	defer r.Close()
	return release.Walk(file, r, packed.Default, func(m release.Member, content io.Reader) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if m.Problem != "" || path.Ext(m.Path) != ".smt2" {
			return nil
		}
		return visit(m.Path, func() ([]byte, error) { return io.ReadAll(content) })
	})
}

// place returns where each benchmark of a sample lies as a file. Those in archives are written below folder, unless
// they are there.
func (f *compareFlags) place(ctx context.Context, folder string, sample []compare.Benchmark) (map[string]string,
	error) {
	files := map[string]string{}
	packedOnes := map[string]bool{}
	for _, b := range sample {
		file, err := filepath.Abs(filepath.Join(f.benchmarks, filepath.FromSlash(b.Path)))
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(file); err == nil {
			files[b.Path] = file
		} else {
			packedOnes[b.Path] = true
		}
	}
	if len(packedOnes) == 0 {
		return files, nil
	}
	err := f.walk(ctx, func(name string, content func() ([]byte, error)) error {
		if !packedOnes[name] {
			return nil
		}
		text, err := content()
		if err != nil {
			return err
		}
		file, err := filepath.Abs(filepath.Join(folder, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		files[name] = file
		return os.WriteFile(file, text, 0o644)
	})
	return files, err
}
