package config

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// wholePipeline is a pipeline that contains everything that can be part of a key.
const wholePipeline = `
competition {
  name = "SMT-COMP"
  year = 2026
}

variable "opening" {
  type    = number
  default = 100.5
}

locals {
  seed    = floor(100 * var.opening) + 7
  logics  = ["QF_BV", "QF_LIA"]
  limit   = 300
  half    = 0.5
  options = { a = 1, b = "two", c = [1, 2, 3] }
}

function "share" {
  params = [count, part]
  result = floor(count * part) + local.limit
}

function "widest" {
  params         = [first]
  variadic_param = rest
  result         = max(concat([first], rest)...) * local.limit
}

solver "z3" {
  command = ["z3", "-smt2"]
  logics  = ["QF_*"]
}

solver "cvc5" {
  for_each = { plain = 1, other = 2 }
  command  = ["cvc5", "--seed=${each.value}"]
}

stage "fetch" "library" {
  path  = "release"
  paths = fileset("data/*.txt")
  only  = ["non-incremental/*"]
}

stage "index" "library" { source = stage.fetch.library.files }

stage "filter" "hard" {
  benchmarks = stage.index.library.benchmarks
  drop "big" { when = b.asserts > local.seed && !contains(local.logics, b.logic) }
  drop "new" {
    when   = b.new && track_has(competition.tracks, "single_query", b.logic)
    reason = "new in ${competition.year}"
  }
}

stage "cap" "main" {
  for_each   = toset(["a", "b"])
  benchmarks = stage.filter.hard.benchmarks
  take       = n <= local.limit ? n : share(n, local.half) + widest(n, 1, 2.5)
  group_by   = glob_match("QF_*", b.logic) ? b.logic : null
  seed       = local.seed
  label      = each.key
}

stage "execute" "main" {
  benchmarks = stage.cap.main["a"].benchmarks
  solvers    = solver
  limits {
    wall_time = "20m"
    memory    = "30GB"
    cores     = 4
  }
}

stage "report" "site" {
  runs  = [stage.execute.main.runs]
  title = "Report"
  depth = 300
  data  = local.options
  names = sort([for k, s in solver : k])
}
`

// wholeKnown returns the outputs of all stages in wholePipeline.
func wholeKnown() stages.Known {
	table := func(s string) map[string]cty.Value {
		return map[string]cty.Value{"benchmarks": artifact("benchmarks/1", s)}
	}
	index := table("index")
	index["count"], index["logics"] = cty.NumberIntVal(3), cty.SetVal([]cty.Value{cty.StringVal("QF_BV")})
	return stages.Known{
		"stage.fetch.library": {"files": artifact("tree", "files")},
		"stage.index.library": index,
		"stage.filter.hard":   table("hard"),
		`stage.cap.main["a"]`: table("a"),
		`stage.cap.main["b"]`: table("b"),
		"stage.execute.main":  {"runs": artifact("runs/2", "runs")},
	}
}

// preimages returns the text that each instance's arguments contribute to its key.
func preimages(t testing.TB, files map[string]string) map[string][]cache.Component {
	t.Helper()
	all := map[string]string{"release/x": "x", "data/1.txt": "one", "data/2.txt": "two"}
	for name, text := range files {
		all[name] = text
	}
	p := load(t, all)
	out := map[string][]cache.Component{}
	for _, n := range p.Nodes() {
		instances, diags := p.Expand(n.Addr, wholeKnown())
		noErrors(t, p, diags)
		for _, inst := range instances {
			if inst.Action == nil {
				t.Fatalf("%s waits for %v", inst.Addr, inst.Waits)
			}
			k := cache.NewKeyWriter("test")
			inst.Args.WriteKey(k)
			out[inst.Addr] = k.Components()
		}
	}
	return out
}

