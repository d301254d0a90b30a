package frozen

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

var sample = &Lock{
	Version: "0.1.0", Pipeline: "pipeline/competition.hcl", Level: "outputs", Date: "2026-07-01",
	Inputs: map[string]Entry{
		"program z3":   {AttrKind: "program", AttrSHA256: strings.Repeat("ab", 32)},
		"file ${x}\"":  {AttrKind: "file", AttrName: "a\nb%{if}$${\x01é"},
		"file release": {AttrKind: "folder", AttrBytes: "12"},
	},
	Variables: map[string]Entry{"seed": {AttrValue: "7"}},
	Stages: map[string]Entry{`stage.cap.tracks["unsat_core"]`: {AttrKind: "cap", AttrKey: strings.Repeat("01", 32)},
		"stage.execute.main": {AttrKind: "execute", "hardware": "CPU; 2 cores"}},
	Outputs: map[string]Entry{`stage.cap.tracks["unsat_core"].count`: {AttrValue: "181"}},
}

// TestEqualKeys checks that of several stages with the same key, the same one always provides the record.
func TestEqualKeys(t *testing.T) {
	key := strings.Repeat("01", 32)
	lock := &Lock{Version: "0", Pipeline: "pipeline", Stages: map[string]Entry{}}
	for _, addr := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		lock.Stages["stage.cap."+addr] = Entry{AttrKind: "cap", AttrKey: key}
	}
	dir := t.TempDir()
	for name, content := range map[string][]byte{SumsName: nil, LockName: lock.Encode()} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		f, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.keys[key]; got != "stage.cap.h" {
			t.Fatalf("the key is that of %s", got)
		}
	}
}

