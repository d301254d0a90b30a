// Package archtest checks the rules for the whole source tree, such as which packages may import which.
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

// wing is a folder of internal, divided into rooms (see ARCHITECTURE.md).
type wing struct {
	name  string
	rooms [][]string // from the bottom up: a room may import the rooms before it; nil if the wing is a single room
}

// wings lists all folders of internal, from the bottom up. Of the project's packages, a package may import only those
// in earlier wings, in lower rooms of its wing, and in its own room (a folder and everything below it).
var wings = []wing{
	{"base", [][]string{{"ahead", "exit", "limits", "nearest", "outfile", "pattern", "words"},
		{"packed", "random", "budget", "hclsource"}}},
	{"testkit", nil},
	{"graph", nil},
	{"ship", nil},
	{"cache", nil},
	{"data", [][]string{{"comp", "table", "diff"}, {"run", "rowexpr"}, {"results"}, {"artifact"}}},
	{"smt", [][]string{{"smtlib"}, {"scramble", "trace", "release", "validate"}}},
	{"publish", [][]string{{"report"}, {"document"}}},
	{"exec", [][]string{{"runner"}, {"solvertree", "evidence"}, {"image", "worker"}, {"doctor"}}},
	{"contest", [][]string{{"admission", "selection"}, {"submission"}, {"score"},
		{"rules", "preflight", "confidence", "whatif", "compare", "bisect"}, {"design"}}},
	{"stages", nil},
	{"engine", nil},
	{"lang", [][]string{{"builds", "config", "preselect", "rehearse"}, {"lsp"}}},
	{"ui", nil},
	{"audit", [][]string{{"signature", "runtree"}, {"frozen", "published", "record"},
		{"freeze", "verify", "prove", "shadow", "project"}, {"reproduce", "interim", "sides", "repeat"}}},
}

// outside lists packages that no wing imports. They may import any package.
var outside = []string{"cmd/smtpipe", "examples", "internal/archtest", "internal/stages/stagetest"}

// forbidden lists imports that the layers would allow, with the reasons why they are forbidden.
var forbidden = []struct{ from, to, reason string }{
	{"internal/lang/config", "internal/engine",
		"config and engine do not know each other; cmd hands the one's pipeline " +
			"to the other"},
	{"internal/engine", "internal/lang/config",
		"config and engine do not know each other; cmd hands the one's pipeline " +
			"to the other"},
	{"internal/engine", "internal/data/results", "the engine knows no file format"},
	{"internal/engine", "internal/exec/runner", "the engine sees runs only as items of a stage"},
	{"internal/engine", "internal/stages/", "the engine sees stages only through their interface"},
	{"internal/audit/frozen", "internal/stages/", "a frozen folder knows stages only through their declarations"},
	{"internal/audit/verify", "internal/stages/", "what is computed again is computed by the engine"},
	{"internal/lang/config", "internal/stages/", "the language sees stages only through their declarations"},
	{"internal/lang/lsp", "internal/stages/", "an editor is told of stages by their declarations"},
	{"internal/data/comp", "os", "the vocabulary does no input or output"},
	{"internal/contest/score", "internal/exec/runner", "scoring is a function of tables"},
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

// place returns a package's room, the position of its wing in the list, and the position of its room in the wing. Both
// positions are -1 if the package is in no wing.
func place(path string) (room string, wingHeight, roomHeight int) {
	for w, wing := range wings {
		top := "internal/" + wing.name
		if !below(path, top) {
			continue
		}
		if wing.rooms == nil {
			return top, w, 0
		}
		for r, rooms := range wing.rooms {
			for _, name := range rooms {
				if below(path, top+"/"+name) {
					return top + "/" + name, w, r
				}
			}
		}
	}
	return "", -1, -1
}

// below reports whether path is the folder or lies below it.
func below(path, folder string) bool { return path == folder || strings.HasPrefix(path, folder+"/") }

func TestWalls(t *testing.T) {
	for _, p := range packages(t) {
		path := strings.TrimPrefix(p.ImportPath, module)
		room, w, r := place(path)
		free := slices.ContainsFunc(outside, func(o string) bool { return below(path, o) })
		if w < 0 && !free && path != "pipelines" {
			t.Errorf("%s is in no wing; add it to the wings and to ARCHITECTURE.md", path)
		}
		for _, imp := range p.Imports {
			to, ours := strings.CutPrefix(imp, module)
			if ours && !free {
				if target, tw, tr := place(to); target != room && (tw > w || tw == w && tr >= r) {
					t.Errorf("%s imports %s, which is not below it", path, to)
				}
			}
			for _, f := range forbidden {
				if below(path, f.from) && (to == f.to || strings.HasSuffix(f.to, "/") && strings.HasPrefix(to, f.to)) {
					t.Errorf("%s imports %s: %s", path, to, f.reason)
				}
			}
		}
	}
}

// TestWings checks that the folders give an overview of the program: there are few, and each is a wing.
func TestWings(t *testing.T) {
	folders, err := filepath.Glob("../*")
	if err != nil || len(folders) > 16 {
		t.Errorf("internal has %d folders, of which 16 can be seen at once", len(folders))
	}
	for _, folder := range folders {
		name := filepath.Base(folder)
		if name != "archtest" && !slices.ContainsFunc(wings, func(w wing) bool { return w.name == name }) {
			t.Errorf("internal/%s is no wing", name)
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

// unsafeFiles may import unsafe, for system calls around solver processes. All other files read or pass on untrusted
// data (benchmarks, archives, tables, answers), and never need it.
var unsafeFiles = []string{
	"internal/exec/runner/initproc/calls.go",
	"internal/exec/runner/runnertest/victim/attack.go", // the test program that attacks the runner
}

// TestUnsafe checks all files, including tests and files for other operating systems.
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
