package config

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/base/budget"
)

const head = "competition {\n  name = \"X\"\n  year = 2026\n}\n"

// nest returns a loop over a thousand numbers, nested n times.
func nest(n int, body string) string {
	for i := range n {
		body = fmt.Sprintf("[for x%d in local.n : %s]", i, body)
	}
	return body
}

// constant is a loop over ten numbers, nested nine times, without references.
var constant = strings.Repeat("[for x in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] : ", 9) + "x" + strings.Repeat("]", 9)

// twice returns functions that each call the previous one twice.
func twice(n int) string {
	var w strings.Builder
	w.WriteString("function \"f0\" {\n  params = [x]\n  result = x + 1\n}\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&w, "function \"f%d\" {\n  params = [x]\n  result = f%d(x) + f%d(x)\n}\n", i, i-1, i-1)
	}
	return w.String()
}

const (
	tooMuch = "Evaluation too large"
	// many is a set of ten thousand keys.
	many = "locals {\n  n    = range(1000)\n  many = toset(flatten([for a in range(100) : [for b in range(100) : " +
		"format(\"k%05d\", 100 * a + b)]]))\n}\n"
)

// TestModulesTwice loads modules that each use the next one twice, which would otherwise take hours.
func TestModulesTwice(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.hcl": "module \"a\" { source = \"./m0\" }", "m30/a.hcl": "locals {}"}
	for i := range 30 {
		next := fmt.Sprintf("{ source = \"../m%d\" }\n", i+1)
		files[fmt.Sprintf("m%d/a.hcl", i)] = "module \"a\" " + next + "module \"b\" " + next
	}
	if _, diags := Load(options(write(t, files))); !strings.Contains(diags.Error(), "Pipeline too large") {
		t.Error(diags)
	}
}

// TestEvaluationEnds evaluates short pipelines that would otherwise take hours or exhaust the memory. Each must succeed
// or end with an error.
func TestEvaluationEnds(t *testing.T) {
	// A tenth of the budget has the same effects in a tenth of the time. Parallel tests wait until this test ends.
	defer func(all budget.Bounds) { bounds = all }(bounds)
	bounds.Steps, bounds.Bytes = bounds.Steps/10, bounds.Bytes/10
	var nine strings.Builder
	nine.WriteString("locals {\n  t0 = join(\"\", [for x in range(64) : \"a\"])\n")
	for i := 1; i <= 9; i++ {
		fmt.Fprintf(&nine, "  t%d = regexreplace(local.t%d, \"\", local.t%d)\n", i, i-1, i-1)
	}
	nine.WriteString("}\n")
	zeros := "function \"z0\" {\n  params = []\n  result = 1\n}\n"
	for i := 1; i <= 60; i++ {
		zeros += fmt.Sprintf("function \"z%d\" {\n  params = []\n  result = z%d() + z%d()\n}\n", i, i-1, i-1)
	}
	tests := []struct {
		name, src string
		want      string // part of the error; empty: it succeeds
	}{
		{"nine regexreplace", nine.String(), "more than 67108864 bytes"},
		{"functions that call twice", twice(60) + "locals { a = f60(1) }", tooMuch},
		{"functions that call twice, few", twice(10) + "locals { a = f10(1) }", ""},
		{"functions without parameters", zeros + "locals { a = z60() }", tooMuch},
		{"functions in a row expression", twice(60) + `
stage "fetch" "x" { zenodo = "1" }
stage "index" "x" { source = stage.fetch.x.files }
stage "filter" "x" {
  benchmarks = stage.index.x.benchmarks
  drop "a" { when = f60(b.asserts) > 3 }
}`, tooMuch},
		{"nested for", many + "locals { a = " + nest(4, "x0 + x1") + " }", tooMuch},
		{"nested for in a default", "variable \"a\" { default = " + constant + " }", tooMuch},
		{"nested for in a source", "module \"a\" { source = \"${" + constant + "}\" }", tooMuch},
		{"nested for that keeps nothing", many + "locals { a = " + nest(3, "[for y in local.n : 1 if false]") + " }",
			tooMuch},
		{"nested for of an object", many + "locals { a = " + nest(3, "{ for y in local.n : \"k\" => y... }") + " }",
			tooMuch},
		{"for in a row expression", many + `
stage "fetch" "x" { zenodo = "1" }
stage "index" "x" { source = stage.fetch.x.files }
stage "filter" "x" {
  benchmarks = stage.index.x.benchmarks
  drop "a" { when = length(` + nest(4, "x0") + `) > b.asserts }
}`, tooMuch},
		{"template for", many + "locals { a = \"%{ for x in local.n }%{ for y in local.n }%{ for z in local.n }${z}" +
			"%{ endfor }%{ endfor }%{ endfor }\" }", tooMuch},
		{"contains", many + "locals { a = [for x in range(100) : contains(local.n, x)] }", ""},
		{"contains, more", many + "locals { a = [for x in local.n : [for y in local.n : contains(local.n, y)]] }",
			tooMuch},
		{"comparisons", many + "locals { a = [for x in local.many : local.many == [local.many]] }", tooMuch},
		{"choices", many + "locals {\n  l = [for x in local.many : x]\n" +
			"  a = [for x in local.many : x == \"\" ? local.l : local.n]\n}", tooMuch},
		{"parts of a template", "locals {\n  a = \"" + strings.Repeat("x", 1<<20) + "\"\n  b = \"" +
			strings.Repeat("${local.a}", 2000) + "\"\n}", tooMuch},
		{"tries", "locals { a = " + strings.Repeat("try(", 60) + "1" + strings.Repeat(", 2)", 60) + " }", tooMuch},
	}
	t.Run("all", func(t *testing.T) { // returns when all parallel subtests have ended
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				dir := write(t, map[string]string{"a.hcl": head + tt.src})
				start := time.Now()
				_, diags := Load(options(dir))
				took := time.Since(start)
				t.Logf("%v", took)
				// Each case takes a second or two of CPU time, on a machine shared with other work.
				if took > 5*time.Minute {
					t.Errorf("took %v", took)
				}
				switch {
				case tt.want == "" && diags.HasErrors():
					t.Error(diags)
				case tt.want != "" && !strings.Contains(diags.Error(), tt.want):
					t.Errorf("want %q, got %v", tt.want, diags)
				}
				for _, d := range diags {
					if d.Summary == tooMuch && d.Subject == nil {
						t.Error("the error names no expression")
					}
				}
			})
		}
	})
}

