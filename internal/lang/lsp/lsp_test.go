package lsp

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/all"
)

// options returns options that load pipelines that name no files, without a store.
func options() Options {
	return Options{
		Kinds:     all.Kinds(),
		ValueText: func(v cty.Value) string { return v.GoString() },
		Load: func(path string, overlay map[string][]byte) (Project, error) {
			p, diags := config.Load(config.Options{Path: path, Kinds: all.Kinds(), Overlay: overlay})
			return Project{Pipeline: p, Diags: diags, Known: stages.Known{}}, nil
		},
	}
}

const tracks = `competition {
  name   = "C"
  year   = 2031
  tracks = { single_query = { Arith = ["LIA", "NRA"] } }
}
`

// at creates a folder with a main.hcl that contains text without its |, tries to load it, and returns the position of
// the |.
func at(t testing.TB, text string) (*server, *place) {
	t.Helper()
	before, after, found := strings.Cut(text, "|")
	if !found {
		t.Fatal("no | in the text")
	}
	file := filepath.Join(t.TempDir(), "main.hcl")
	if err := os.WriteFile(file, []byte(before+after), 0o644); err != nil {
		t.Fatal(err)
	}
	s := newServer(options())
	s.load(filepath.Dir(file))
	return s, s.placeIn(file, []byte(before+after), len(before))
}

func TestCompletion(t *testing.T) {
	const declared = `
variable "limit" {
  type    = string
  default = "1s"
}

locals {
  few = { low = 1, high = 2 }
}

solver "z3" {
  command = ["z3"]
}

stage "index" "all" {
  source = "x"
}

stage "filter" "main" {
  benchmarks = stage.index.all.benchmarks
}

`
	for _, c := range []struct {
		name, text string
		want, not  []string
	}{
		{"top level", "|", []string{"stage", "solver", "locals", "competition"}, []string{"drop"}},
		{"kind", `stage "|"`, []string{"filter", "execute", "score"}, []string{"local"}},
		{"half a kind", "stage \"fi|", []string{"filter"}, nil},
		{"kind of executor", `executor "|" "x" {`, []string{"local", "process", "benchexec"}, []string{"filter"}},
		{"name of a stage", `stage "filter" "|" {`, nil, []string{"filter", "execute"}},
		{"attributes", "stage \"filter\" \"x\" {\n  |\n}", []string{"benchmarks", "drop", "for_each"},
			[]string{"stage", "command"}},
		{"attributes that are there are left out", "stage \"filter\" \"x\" {\n  track = \"x\"\n  |\n}",
			[]string{"benchmarks"}, []string{"track"}},
		{"attributes of a solver", "solver \"x\" {\n  |", []string{"command", "logics", "team"}, []string{"drop"}},
		{"blocks in a variable", "variable \"x\" {\n  |", []string{"type", "validation"}, nil},
		{"attributes of a nested block", "variable \"x\" {\n  validation {\n    |", []string{"condition", "message"},
			[]string{"type"}},
		{"roots", "locals {\n  a = |\n}", []string{"stage", "var", "local", "length", "solver"}, []string{"each", "b"}},
		{"each", "stage \"filter\" \"x\" {\n  for_each = {}\n  drop \"y\" {\n    when = |\n  }\n}", []string{"each"}, nil},
		{"variables", "locals {\n  a = var.|\n}", []string{"limit"}, []string{"few", "main"}},
		{"locals", "locals {\n  a = local.|\n}", []string{"few", "a"}, []string{"limit"}},
		{"parts of a value", "locals {\n  a = local.few.|\n}", []string{"low", "high"}, []string{"few"}},
		{"solvers", "locals {\n  a = [solver.|]\n}", []string{"z3"}, nil},
		{"parts of a solver", "locals {\n  a = solver.z3.|\n}", []string{"command", "team"}, nil},
		{"kinds in use", "locals {\n  a = stage.|\n}", []string{"index", "filter"}, []string{"score"}},
		{"stages of a kind", "locals {\n  a = stage.index.|\n}", []string{"all"}, []string{"main"}},
		{"outputs", "locals {\n  a = stage.index.all.|\n}", []string{"benchmarks"}, []string{"runs"}},
		{"outputs of an instance", "locals {\n  a = stage.index.all[\"k.x\"].|\n}", []string{"benchmarks"}, nil},
		{"in a template", "locals {\n  a = \"x-${var.|}\"\n}", []string{"limit"}, nil},
		{"in text", "locals {\n  a = \"x-|\"\n}", nil, []string{"var", "limit"}},
		{"row variable", "stage \"filter\" \"x\" {\n  drop \"y\" {\n    when = |\n  }\n}", []string{"b", "contains"}, nil},
		{"columns", "stage \"filter\" \"x\" {\n  drop \"y\" {\n    when = b.|\n  }\n}", []string{"logic", "status"}, []string{"limit"}},
		{"logics", "stage \"filter\" \"x\" {\n  drop \"y\" {\n    when = b.logic == \"|\"\n  }\n}", []string{"LIA", "NRA"},
			[]string{"single_query"}},
		{"logics of a solver", "solver \"x\" {\n  logics = [\"|\"]\n}", []string{"LIA", "NRA"}, nil},
		{"tracks of a solver", "solver \"x\" {\n  tracks = [\"|\"]\n}", []string{"single_query"}, []string{"LIA"}},
		{"a quote that is open before", "locals {\n  a = \"b\n}\nlocals {\n  b = var.|\n}", []string{"limit"}, nil},
		{"in a comment", "locals {\n  # var.|\n}", nil, []string{"limit"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, pl := at(t, tracks+declared+c.text)
			// The server knows the pipeline as it was before the half-typed text.
			whole := filepath.Join(t.TempDir(), "main.hcl")
			if err := os.WriteFile(whole, []byte(tracks+declared), 0o644); err != nil {
				t.Fatal(err)
			}
			p, _ := config.Load(config.Options{Path: whole, Kinds: all.Kinds()})
			s.loaded[pl.root] = &project{Project: Project{Pipeline: p}, files: p.Sources()}
			var got []string
			for _, item := range s.completion(pl).Items {
				got = append(got, item.Label)
			}
			for _, w := range c.want {
				if !slices.Contains(got, w) {
					t.Errorf("no %q among %q", w, got)
				}
			}
			for _, n := range c.not {
				if slices.Contains(got, n) {
					t.Errorf("%q is among the completions", n)
				}
			}
		})
	}
}

