package archtest

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is the maximum length of a line, counting a tab as four columns.
const maxColumns = 120

// TestLongLines checks all Go files. A line may be longer if it contains a literal that cannot be broken well: a raw
// string, or a string that takes more than half a line.
func TestLongLines(t *testing.T) {
	for path, src := range goFiles(t) {
		texts := linesOfLongTexts(src)
		n := 0
		for line := range strings.Lines(string(src)) {
			n++
			columns := utf8.RuneCountInString(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    "))
			if columns > maxColumns && !texts[n] {
				t.Errorf("%s:%d has %d columns", path, n, columns)
			}
		}
	}
}

// goFiles returns the content of all of the project's Go files, by path. It skips the folder build, which contains
// other projects' files on machines with an older Go.
func goFiles(t *testing.T) map[string][]byte {
	t.Helper()
	root := os.DirFS("../..")
	files := map[string][]byte{}
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path == "build":
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		files[path], err = fs.ReadFile(root, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// linesOfLongTexts returns the line numbers of literals that allow longer lines.
func linesOfLongTexts(src []byte) map[int]bool {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, src, nil, 0)
	lines := map[int]bool{}
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if kind == token.STRING && (text[0] == '`' || len(text) > maxColumns/2) {
			first := file.Line(pos)
			for i := range strings.Count(text, "\n") + 1 {
				lines[first+i] = true
			}
		}
	}
}