// TestEvaluationEndsWithContext cancels an evaluation inside a loop.
func TestEvaluationEndsWithContext(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{"a.hcl": head + many + "locals { a = " + nest(3, "x0") + " }"})
	opt := options(dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	opt.Context = ctx
	_, diags := Load(opt)
	if len(diags) != 1 || diags[0].Summary != "Interrupted" {
		t.Errorf("want one error, of the interruption; got %v", diags)
	}
}

// TestManyInstances checks that ten thousand instances of a block are planned and that more are rejected.
func TestManyInstances(t *testing.T) {
	t.Parallel()
	const (
		leaf  = "stage \"fetch\" \"a\" { zenodo = \"1\" }\n"
		inner = "module \"k\" {\n  source   = \"./leaf\"\n  for_each = toset([for x in range(1000) : tostring(x)])\n}\n"
		fetch = many + "stage \"fetch\" \"a\" {\n  for_each = local.many\n  zenodo   = \"1\"\n}\n"
		more  = "module \"m\" {\n  source   = \"./sub\"\n  for_each = toset([for x in range(%d) : tostring(x)])\n}\n"
		index = "stage \"index\" \"b\" {\n  for_each = stage.fetch.a\n  source   = each.value.files\n}\n"
		two   = "stage \"fetch\" \"b\" {\n  for_each = toset([\"a\", \"b\"])\n  zenodo   = \"1\"\n}\n"
	)
	tests := []struct {
		name, src, sub string
		want           string
	}{
		{"one stage", fetch, "", ""},
		{"two stages", fetch + index, "", ""},
		{"modules in modules", fmt.Sprintf(more, 1000), inner, "Too many instances"},
		{"modules in modules, ten thousand", fmt.Sprintf(more, 10), inner, ""},
		{"stages in modules", fmt.Sprintf(more, 1000), strings.ReplaceAll(two, "[\"a\", \"b\"]",
			"[for x in range(11) : tostring(x)]"), "Too many instances"},
		{"too many keys", strings.ReplaceAll(fetch, "range(100)", "range(101)"), "", "10101 elements"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"a.hcl": head + tt.src, "sub/leaf/a.hcl": leaf}
			if tt.sub != "" {
				files["sub/a.hcl"] = tt.sub
			}
			dir := write(t, files)
			start := time.Now()
			_, diags := Load(options(dir))
			if took := time.Since(start); took > time.Minute {
				t.Errorf("took %v", took)
			}
			if tt.want == "" && diags.HasErrors() || !strings.Contains(diags.Error(), tt.want) {
				t.Errorf("want %q, got %.500s", tt.want, diags.Error())
			}
		})
	}
}