func TestHover(t *testing.T) {
	const text = `variable "limit" {
  default     = "1s"
  description = "how long"
}

stage "index" "all" {
  source = "x"
}

`
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"kind", `stage "fil|ter" "x" {}`, []string{"filter", "drop"}},
		{"block", `sta|ge "filter" "x" {}`, []string{"kind"}},
		{"attribute", "stage \"execute\" \"x\" {\n  limits {\n    wall_ti|me = \"1s\"\n  }\n}", []string{"duration", "20m"}},
		{"variable", "locals {\n  a = var.lim|it\n}", []string{"how long", "1s"}},
		{"function", "locals {\n  a = leng|th([])\n}", []string{"length("}},
		{"column", "stage \"filter\" \"x\" {\n  drop \"y\" {\n    when = b.log|ic == \"LIA\"\n  }\n}", []string{"string", "benchmarks/1"}},
		{"output", "locals {\n  a = stage.index.all.bench|marks\n}", []string{"table of benchmarks/1"}},
		{"local", "locals {\n  a|b = 7\n}", []string{"local.ab", "7"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, pl := at(t, text+c.text)
			h := s.hover(pl)
			if h == nil {
				t.Fatal("nothing is said")
			}
			for _, w := range c.want {
				if !strings.Contains(h.Contents.Value, w) {
					t.Errorf("no %q in %q", w, h.Contents.Value)
				}
			}
		})
	}
	s, pl := at(t, text+"locals {\n  a = 1 |+ 2\n}")
	if h := s.hover(pl); h != nil {
		t.Errorf("something is said of a sign: %q", h.Contents.Value)
	}
}

func TestDefinition(t *testing.T) {
	const text = `variable "limit" {}
locals {
  few = 1
}
function "twice" {
  params = [a]
  result = a
}
stage "index" "all" {}
`
	for _, c := range []struct {
		text        string
		line, start uint32
	}{
		{"locals {\n  a = var.lim|it\n}", 0, 10},
		{"locals {\n  a = v|ar.limit\n}", 0, 10},
		{"locals {\n  a = local.f|ew\n}", 2, 2},
		{"locals {\n  a = twi|ce(1)\n}", 4, 10},
		{"locals {\n  a = stage.index.all.bench|marks\n}", 8, 15},
		{"locals {\n  a = stage.in|dex.all\n}", 8, 15},
	} {
		s, pl := at(t, text+c.text)
		found := s.definition(pl)
		if len(found) != 1 {
			t.Errorf("%q leads to %d places", c.text, len(found))
			continue
		}
		if at := found[0].Range.Start; at.Line != c.line || at.Character != c.start {
			t.Errorf("%q leads to %d:%d, want %d:%d", c.text, at.Line, at.Character, c.line, c.start)
		}
	}
}

