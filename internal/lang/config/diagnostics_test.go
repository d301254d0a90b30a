package config

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
)

// TestLongLines checks that the source around the location is shown, however long the line.
func TestLongLines(t *testing.T) {
	t.Parallel()
	src := "locals { a = \"" + strings.Repeat("ä", 1000) + "${local.x}" + strings.Repeat("b", 1000) + "\" }\n"
	p, diags := Load(options(write(t, map[string]string{"a.hcl": src})))
	got := text(p, diags)
	line := ""
	for l := range strings.SplitSeq(got, "\n") {
		if strings.HasPrefix(l, "  1: ") {
			line = l
		}
	}
	if !strings.Contains(line, "ä${local.x}b") || !strings.HasPrefix(line, "  1: ...ä") || !strings.HasSuffix(line,
		"b...") || len(line) > 300 {
		t.Errorf("got:\n%s", got)
	}
}

// TestManySyntaxErrors checks that a file that is not a pipeline at all does not fill the screen with errors.
func TestManySyntaxErrors(t *testing.T) {
	t.Parallel()
	_, diags := Load(options(write(t, map[string]string{"a.hcl": strings.Repeat("\x1c\n", 3000)})))
	if len(diags) != 21 || !strings.Contains(diags[20].Detail, "Is it HCL?") {
		t.Errorf("%d diagnostics: %v", len(diags), diags)
	}
}

// TestWriteDiagnostics compares whole texts, because people read them in this form.
func TestWriteDiagnostics(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, src, want string
		width           int
		color           bool
	}{
		{
			name: "a place and what was meant",
			src:  "locals { seed = 1 }\nlocals {\n\tä = local.sed + 1\n}\n",
			want: "Error: Unknown local value\n  on F line 3, in locals:\n  3: \tä = local.sed + 1\n     \t    " +
				"^^^^^^^^^\n" +
				"There is no local value \"sed\". Did you mean \"seed\"?\n",
		},
		{
			name: "values of the variables",
			src: "variable \"n\" { default = 3 }\ncheck \"c\" {\n  condition = var.n > 5\n  message   = \"Too " +
				"few.\"\n}\n",
			want: "Error: Check \"c\" failed\n  on F line 3, in check \"c\":\n  3:   condition = var.n > 5\n         " +
				"          ^^^^^^^^^\n" +
				"    with var.n = 3\nToo few.\n",
		},
		{
			name: "in colour",
			src:  "locals { a = b }\n",
			want: "\x1b[1;31mError:\x1b[0m \x1b[1mUnknown reference\x1b[0m\n  on F line 1, in locals:\n  1: locals { " +
				"a = \x1b[4mb\x1b[0m }\n" +
				"There is no \"b\" here. A text is written in quotes; a value with a name is local.NAME or var.NAME.\n",
			color: true,
		},
		{
			name: "wrapped, several lines",
			src:  "output \"a\" {\n  value = 1\n  path = [\n    1,\n  ]\n}\n",
			want: "Error: Wrong type\n  on F line 3, in output \"a\":\n  3:   path = [\n  4:     1,\n  5:   ]\n" +
				"\"path\" must be a string: a path relative\nto the pipeline's folder.\n",
			width: 40,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := write(t, map[string]string{"a.hcl": tt.src})
			p, diags := Load(options(dir))
			var w bytes.Buffer
			if err := WriteDiagnostics(&w, diags, p.Sources(), tt.width, tt.color); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, strings.ReplaceAll(w.String(), dir+"/a.hcl", "F")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestDiagnosticsJSON(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"a.hcl": "locals {\n  a = local.nothing\n}\nlocals { b = local.c }\n"})
	opt := options(dir)
	opt.Vars = map[string]string{"x": "1"}
	p, diags := Load(opt)
	diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: "S", Detail: "D"})
	var w bytes.Buffer
	if err := DiagnosticsJSON(&w, diags, p.Sources()); err != nil {
		t.Fatal(err)
	}
	var all []JSONDiagnostic
	if err := json.Unmarshal(w.Bytes(), &all); err != nil {
		t.Fatalf("%v in\n%s", err, w.Bytes())
	}
	first := all[0]
	if first.Range != nil || first.Severity != "error" {
		t.Errorf("first: %+v, want the error without a place", first)
	}
	var named *JSONDiagnostic
	for i := range all {
		if all[i].Range != nil && all[i].Range.Start.Line == 2 {
			named = &all[i]
		}
	}
	if named == nil || named.Snippet != "  a = local.nothing" || named.Range.Filename != dir+"/a.hcl" {
		t.Errorf("error on line 2: %+v", named)
	}
	if last := all[len(all)-1]; last.Severity != "warning" || last.Summary != "S" {
		t.Errorf("last: %+v", last)
	}
	w.Reset()
	if err := DiagnosticsJSON(&w, nil, nil); err != nil || strings.TrimSpace(w.String()) != "[]" {
		t.Errorf("no diagnostics: %q %v", w.String(), err)
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"alignment", "locals {\na=1\n  bcd   =   2\n}", "locals {\n  a   = 1\n  bcd = 2\n}\n"},
		{"empty", "", ""},
		{"a broken file stays as it is", "locals {\n a=", "locals {\n a="},
		{"comments stay", "a = 1 # x\n/* y */\n", "a = 1 # x\n/* y */\n"},
		{"text stays", "a = <<E\n  x\n E\n", "a = <<E\n  x\n E\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := FormatFile("f.hcl", []byte(tt.in))
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("FormatFile(%q) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}
