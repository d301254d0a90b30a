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

// yearReaders are files that may mention years, because they read published data whose format differs between years.
var yearReaders = []string{
	"internal/contest/selection/params.go", // the organisers' script did not name the differences between years
}

// aYear matches a competition year in a literal.
var aYear = regexp.MustCompile(`(?:^|[^0-9])20(?:0[5-9]|[12][0-9]|3[0-9])(?:[^0-9]|$)`)

// aDate matches an example date or a date layout.
var aDate = regexp.MustCompile(`20[0-9]{2}-[0-9]{2}-[0-9]{2}`)

// forPeople are the fields of declarations and commands that contain documentation. A year in one of them is a citation
// or an example.
var forPeople = []string{"Doc", "Example", "Long", "Summary"}

// TestNoYears checks that no code outside tests contains a year in a number or text: each year's specifics are in the
// year's folder.
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

// yearsIn reports each literal of a file that contains a year.
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
