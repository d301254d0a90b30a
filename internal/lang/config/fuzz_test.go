package config

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzLoad checks that no input makes the language panic or hang, that errors can be printed in both forms, and that
// pipelines without errors can be expanded.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte(fanOut))
	f.Add([]byte(wholePipeline))
	for _, c := range badCases(f) {
		f.Add([]byte(c.files["main.hcl"]))
	}
	f.Add([]byte("locals { a = \"${\"${\"x\"}\"}\" }"))
	f.Add([]byte("locals { a = <<E\n${1\nE\n}"))
	f.Add([]byte("\xff\xfe locals { \x00 = 1 }"))
	f.Add([]byte("locals { a = [for x in solver : x if can(each.key)]... }"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<16 {
			return
		}
		name := filepath.Join(dir, "fuzz.hcl")
		if err := os.WriteFile(name, src, 0o644); err != nil {
			t.Fatal(err)
		}
		opt := options(dir)
		opt.Path = name
		p, diags := Load(opt)
		var w bytes.Buffer
		if err := WriteDiagnostics(&w, diags, p.Sources(), 40, true); err != nil {
			t.Fatal(err)
		}
		if err := DiagnosticsJSON(&w, diags, p.Sources()); err != nil {
			t.Fatal(err)
		}
		if diags.HasErrors() {
			return
		}
		for _, n := range p.Nodes() {
			if _, diags := p.Expand(n.Addr, nil); diags.HasErrors() {
				t.Fatalf("%s was without errors when it was loaded: %v", n.Addr, diags)
			}
		}
		p.Outputs(nil)
		p.Checks(nil)
	})
}

// FuzzFormat checks that formatting is idempotent, and that files that parse still parse afterwards.
func FuzzFormat(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("a=1\nb   =   2 // x\n"))
	f.Add([]byte("locals {\r\n a = 1\r\n}\r\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		once, diags := FormatFile("f.hcl", src)
		if diags.HasErrors() {
			if !bytes.Equal(once, src) {
				t.Fatal("a file with errors was changed")
			}
			return
		}
		twice, diags := FormatFile("f.hcl", once)
		if diags.HasErrors() {
			t.Fatalf("does not parse after formatting: %v\n%s", diags, once)
		}
		if !bytes.Equal(once, twice) {
			t.Fatalf("not a fixed point:\n%q\n%q", once, twice)
		}
	})
}

// FuzzEval checks that no expression makes the console panic.
func FuzzEval(f *testing.F) {
	for _, s := range []string{
		"1 + 2", "stage.index.library", "[for s in solver : s.name]", "floor(competition.year / 0)", "solver[*]",
		"try(local.nothing, 1)",
		`"${local.seed}"`, "stage.filter.hard.benchmarks == null", "-", "competition.tracks.single_query",
		"sum(range(1000))", "1e9999 * 1e9999",
	} {
		f.Add(s)
	}
	p := load(f, map[string]string{"a.hcl": small, "release/x": "x"})
	f.Fuzz(func(t *testing.T, src string) {
		v, diags := p.Eval(src, nil)
		if !diags.HasErrors() {
			_ = v.GoString()
		}
	})
}