// TestPositions uses positions counted by hand: é takes two bytes and one unit, 𝔽 four bytes and two units.
func TestPositions(t *testing.T) {
	src := []byte("a\né𝔽b\n")
	for _, c := range []struct {
		line, character uint32
		offset          int
	}{{0, 0, 0}, {0, 1, 1}, {1, 0, 2}, {1, 1, 4}, {1, 3, 8}, {1, 4, 9}, {2, 0, 10}} {
		pos := position{Line: c.line, Character: c.character}
		if got := offsetOf(src, pos); got != c.offset {
			t.Errorf("offset of %v is %d, want %d", pos, got, c.offset)
		}
		if got := positionOf(src, c.offset); got != pos {
			t.Errorf("position of %d is %v, want %v", c.offset, got, pos)
		}
	}
	if got := offsetOf(src, position{Line: 0, Character: 99}); got != 1 {
		t.Errorf("after the end of a line is %d, want 1", got)
	}
	if got := offsetOf(src, position{Line: 99}); got != len(src) {
		t.Errorf("behind the last line is %d, want %d", got, len(src))
	}
	if got := offsetOf(src, position{Line: 1, Character: 2}); got != 4 {
		t.Errorf("in the middle of a character is %d, want 4", got)
	}
}

// editor is a client that talks to a server.
type editor struct {
	*stream
	t           *testing.T
	answers     chan *message
	diagnostics chan publishedDiagnostics
}

// client starts a server and a client connected to it.
func client(t *testing.T) *editor {
	t.Helper()
	here, there := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(context.Background(), there, options()) }()
	e := &editor{newStream(here), t, make(chan *message), make(chan publishedDiagnostics, 100)}
	go func() {
		for {
			m, err := e.read()
			var p publishedDiagnostics
			switch {
			case err != nil:
				return
			case m.Method == "":
				e.answers <- m
			case json.Unmarshal(m.Params, &p) != nil:
				t.Errorf("wrong diagnostics: %s", m.Params)
			default:
				e.diagnostics <- p
			}
		}
	}()
	t.Cleanup(func() {
		e.tell("exit", nil)
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		here.Close()
	})
	return e
}

func (e *editor) tell(method string, params any) {
	e.t.Helper()
	if err := e.notify(method, params); err != nil {
		e.t.Error(err)
	}
}

// ask sends a request, decodes its response into result, and returns the response's error.
func (e *editor) ask(method string, params, result any) error {
	e.t.Helper()
	text, err := json.Marshal(params)
	if err == nil {
		err = e.write(&message{ID: json.RawMessage(`"1"`), Method: method, Params: text})
	}
	if err != nil {
		e.t.Fatal(err)
	}
	m := <-e.answers
	if m.Error != nil {
		return m.Error
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		e.t.Fatalf("%s: %v in %s", method, err, m.Result)
	}
	return nil
}

