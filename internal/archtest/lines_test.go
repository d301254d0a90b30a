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

// TestLongLines looks at all Go files. A line may be longer where a text is that cannot be broken well: one with
// backquotes, or one that takes more than half of a line by itself.
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
		texts := linesOfLongTexts(src)
		n := 0
		for line := range strings.Lines(string(src)) {
			n++
			columns := utf8.RuneCountInString(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    "))
			if columns > maxColumns && !texts[n] {
				t.Errorf("%s:%d has %d columns", path, n, columns)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// linesOfLongTexts returns the lines on which such texts are.
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