// TestKeysStay checks that changes that do not affect a pipeline's meaning do not change its keys.
func TestKeysStay(t *testing.T) {
	t.Parallel()
	one := func(text string) map[string]string { return map[string]string{"main.hcl": text} }
	replace := func(pairs ...string) map[string]string {
		text := wholePipeline
		for i := 0; i < len(pairs); i += 2 {
			if !strings.Contains(text, pairs[i]) {
				t.Fatalf("%q is not in the pipeline", pairs[i])
			}
			text = strings.ReplaceAll(text, pairs[i], pairs[i+1])
		}
		return one(text)
	}
	formatted, diags := FormatFile("f.hcl", []byte(squeeze(wholePipeline)))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	tests := []struct {
		name  string
		files map[string]string
	}{
		{"layout", one(squeeze(wholePipeline))},
		{"fmt", one(string(formatted))},
		{"comments", one(commented(wholePipeline))},
		{"locals renamed", replace("local.seed", "local.zzz", "  seed    =", "  zzz =", "local.limit", "local.aaa",
			"  limit   =", "  aaa =")},
		{"functions and their parameters renamed", replace("share", "portion", "[count, part]", "[x, y]",
			"floor(count * part)", "floor(x * y)", "widest", "w", "rest", "others", "first", "f")},
		{"a variable for a value", replace(`title = "Report"`, `title = var.t`, `variable "opening"`,
			"variable \"t\" { default = \"Report\" }\nvariable \"opening\"")},
		{"a local inlined", replace("n <= local.limit", "n <= 300", "floor(count * part) + local.limit",
			"floor(count * part) + 300")},
		{"a function inlined", replace("share(n, local.half)", "(floor(n * 0.5) + 300)")},
		{"numbers written otherwise", replace("= 300", "= 3.00e2", "100.5", "100.500", "= 0.5", "= 5e-1", "2.5", "2.50",
			"cores     = 4", "cores = 4.0")},
		{"a number by arithmetic", replace("depth = 300", "depth = 3 * 100", "limit   = 300", "limit = 600 / 2",
			"half    = 0.5", "half = 1 / 2")},
		{"a number by a function", replace("depth = 300", `depth = parseint("300", 10)`, "limit   = 300",
			"limit = floor(300.9)")},
		{"a number as a text", replace("depth = 300", `depth = "300"`)},
		{"units written otherwise", replace(`"20m"`, `"1200s"`, `"30GB"`, `"30000MB"`)},
		{"the default given", replace("cores     = 4", "cores = 4", "solvers    = solver",
			"solvers = solver\n  track = \"single_query\"")},
		{"null for nothing", replace(`stage "fetch" "library" {`, "stage \"fetch\" \"library\" {\n  zenodo = null")},
		{"text by a template", replace(`"non-incremental/*"`, `"${"non"}-incremental/*"`)},
		{"keys of for_each in another order", replace(`toset(["a", "b"])`, `toset(["b", "a", "b"])`,
			"{ plain = 1, other = 2 }", "{ other = 2, plain = 1 }")},
		{"attributes of an object in another order", replace(`{ a = 1, b = "two", c = [1, 2, 3] }`,
			`{ c = [1, 2, 3], b = "two", a = 1 }`)},
		{"attributes in another order", one(permuted(t, wholePipeline, 1, 7, false))},
		{"blocks in another order", one(permuted(t, wholePipeline, 1, 11, true))},
		{"another order again", one(permuted(t, wholePipeline, 5, 13, true))},
		{"a file for every block", scattered(t, wholePipeline)},
		{"an unused local", one(wholePipeline + "\nlocals { unused = 1 }\n")},
		{"the type of a variable left out", replace("  type    = number\n", "")},
	}
	want := preimages(t, one(wholePipeline))
	if len(want) != 7 {
		t.Fatalf("%d instances, want 7", len(want))
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, preimages(t, tt.files)); diff != "" {
				t.Errorf("keys changed (-before +after):\n%s", diff)
			}
		})
	}
}

