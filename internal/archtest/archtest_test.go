// Package archtest holds the walls between packages: who may import whom.
package archtest

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/smtpipe/smtpipe/"

// layers lists the rooms from the bottom up. A package may import packages of lower layers, of its own room (the folder
// and what is below it), and nothing else of ours.
var layers = [][]string{
	{"internal/nearest", "internal/limits"},
	{"internal/testkit", "internal/comp", "internal/packed", "internal/random", "internal/table", "internal/budget",
		"internal/hclsource", "internal/docsite", "internal/signature", "pipelines"},
	{"examples/quickstart",
		"internal/ship", "internal/smtlib", "internal/rowexpr", "internal/graph", "internal/admission", "internal/run"},
	{"internal/preflight", "internal/scramble", "internal/selection", "internal/submission", "internal/results",
		"internal/cache", "internal/runner"},
	{"internal/release", "internal/solvertree", "internal/evidence", "internal/trace", "internal/validate",
		"internal/score", "internal/report", "internal/artifact", "internal/runtree"},
	{"internal/worker", "internal/rules", "internal/confidence", "internal/whatif",
		"internal/compare"},
	{"internal/stages"},
	{"internal/rehearse", "internal/config", "internal/engine", "internal/frozen", "internal/published"},
	{"internal/ui", "internal/stages/stagetest", "internal/freeze", "internal/verify",
		"internal/preselect", "internal/prove", "internal/shadow", "internal/lsp"},
	{"cmd/smtpipe"},
}

// forbidden are imports that the layers would allow, with the reason why they are not.
var forbidden = []struct{ from, to, reason string }{
	{"internal/config", "internal/engine", "config and engine do not know each other; cmd hands the one's pipeline " +
		"to the other"},
	{"internal/engine", "internal/config", "config and engine do not know each other; cmd hands the one's pipeline " +
		"to the other"},
	{"internal/engine", "internal/results", "the engine knows no file format"},
	{"internal/engine", "internal/runner", "the engine sees runs only as items of a stage"},
	{"internal/engine", "internal/stages/", "the engine sees stages only through their interface"},
	{"internal/frozen", "internal/stages/", "a frozen folder knows stages only through their declarations"},
	{"internal/verify", "internal/stages/", "what is computed again is computed by the engine"},
	{"internal/config", "internal/stages/", "the language sees stages only through their declarations"},
	{"internal/lsp", "internal/stages/", "an editor is told of stages by their declarations"},
	{"internal/cache", "internal/results", "the store knows bytes only"},
	{"internal/comp", "os", "the vocabulary does no input or output"},
	{"internal/score", "internal/runner", "scoring is a function of tables"},
	{"internal/report", "internal/score", "the report decides nothing"},
}

type goPackage struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	Imports    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p goPackage
		if err := dec.Decode(&p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

// room returns the longest room that holds a package, and its layer; -1 if there is none.
func room(path string) (name string, layer int) {
	layer = -1
	for i, rooms := range layers {
		for _, r := range rooms {
			if (path == r || strings.HasPrefix(path, r+"/")) && len(r) > len(name) {
				name, layer = r, i
			}
		}
	}
	return name, layer
}

func TestWalls(t *testing.T) {
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		from, layer := room(path)
		if layer < 0 {
			if !strings.HasPrefix(path, "examples/") && path != "internal/archtest" {
				t.Errorf("%s is in no room; add it to the layers and to ARCHITECTURE.md", path)
			}
			continue
		}
		for _, imp := range p.Imports {
			to, ours := strings.CutPrefix(imp, module)
			if ours {
				if target, l := room(to); target != from && l >= layer {
					t.Errorf("%s imports %s, which is not below it", path, to)
				}
			}
			for _, f := range forbidden {
				if (path == f.from || strings.HasPrefix(path, f.from+"/")) && (to == f.to ||
					strings.HasSuffix(f.to, "/") && strings.HasPrefix(to, f.to)) {
					t.Errorf("%s imports %s: %s", path, to, f.reason)
				}
			}
		}
	}
}

func TestPackageComments(t *testing.T) {
	for _, p := range packages(t) {
		documented := slices.ContainsFunc(p.GoFiles, func(name string) bool {
			f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil,
				parser.PackageClauseOnly|parser.ParseComments)
			return err == nil && f.Doc != nil
		})
		if len(p.GoFiles) > 0 && !documented {
			t.Errorf("package %s has no comment", p.ImportPath)
		}
	}
}

// unsafeFiles are the files that may import unsafe: for system calls around the processes of solvers. Everything else
// reads or hands on what strangers wrote (benchmarks, archives, tables, answers), and never needs it.
var unsafeFiles = []string{
	"internal/runner/initproc/calls.go",
	"internal/runner/runnertest/victim/attack.go", // the program that attacks runs in tests
}

// TestUnsafe looks at all files, those of tests and of other systems too.
func TestUnsafe(t *testing.T) {
	var found []string
	for path, src := range goFiles(t) {
		f, err := parser.ParseFile(token.NewFileSet(), path, src, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(f.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"unsafe"` }) {
			found = append(found, path)
		}
	}
	slices.Sort(found)
	if !slices.Equal(found, unsafeFiles) {
		t.Errorf("unsafe is imported by %q, want %q", found, unsafeFiles)
	}
}