// TestLock checks that a lock can be read back, and that its entries are sorted lines.
func TestLock(t *testing.T) {
	text := sample.Encode()
	got, err := ParseLock(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(sample, got); diff != "" {
		t.Errorf("read again it differs (-want +got):\n%s", diff)
	}
	signed := *sample
	signed.Files = map[string]File{"a b/${c}\"": {Digest: [32]byte{1}, Bytes: 12}, "README.md": {}}
	if again, err := ParseLock(signed.Encode()); err != nil || !cmp.Equal(&signed, again) {
		t.Errorf("with files it is %+v, %v", again, err)
	}
	text2 := string(signed.Encode())
	if !strings.Contains(text2, `format   = "2"`) ||
		!strings.Contains(text2, "\nfiles = {\n  \"README.md\" = { bytes = \"0\", sha256 = \"0000") {
		t.Errorf("with files it is\n%s", text2)
	}
	if _, diags := hclsyntax.ParseConfig(text, LockName, hcl.InitialPos); diags.HasErrors() {
		t.Errorf("a reader of HCL says %v", diags)
	}
	const want = `
inputs = {
  "file $${x}\"" = { kind = "file", name = "a\nb%%{if}$$${\u0001é" }
  "file release" = { bytes = "12", kind = "folder" }
  "program z3" = { kind = "program", sha256 = "abababababababababababababababababababababababababababababababab" }
}

variables = {
  "seed" = { value = "7" }
}
`
	if !strings.Contains(string(text), want) {
		t.Errorf("the lock is\n%s", text)
	}
}

func TestBadLocks(t *testing.T) {
	whole := string(sample.Encode())
	tests := []struct{ name, old, new, want string }{
		{"another bracket", "inputs = {", "inputs = [", "line 11 of the lock: it differs from"},
		{"another format", `format   = "1"`, `format   = "3"`, `the lock has the format "3", but this smtpipe reads 1 and 2`},
		{"an unknown text", "level", "lovel", "it differs from"},
		{"a section twice", "variables = {", "inputs = {", "it differs from"},
		{"a section that is gone", "variables = {\n  \"seed\" = { value = \"7\" }\n}\n", "",
			"the lock has no variables"},
		{"an entry that is no object", `{ value = "7" }`, `7`, "it differs from"},
		{"an entry twice", `"seed" = { value = "7" }`, "\"seed\" = { value = \"7\" }\n  \"seed\" = { value = \"8\" }",
			`"seed" occurs twice`},
		{"a reference", `"0.1.0"`, `local.x`, "it differs from"},
		{"a template", `"7"`, `"${7}"`, "it differs from"},
		{"no files", `format   = "1"`, `format   = "2"`, `a lock of format 2 has a section "files"`},
		{"files in the first format", "stages = {", "files = {\n}\nstages = {", "one of format 1 has none"},
		{"a file elsewhere", "stages = {", "files = {\n  \"../x\" = { bytes = \"0\", sha256 = \"" +
			strings.Repeat("0", 64) + "\" }\n}\nstages = {", `"../x" is not the path of a file in the folder`},
		{"a file without its size", "stages = {", "files = {\n  \"x\" = { sha256 = \"" +
			strings.Repeat("0", 64) + "\" }\n}\nstages = {", "it differs from"},
		{"a text without an end", `"7"`, `"7`, "it differs from"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			text := strings.Replace(whole, tt.old, tt.new, 1)
			if text == whole {
				t.Fatal("nothing is replaced")
			}
			if _, err := ParseLock([]byte(text)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func FuzzParseLock(f *testing.F) {
	f.Add(sample.Encode())
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := ParseLock(text)
		if err != nil {
			return
		}
		again, err := ParseLock(l.Encode())
		if err != nil {
			t.Fatalf("what was read cannot be written and read again: %v", err)
		}
		if diff := cmp.Diff(l, again); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestSums checks that lines are in sha256sum's format, and that paths that leave the folder are rejected.
func TestSums(t *testing.T) {
	const digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	good := digest + "  a/b c.csv\n" + digest + "  z\n"
	s, err := ParseSums([]byte(good))
	if err != nil || len(s) != 2 || !bytes.Equal(s.Encode(), []byte(good)) {
		t.Errorf("got %v, %v", s, err)
	}
	for _, bad := range []string{digest + " a\n", "e3b0  a\n", digest + "  ../a\n", digest + "  /a\n",
		digest + "  a/../b\n", digest + "  a\n" + digest + "  a\n", digest + "  \n"} {
		if _, err := ParseSums([]byte(bad)); err == nil {
			t.Errorf("%q is read", bad)
		}
	}
}

func FuzzParseSums(f *testing.F) {
	f.Add([]byte("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a/b\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ParseSums(text)
		if err != nil {
			return
		}
		if again, err := ParseSums(s.Encode()); err != nil || !cmp.Equal(s, again) {
			t.Fatalf("%v and %v, %v", s, again, err)
		}
	})
}

// TestStageDir checks that each address has its own folder, whose name contains only plain characters.
func TestStageDir(t *testing.T) {
	for addr, want := range map[string]string{
		"stage.cap.main":                               "stages/stage.cap.main",
		`stage.cap.tracks["unsat_core"]`:               "stages/stage.cap.tracks/unsat_core",
		`module.m["a"].stage.cap.x["b"]`:               "stages/module.m/a.stage.cap.x/b",
		`stage.cap.x["a.b"]`:                           "stages/stage.cap.x/a%2Eb",
		`stage.cap.x["../.."]`:                         "stages/stage.cap.x/%2E%2E%2F%2E%2E",
		`stage.cap.x["a\"]"]`:                          "stages/stage.cap.x/a%22%5D",
		`stage.cap.x["record.json"]`:                   "stages/stage.cap.x/record%2Ejson",
		`module.m["x y"].stage.execute.z-1`:            "stages/module.m/x%20y.stage.execute.z-1",
		`module.a.module.b["k"].stage.score.main`:      "stages/module.a.module.b/k.stage.score.main",
		`stage.execute.parts["challenge_incremental"]`: "stages/stage.execute.parts/challenge_incremental",
	} {
		if got := StageDir(addr); got != want {
			t.Errorf("%s is in %s, want %s", addr, got, want)
		}
	}
}
