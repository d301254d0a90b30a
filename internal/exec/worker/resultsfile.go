package worker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ResultsFile is a file with the results of one attempt at a chunk. It has only one writer. If the name is taken, an
// attempt adds its number to the name, such as results.attempt-2.jsonl next to results.jsonl.
type ResultsFile struct{ *os.File }

// Write appends a line. When it returns, the line is on disk.
func (f ResultsFile) Write(line []byte) (int, error) {
	n, err := f.File.Write(line)
	if err != nil {
		if n > 0 {
			_, _ = f.File.Write([]byte("\n")) // starts a new line
		}
		return n, err
	}
	return n, f.Sync()
}

// NewResults creates the file for a new attempt. done contains the works that earlier attempts have executed, except
// those with machine failures, which are retried.
func NewResults(name string) (f ResultsFile, done map[string]bool, err error) {
	done = map[string]bool{}
	for n := 1; ; n++ {
		path := attemptName(name, n)
		f.File, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o644)
		if err == nil {
			return f, done, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return f, nil, err
		}
		if err := readAttempt(path, done); err != nil {
			return f, nil, err
		}
	}
}

// attemptName returns the name of the n-th file, counted from 1.
func attemptName(name string, n int) string {
	if n == 1 {
		return name
	}
	ext := filepath.Ext(name)
	return strings.TrimSuffix(name, ext) + ".attempt-" + strconv.Itoa(n) + ext
}

func readAttempt(path string, done map[string]bool) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	all, _, err := ReadResults(in)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for _, r := range all {
		if r.Failure == nil || r.Failure.Kind != FailMachine {
			done[r.ID] = true
		}
	}
	return nil
}
