package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/scramble"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
)

func newToolInfoCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "info FILE...",
		Short: "Print what a benchmark declares: logic, statuses, counts",
		Long: `info reads benchmarks of SMT-LIB 2 or 1.2 ("-" is standard input) in one fast pass and prints for each, as key=value
lines with a blank line between files:

  file, family (the folders below the folder of the logic), logic, statuses (one per check-sat, sat*3,unsat for three sat
  and an unsat, none where none is declared), category, source, licence, smt_lib_version, asserts and check_sats
  (commands, not lines), symbols declared by kind, max_depth (deepest nesting of parentheses), bytes;
  for version 1.2 also name and difficulty.

A value with a line break is printed with \n in its place. --json prints one object per line instead, with the statuses
as a list. A file that cannot be read is reported on standard error; the others are printed all the same.

` + exit.Help,
		Args: usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error { return runInfo(cmd, args, asJSON) },
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "one JSON object per file and line")
	return cmd
}

func runInfo(cmd *cobra.Command, files []string, asJSON bool) error {
	failed := 0
	for _, file := range files {
		row, err := inspectFile(cmd.InOrStdin(), file)
		if err != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "Error: %s: %v\n", file, err)
			failed++
			continue
		}
		if err := row.write(cmd.OutOrStdout(), asJSON); err != nil {
			return err
		}
	}
	if failed > 0 {
		return exit.With(exit.Error, fmt.Errorf("%d of %d files could not be read", failed, len(files)))
	}
	return nil
}

// infoRow holds the information about a file. The text form uses the JSON field names as well.
type infoRow struct {
	File          string        `json:"file"`
	Name          string        `json:"name,omitempty"`
	Family        comp.Family   `json:"family"`
	Logic         comp.Logic    `json:"logic"`
	Statuses      []comp.Status `json:"statuses"`
	Category      string        `json:"category"`
	Difficulty    string        `json:"difficulty,omitempty"`
	Source        string        `json:"source"`
	Licence       string        `json:"licence"`
	SMTLIBVersion string        `json:"smt_lib_version"`
	Asserts       int           `json:"asserts"`
	CheckSats     int           `json:"check_sats"`
	Sorts         int           `json:"sorts"`
	DefinedSorts  int           `json:"defined_sorts"`
	Constants     int           `json:"constants"`
	Functions     int           `json:"functions"`
	Definitions   int           `json:"definitions"`
	Datatypes     int           `json:"datatypes"`
	Constructors  int           `json:"constructors"`
	Selectors     int           `json:"selectors"`
	MaxDepth      int           `json:"max_depth"`
	Bytes         int64         `json:"bytes"`
}

// readBenchmark reads an entire file or standard input. Its errors do not name the file, because the caller does so.
func readBenchmark(stdin io.Reader, file string) ([]byte, error) {
	src, err := scramble.ReadSource(stdin, file)
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("cannot %s: %w", pathErr.Op, pathErr.Err)
	}
	switch {
	case errors.Is(err, syscall.EISDIR):
		return nil, fmt.Errorf("%w; give the files in it, as with find %s -name '*.smt2' -exec smtpipe tool ... {} +",
			err, file)
	case err != nil:
		return nil, err
	}
	for name, magic := range compressions {
		if bytes.HasPrefix(src, []byte(magic)) {
			return nil, fmt.Errorf("this is compressed (%s), not a benchmark; unpack it first (tar -xf for an archive)",
				name)
		}
	}
	return src, nil
}

// compressions are the first bytes of compressed files, by format name.
var compressions = map[string]string{"gzip": "\x1f\x8b", "zstd": "\x28\xb5\x2f\xfd", "bzip2": "BZh",
	"xz": "\xfd7zXZ\x00"}

func inspectFile(stdin io.Reader, file string) (infoRow, error) {
	src, err := readBenchmark(stdin, file)
	if err != nil {
		return infoRow{}, err
	}
	info, err := smtlib.Inspect(src)
	if err != nil {
		return infoRow{}, err
	}
	n := info.Symbols
	return infoRow{
		File: file, Name: info.Name, Family: familyOf(file, info.Logic), Logic: info.Logic,
		Statuses: append([]comp.Status{}, info.Statuses...), Category: info.Category, Difficulty: info.Difficulty,
		Source: info.Source, Licence: info.Licence, SMTLIBVersion: info.Declares,
		Asserts: info.Asserts, CheckSats: info.CheckSats,
		Sorts: n.Sorts, DefinedSorts: n.DefinedSorts, Constants: n.Constants, Functions: n.Functions,
		Definitions: n.Definitions, Datatypes: n.Datatypes, Constructors: n.Constructors, Selectors: n.Selectors,
		MaxDepth: info.MaxDepth, Bytes: info.Bytes,
	}, nil
}

// familyOf returns the folders between the last folder that has the logic's name and the file.
func familyOf(file string, logic comp.Logic) comp.Family {
	folders := strings.Split(filepath.ToSlash(filepath.Dir(file)), "/")
	for i := len(folders) - 1; i >= 0; i-- {
		if folders[i] == string(logic) {
			return comp.Family(strings.Join(folders[i+1:], "/"))
		}
	}
	return ""
}

// write prints the row as key=value lines and an empty line, or as a line of JSON.
func (r infoRow) write(w io.Writer, asJSON bool) error {
	if asJSON {
		return json.NewEncoder(w).Encode(r)
	}
	w = inert{w}
	var b strings.Builder
	line := func(key string, value any) { fmt.Fprintf(&b, "%s=%s\n", key, words.OneLine(fmt.Sprint(value))) }
	line("file", r.File)
	if r.Name != "" {
		line("name", r.Name)
	}
	line("family", r.Family)
	line("logic", r.Logic)
	line("statuses", runLength(r.Statuses))
	line("category", r.Category)
	if r.Difficulty != "" {
		line("difficulty", r.Difficulty)
	}
	line("source", r.Source)
	line("licence", r.Licence)
	line("smt_lib_version", r.SMTLIBVersion)
	line("asserts", r.Asserts)
	line("check_sats", r.CheckSats)
	line("sorts", r.Sorts)
	line("defined_sorts", r.DefinedSorts)
	line("constants", r.Constants)
	line("functions", r.Functions)
	line("definitions", r.Definitions)
	line("datatypes", r.Datatypes)
	line("constructors", r.Constructors)
	line("selectors", r.Selectors)
	line("max_depth", r.MaxDepth)
	line("bytes", r.Bytes)
	b.WriteByte('\n')
	_, err := io.WriteString(w, b.String())
	return err
}

// runLength writes sat, sat, unsat as sat*2,unsat. A check-sat without a declared status is written as none.
func runLength(statuses []comp.Status) string {
	var parts []string
	for len(statuses) > 0 {
		first := statuses[0]
		n := slices.IndexFunc(statuses, func(s comp.Status) bool { return s != first })
		if n < 0 {
			n = len(statuses)
		}
		part := string(first)
		if first == "" {
			part = "none"
		}
		if n > 1 {
			part = fmt.Sprintf("%s*%d", part, n)
		}
		parts, statuses = append(parts, part), statuses[n:]
	}
	return strings.Join(parts, ",")
}
