package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// yearReaders are the files that may mention years, because they read published data whose format differs by year.
var yearReaders = []string{
	"internal/contest/selection/params.go", // parameters of the organisers' script, which had no names for what differs
}

// aYear matches a competition year in a number or text.
var aYear = regexp.MustCompile(`(?:^|[^0-9])20(?:0[5-9]|[12][0-9]|3[0-9])(?:[^0-9]|$)`)

// aDate matches an example date, or a date layout.
var aDate = regexp.MustCompile(`20[0-9]{2}-[0-9]{2}-[0-9]{2}`)

// forPeople are the fields of declarations and commands that hold documentation. A year there is a citation or an
// example.
var forPeople = []string{"Doc", "Example", "Long", "Summary"}

// TestNoYears: what is specific to a year is in the year's folder, so no code outside tests contains a year as a number
// or in a text.
func TestNoYears(t *testing.T) {
	const root = "../.."
	for _, folder := range []string{"internal", "cmd"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, d fs.DirEntry, err error) error {
			name := filepath.ToSlash(strings.TrimPrefix(path, root+"/"))
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				slices.Contains(yearReaders, name) {
				return err
			}
			return yearsIn(t, path, name)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// yearsIn returns the literals in a file that contain a year.
func yearsIn(t *testing.T, path, name string) error {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, nil, 0)
	if err != nil {
		return err
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			key, ok := n.Key.(*ast.Ident)
			return !ok || !slices.Contains(forPeople, key.Name)
		case *ast.BasicLit:
			text := aDate.ReplaceAllString(n.Value, "")
			if (n.Kind == token.INT || n.Kind == token.STRING) && aYear.MatchString(text) {
				t.Errorf("%s:%d: a year in code: %.100s", name, set.Position(n.Pos()).Line, n.Value)
			}
		}
		return true
	})
	return nil
}
