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

// maxColumns is how long a line of code may be; a tab counts as four.
const maxColumns = 120

// TestLongLines looks at all Go files. A line may be longer where a text with backquotes is, which cannot be broken.
func TestLongLines(t *testing.T) {
	const root = "../.."
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasPrefix(path, root+"/build/") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		raw := linesOfRawTexts(src)
		n := 0
		for line := range strings.Lines(string(src)) {
			n++
			columns := utf8.RuneCountInString(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    "))
			if columns > maxColumns && !raw[n] {
				t.Errorf("%s:%d has %d columns", path, n, columns)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// linesOfRawTexts returns the lines on which texts with backquotes are.
func linesOfRawTexts(src []byte) map[int]bool {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(src))
	s.Init(file, src, nil, 0)
	lines := map[int]bool{}
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if kind == token.STRING && text[0] == '`' {
			first := file.Line(pos)
			for i := range strings.Count(text, "\n") + 1 {
				lines[first+i] = true
			}
		}
	}
}
