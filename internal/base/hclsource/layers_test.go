package hclsource

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

const layersBase = `
variable "x" {
  type    = number
  default = 1
}
variable "gone" {}
locals {
  a = 1
  b = 2
}
stage "cap" "main" {
  seed = 1
  take = 2
  drop "p" { when = 1 }
  drop "q" { when = 2 }
  limits { cores = 4 }
}
`

func TestLayers(t *testing.T) {
	t.Parallel()
	const base = "base { source = \"../b/base.hcl\" }\n"
	for _, tt := range []struct{ name, text, want, fails string }{
		{"an attribute", base + `variable "x" { default = 3 }`, "variable.x.default=3 variable.x.type=number", ""},
		{"a new block", base + `variable "y" { default = 3 }`,
			"variable.x.default=1 variable.x.type=number variable.y.default=3", ""},
		{"a local", base + "locals {\n b = 5\n c = 6\n}", "locals.a=1 locals.b=5 locals.c=6", ""},
		{"nested blocks of a type", base + "stage \"cap\" \"main\" {\n drop \"r\" { when = 9 }\n}",
			"stage.cap.main.drop.r.when=9 stage.cap.main.limits.cores=4 stage.cap.main.seed=1 stage.cap.main.take=2",
			""},
		{"left out", `base {
  source  = "../b/base.hcl"
  without = ["variable.gone", "stage.cap.main.seed", "stage.cap.main.drop", "local.a", "variable.x.type"]
}`, "stage.cap.main.limits.cores=4 stage.cap.main.take=2", ""},
		{"the base of a base", "base { source = \"../c/middle.hcl\" }\nlocals { a = 9 }", "locals.a=9 locals.b=7", ""},
		{"a built-in base", "base { source = \"builtin:c/middle.hcl\" }", "locals.a=1 locals.b=7", ""},
		{"a block twice", base + "variable \"x\" {}\nvariable \"x\" {\n default = 4\n}",
			"variable.x.default=1 variable.x.default=4 variable.x.type=number", ""},
		{"an unknown address", "base {\n source = \"../b/base.hcl\"\n without = [\"variable.z\"]\n}", "",
			`no "variable.z" to leave out`},
		{"itself", "base { source = \"own.hcl\" }", "", "leads back"},
		{"no file", "base { source = \"none.hcl\" }", "", "no file"},
		{"no source", "base {}", "", `"source" is required`},
		{"two bases", base + base, "", "only one file"},
		{"an absolute path", "base { source = \"/none.hcl\" }", "", "no file /none.hcl"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"builtin:a/own.hcl": tt.text, "builtin:b/base.hcl": layersBase,
				"builtin:c/middle.hcl": base + "locals { b = 7 }"}
			l := Layers{Read: func(name string, _ bool) (*hclsyntax.Body, hcl.Diagnostics) {
				text, ok := files[name]
				if !ok {
					return nil, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "no file " + name}}
				}
				f, diags := Parse([]byte(text), name)
				return f.Body.(*hclsyntax.Body), diags
			}}
			body, diags := l.Body("builtin:a/own.hcl")
			if diags.HasErrors() || tt.fails != "" {
				if d := diags.Error(); tt.fails == "" || !strings.Contains(d, tt.fails) {
					t.Fatalf("got %q, want %q", d, tt.fails)
				}
				if diags[0].Subject == nil {
					t.Errorf("no place: %v", diags)
				}
				return
			}
			of, _, _ := strings.Cut(tt.want, ".")
			got := slices.DeleteFunc(texts("", body, files), func(line string) bool {
				return !strings.HasPrefix(line, of+".")
			})
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if before, _ := l.Body("builtin:b/base.hcl"); len(texts("", before, files)) != 9 {
				t.Errorf("the base was changed: %q", texts("", before, files))
			}
		})
	}
}

// texts returns a line of ADDRESS=EXPRESSION for each attribute.
func texts(prefix string, body *hclsyntax.Body, files map[string]string) (lines []string) {
	for name, a := range body.Attributes {
		at := a.Expr.Range()
		lines = append(lines, prefix+name+"="+string(at.SliceBytes([]byte(files[at.Filename]))))
	}
	for _, b := range body.Blocks {
		lines = append(lines, texts(prefix+address(b)+".", b.Body, files)...)
	}
	slices.Sort(lines)
	return lines
}
