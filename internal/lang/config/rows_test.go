package config

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestRowsFollowOutputs checks that a compiled row expression is reused only if nothing that it refers to has changed,
// whether directly, through each, or through a function.
func TestRowsFollowOutputs(t *testing.T) {
	t.Parallel()
	p := load(t, map[string]string{"a.hcl": `
stage "fetch" "a" { zenodo = "1" }
stage "index" "a" { source = stage.fetch.a.files }
stage "index" "b" { source = stage.fetch.a.files }
function "inner" {
  params = []
  result = stage.index.a.count
}
function "outer" {
  params = [x]
  result = x + inner()
}
stage "cap" "direct" {
  benchmarks = stage.index.b.benchmarks
  take       = n + stage.index.a.count
}
stage "cap" "through" {
  for_each   = { x = 1, y = stage.index.a.count }
  benchmarks = stage.index.b.benchmarks
  take       = n + each.value
}
stage "cap" "function" {
  benchmarks = stage.index.b.benchmarks
  take       = outer(n)
}
`})
	known := func(count int64) stages.Known {
		return stages.Known{
			"stage.index.a": {"benchmarks": artifact("benchmarks/1", "x"), "count": cty.NumberIntVal(count),
				"logics": cty.SetValEmpty(cty.String)},
			"stage.index.b": {"benchmarks": artifact("benchmarks/1", "x"), "count": cty.NumberIntVal(1),
				"logics": cty.SetValEmpty(cty.String)},
		}
	}
	tests := []struct{ addr, three, four string }{
		{"stage.cap.direct", "(n+3)", "(n+4)"},
		{"stage.cap.through", "(n+1) (n+3)", "(n+1) (n+4)"},
		{"stage.cap.function", "(n+3)", "(n+4)"},
	}
	take := func(addr string, count int64) string {
		var all []string
		for _, in := range expand(t, p, addr, known(count)) {
			all = append(all, in.Args.Row("take").Canonical())
		}
		return strings.Join(all, " ")
	}
	for _, tt := range tests {
		for range 2 {
			if got := take(tt.addr, 3); got != tt.three {
				t.Errorf("%s with 3: %s, want %s", tt.addr, got, tt.three)
			}
			if got := take(tt.addr, 4); got != tt.four {
				t.Errorf("%s with 4: %s, want %s", tt.addr, got, tt.four)
			}
		}
		if in := expand(t, p, tt.addr, nil); in[len(in)-1].Args.Row("take").Known() {
			t.Errorf("%s is known without the output", tt.addr)
		}
	}
}

// TestRowsReadNoFiles checks that a row expression covers the files that it reads: their contents are part of it, or
// reading them is an error.
func TestRowsReadNoFiles(t *testing.T) {
	t.Parallel()
	const reads = "calls file_text() for each row"
	for take, want := range map[string]string{
		`n + tonumber(file_text("2.txt"))`: "",
		`n + local.two`:                    "",
		`n + plain(2)`:                     "",
		`n + variadic(2)`:                  "",
		`length("file_text(${n})")`:        "",
		`tonumber(file_text("${n}.txt"))`:  reads,
		`plain(n)`:                         reads,
		`variadic(n)`:                      reads,
	} {
		var seen []string
		for _, content := range []string{"2", "3"} {
			p, diags := Load(options(write(t, map[string]string{"2.txt": content, "a.hcl": `
locals { two = tonumber(file_text("2.txt")) }
function "plain" {
  params = [x]
  result = x + tonumber(file_text("${x}.txt"))
}
function "variadic" {
  params         = [x]
  variadic_param = rest
  result         = x + tonumber(file_text("2.txt"))
}
stage "fetch" "x" { zenodo = "1" }
stage "index" "x" { source = stage.fetch.x.files }
stage "cap" "x" {
  benchmarks = stage.index.x.benchmarks
  take       = ` + take + `
}
`})))
			if want != "" {
				if !strings.Contains(diags.Error(), want) {
					t.Errorf("%s: %v, want %q", take, diags, want)
				}
				continue
			}
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			all := expand(t, p, "stage.cap.x", stages.Known{"stage.index.x": {"count": cty.NumberIntVal(1),
				"benchmarks": artifact("benchmarks/1", "x"), "logics": cty.SetValEmpty(cty.String)}})
			seen = append(seen, all[0].Args.Row("take").Canonical())
		}
		if want == "" && (seen[0] == seen[1]) != strings.HasPrefix(take, "length") {
			t.Errorf("%s is %s with other contents", take, seen)
		}
	}
}