// TestKeysChange checks that a change in meaning changes exactly the affected stages' keys.
func TestKeysChange(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, old, new string
		file           [2]string // name and content of another input file
		want           []string  // instances whose keys change
	}{
		{name: "a variable", old: "100.5", new: "100.51", want: []string{"stage.filter.hard", `stage.cap.main["a"]`,
			`stage.cap.main["b"]`}},
		{name: "a local in a row expression and in a function", old: "limit   = 300", new: "limit = 301",
			want: []string{`stage.cap.main["a"]`, `stage.cap.main["b"]`}},
		{name: "the body of a function", old: "floor(count", new: "ceil(count", want: []string{`stage.cap.main["a"]`,
			`stage.cap.main["b"]`}},
		{name: "the body of a variadic function", old: "max(concat", new: "min(concat",
			want: []string{`stage.cap.main["a"]`, `stage.cap.main["b"]`}},
		{name: "a list in a row expression", old: `"QF_BV", "QF_LIA"`, new: `"QF_BV", "QF_LRA"`,
			want: []string{"stage.filter.hard"}},
		{name: "the year", old: "year = 2026", new: "year = 2022", want: []string{"stage.filter.hard"}},
		{name: "one of two nested blocks", old: `"big"`, new: `"large"`, want: []string{"stage.filter.hard"}},
		{name: "a unit", old: `"20m"`, new: `"20s"`, want: []string{"stage.execute.main"}},
		{name: "the command of a solver", old: `"-smt2"`, new: `"-in"`, want: []string{"stage.execute.main"}},
		{name: "each.value of a solver", old: "plain = 1", new: "plain = 3", want: []string{"stage.execute.main"}},
		{name: "a value of an object", old: `"two"`, new: `"three"`, want: []string{"stage.report.site"}},
		{name: "a number becomes a text", old: "{ a = 1,", new: `{ a = "1",`, want: []string{"stage.report.site"}},
		{name: "the bytes of a file", old: "locals", new: "locals", file: [2]string{"data/2.txt", "changed"},
			want: []string{"stage.fetch.library"}},
		{name: "one file more", old: "locals", new: "locals", file: [2]string{"data/3.txt", "three"},
			want: []string{"stage.fetch.library"}},
	}
	before := preimages(t, map[string]string{"main.hcl": wholePipeline})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(wholePipeline, tt.old) {
				t.Fatalf("%q is not in the pipeline", tt.old)
			}
			files := map[string]string{"main.hcl": strings.Replace(wholePipeline, tt.old, tt.new, 1)}
			if tt.file[0] != "" {
				files[tt.file[0]] = tt.file[1]
			}
			after := preimages(t, files)
			var got []string
			for _, addr := range []string{"stage.fetch.library", "stage.index.library", "stage.filter.hard",
				`stage.cap.main["a"]`, `stage.cap.main["b"]`, "stage.execute.main", "stage.report.site"} {
				if !cmp.Equal(before[addr], after[addr]) {
					got = append(got, addr)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("changed instances (-want +got):\n%s", diff)
			}
		})
	}
}

var spaces = regexp.MustCompile(`[ \t]+`)

// squeeze removes alignment.
func squeeze(text string) string { return spaces.ReplaceAllString(text, " ") }

// commented adds a comment before and after every line.
func commented(text string) string {
	var w strings.Builder
	for i, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&w, "# %d\n%s // %d\n/* more */\n", i, line, i)
	}
	return w.String()
}

// blocksOf returns the source text of every top-level block.
func blocksOf(t testing.TB, text string) []string {
	t.Helper()
	f, diags := hclsyntax.ParseConfig([]byte(text), "whole", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var all []string
	for _, b := range f.Body.(*hclsyntax.Body).Blocks {
		rng := b.Range()
		all = append(all, text[rng.Start.Byte:rng.End.Byte])
	}
	return all
}

// permuted shuffles every block's attributes and, with blocks, also the blocks themselves, using a seed.
func permuted(t testing.TB, text string, seed1, seed2 uint64, blocks bool) string {
	t.Helper()
	r := rand.New(rand.NewPCG(seed1, seed2))
	all := blocksOf(t, text)
	for i, b := range all {
		lines := strings.Split(b, "\n")
		if len(lines) < 4 || strings.Contains(b, "{\n    ") || strings.Contains(b, "drop") {
			continue // lines in nested blocks belong together
		}
		inner := lines[1 : len(lines)-1]
		r.Shuffle(len(inner), func(x, y int) { inner[x], inner[y] = inner[y], inner[x] })
		all[i] = strings.Join(lines, "\n")
	}
	if blocks {
		r.Shuffle(len(all), func(x, y int) { all[x], all[y] = all[y], all[x] })
	}
	return strings.Join(all, "\n\n")
}

// scattered moves every block into a file of its own.
func scattered(t testing.TB, text string) map[string]string {
	files := map[string]string{}
	for i, b := range blocksOf(t, text) {
		files[fmt.Sprintf("%02d.hcl", (i*7)%20)] += b + "\n"
	}
	return files
}
