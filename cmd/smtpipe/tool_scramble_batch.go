package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/smt/scramble"
)

// scrambleBatch scrambles files in parallel into a folder. Outputs keep their files' paths, or are named by number and
// listed in a map. Rejected files are reported in argument order and produce no output.
func scrambleBatch(ctx context.Context, files []string, dir string, opt scramble.Options, numbers *scriptNumbers,
	stderr io.Writer) error {
	targets, mapped, err := batchTargets(files, dir, numbers)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	rejections := make([]*scramble.Rejection, len(files))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range files {
		group.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			err := scrambleFile(files[i], targets[i], opt)
			if rejection, ok := errors.AsType[*scramble.Rejection](err); ok {
				rejections[i] = rejection
				return nil
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	rejected := 0
	var made []selection.ScriptNumber
	for i, r := range rejections {
		if r == nil && numbers != nil {
			made = append(made, mapped[i])
		}
		if r != nil {
			rejected++
			fmt.Fprintf(stderr, "%s:%d:%d: %s (%s)\n", files[i], r.Position.Line, r.Position.Column, r.Message,
				r.Detail)
		}
	}
	if numbers != nil {
		if err := outfile.WriteText(filepath.Join(dir, mapName), string(selection.IDMap(made))); err != nil {
			return err
		}
	}
	if rejected > 0 {
		return exit.With(exit.Error, fmt.Errorf("%d of %d benchmarks were rejected and have no output", rejected,
			len(files)))
	}
	return nil
}

// batchTargets returns the output path of each file, by number or by path.
func batchTargets(files []string, dir string, numbers *scriptNumbers) ([]string, []selection.ScriptNumber, error) {
	if numbers != nil {
		return numbers.targets(files, dir)
	}
	targets, err := pathTargets(files, dir)
	return targets, nil, err
}

// pathTargets returns each file's output path: its path below dir, or only its name if the path leads upwards or is
// absolute. It returns an error if two files have the same output path.
func pathTargets(files []string, dir string) ([]string, error) {
	targets := make([]string, len(files))
	taken := make(map[string]string, len(files))
	for i, file := range files {
		local := filepath.Clean(file)
		if !filepath.IsLocal(local) {
			local = filepath.Base(local)
		}
		if other, ok := taken[local]; ok {
			return nil, fmt.Errorf("%s and %s would both be written to %s; run the command in a folder above them",
				other, file, filepath.Join(dir, local))
		}
		taken[local] = file
		targets[i] = filepath.Join(dir, local)
		if targets[i] == filepath.Clean(file) {
			return nil, fmt.Errorf("%s would be overwritten; name another folder", file)
		}
	}
	return targets, nil
}

var scramblers = sync.Pool{New: func() any { return new(scramble.Scrambler) }}

// scrambleFile writes a scrambled file, under a temporary name until the file is complete.
func scrambleFile(file, target string, opt scramble.Options) error {
	src, err := scramble.OpenBenchmark(nil, file)
	if err != nil {
		return err
	}
	defer src.Close()
	if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
		return err
	}
	temporary, err := os.Create(target + ".tmp")
	if err != nil {
		return err
	}
	s := scramblers.Get().(*scramble.Scrambler)
	s.Release = src.Release
	err = scramble.CatchFault(func() error { return s.WriteTo(temporary, src.Text, opt) })
	scramblers.Put(s)
	if err = errors.Join(err, temporary.Close()); err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return os.Rename(temporary.Name(), target)
}