// call is like ask but fails the test on an error.
func (e *editor) call(method string, params, result any) {
	e.t.Helper()
	if err := e.ask(method, params, result); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

func (e *editor) show(file, text string) {
	e.tell("textDocument/didOpen", &documentParams{TextDocument: textDocument{uriOf(file), text}})
}

func (e *editor) change(file, text string) {
	p := documentParams{TextDocument: textDocument{URI: uriOf(file)}}
	p.ContentChanges = append(p.ContentChanges, struct {
		Text string `json:"text"`
	}{text})
	e.tell("textDocument/didChange", &p)
}

// next waits for a file's diagnostics.
func (e *editor) next(file string) []diagnostic {
	e.t.Helper()
	for {
		select {
		case p := <-e.diagnostics:
			if p.URI == uriOf(file) {
				return p.Diagnostics
			}
		case <-time.After(10 * time.Second):
			e.t.Fatal("no diagnostics came")
		}
	}
}

func TestProtocol(t *testing.T) {
	folder := t.TempDir()
	file, other := filepath.Join(folder, "a b.hcl"), filepath.Join(folder, "other.hcl")
	for name, text := range map[string]string{file: tracks, other: "locals {\n  x = local.y\n}\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	e := client(t)
	var hello initializeResult
	e.call("initialize", &initializeParams{WorkspaceFolders: []textDocument{{URI: uriOf(folder)}}}, &hello)
	if !hello.Capabilities.HoverProvider {
		t.Error("no hover is offered")
	}
	// A file that is not open also shows its errors: local.y is not declared.
	if d := e.next(other); len(d) != 1 || !strings.Contains(d[0].Message, "local") ||
		d[0].Range.Start != (position{Line: 1, Character: 6}) {
		t.Errorf("diagnostics of the other file: %+v", d)
	}
	// Unsaved text counts.
	e.show(file, tracks+"locals {\n  y   = 1\n}\n")
	if d := e.next(other); len(d) != 0 {
		t.Errorf("what is declared in an open file is not known: %+v", d)
	}
	var edits []textEdit
	e.call("textDocument/formatting", &documentParams{TextDocument: textDocument{URI: uriOf(file)}}, &edits)
	if want := tracks + "locals {\n  y = 1\n}\n"; len(edits) != 1 || edits[0].NewText != want {
		t.Errorf("layout: %+v", edits)
	}
	e.change(file, "locals {")
	if d := e.next(file); len(d) == 0 {
		t.Error("a block that is not closed has no diagnostic")
	}
	var result json.RawMessage
	if err := e.ask("textDocument/unheardOf", nil, &result); err == nil {
		t.Error("an unknown method is not an error")
	}
	e.call("shutdown", nil, &result)
}

// TestRuleSets checks that a rule set in a folder with only rule sets is not a pipeline, and is checked as text while
// it is being typed.
func TestRuleSets(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my.hcl")
	const text = "rule_set {\n  year  = 2031\n  title = \"C\"\n}\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	e := client(t)
	e.show(file, text)
	if d := e.next(file); len(d) != 0 {
		t.Errorf("a rule set is not a pipeline, and has %+v", d)
	}
	e.change(file, text+"view {\n")
	if d := e.next(file); len(d) != 1 || d[0].Range.Start.Line != 4 {
		t.Errorf("a block in line 4 that is not closed: %+v", d)
	}
}

// TestExitTwice checks that a client's second exit is harmless.
func TestExitTwice(t *testing.T) {
	here, there := net.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- Serve(context.Background(), there, options()) }()
	const exit = "Content-Length: 33\r\n\r\n" + `{"jsonrpc":"2.0","method":"exit"}`
	if _, err := io.WriteString(here, exit+exit); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// FuzzAnswers sends every request at every position in texts from the fuzzer.
func FuzzAnswers(f *testing.F) {
	f.Add(tracks+"stage \"filter\" \"x\" {\n  drop \"y\" {\n    when = b.logic == \"LIA\"\n  }\n}\n", 130)
	f.Add("locals {\n  a = stage.x[\"k\"].y.\n  b = \"${var.\n", 20)
	f.Add("module \"m\" {\n  source = \"./m\"\n}\nx = module.m.", 45)
	f.Add("stage \"", 7)
	f.Add("}\n]].a\n", 5)
	f.Add("reading {}\npractice \"\\u0061\" {}\nreading a {}\nscore \"q\" {\n  let {\n    x = 1\n  }\n  e = x\n}\n", 9)
	f.Add("function \"f\" {\n  params = [a, b]\n  result = local[\"x\"] + f(a)\n}\nlocals {\n  x = 1\n}\n", 40)
	f.Add("x = ]].a.b\ny = .\nz = a == \"", 9)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string, offset int) {
		file := filepath.Join(dir, "main.hcl")
		s := newServer(options())
		src := []byte(text)
		s.texts[file] = src
		offset = min(max(offset, 0), len(src))
		if got := positionOf(src, offset); offsetOf(src, got) > offset {
			t.Errorf("byte %d is at %v, which is behind it", offset, got)
		}
		for _, o := range []int{offset, len(src)} {
			pl := s.placeIn(file, src, o)
			s.completion(pl)
			s.hover(pl)
			s.definition(pl)
			s.references(pl, true)
			_, _ = s.prepareRename(pl)
			_, _ = s.rename(pl, "other")
			namesInRules(file, src)
		}
		s.documentSymbols(file)
		s.workspaceSymbols("a")
	})
}
