package functions

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/data/comp/divisions"
	"github.com/smtpipe/smtpipe/internal/stages"
)

func testEnv(folder string) Env {
	return Env{Folder: folder, Note: func([]string) {}, File: func(name string) (stages.File, error) {
		full := name
		if !filepath.IsAbs(name) {
			full = filepath.Join(folder, name)
		}
		if info, err := os.Stat(full); err == nil && info.IsDir() {
			return stages.File{Path: full, Name: name, IsDir: true}, nil
		}
		b, err := os.ReadFile(full)
		if err != nil {
			return stages.File{}, fmt.Errorf("there is no file %s", name)
		}
		return stages.File{Path: full, Name: filepath.ToSlash(filepath.Clean(name)), Digest: sha256.Sum256(b)}, nil
	}}
}

func eval(t *testing.T, folder, src string) (cty.Value, hcl.Diagnostics) {
	t.Helper()
	x, diags := hclsyntax.ParseExpression([]byte(src), "test", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return x.Value(&hcl.EvalContext{Functions: All(testEnv(folder)), Variables: map[string]cty.Value{
		"unknown_list": cty.UnknownVal(cty.List(cty.Number)),
		"unknown_text": cty.UnknownVal(cty.String),
		"any":          cty.DynamicVal,
		"tracks26":     tracksOfYear(t, 2026),
	}})
}

func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"a.txt", "b.txt", "sub/c.txt", "sub/deep/d.txt", "sub/.hidden.txt", ".git/e.txt"} {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte("text of "+name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "latin1"), []byte{'a', 0xe4}, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	tests := []struct {
		src  string
		want cty.Value
	}{
		// 2019: the sum of the 42 seeds modulo 2^30 is 912668687; the integer part of the opening value is 12889.
		{`competition_seed([912668687], 12889)`, cty.NumberIntVal(912681576)},
		// 2^30 - 1 + 2 = 2^30 + 1, which is 1 modulo 2^30; the opening value is added after the reduction.
		{`competition_seed([1073741823, 2], 1073741824)`, cty.NumberIntVal(1073741825)},
		{`competition_seed([], floor(100 * 123.456))`, cty.NumberIntVal(12345)},
		{`competition_seed(unknown_list, 1)`, cty.UnknownVal(cty.Number)},

		{`division(rules("2026").tracks, "single_query", "QF_UFBV")`, cty.StringVal("QF_Equality+Bitvec")},
		{`division(rules("2019").tracks, "single_query", "QF_UFBV")`, cty.StringVal("QF_UFBV")},
		{`division(rules("2015").tracks, "main", "QF_BV")`, cty.StringVal("QF_BV")},
		{`division(rules("2026").tracks, "single_query", "NO_LOGIC")`, cty.NullVal(cty.String)},
		{`division(tracks26, "model_validation", "QF_AX")`, cty.StringVal("QF_ADT+LinArith")},
		{`division({ mine = { A = ["X", "Y"] } }, "mine", "Y")`, cty.StringVal("A")},
		{`logics(rules("2022").tracks, "single_query", "QF_Equality+Bitvec")`, texts("QF_ABV", "QF_AUFBV", "QF_UFBV")},
		{`track_has(rules("2026").tracks, "incremental", "QF_AUFBVLIA")`, cty.True},
		{`track_has(rules("2026").tracks, "single_query", "QF_AUFBVLIA")`, cty.False},
		{`track_has(rules("2026").tracks, "no_track", "QF_BV")`, cty.False},
		{`track_has(any, "single_query", "QF_BV")`, cty.UnknownVal(cty.Bool)},
		{`track_has({ t = { A = null, B = ["X"] }, u = null }, "t", "X")`, cty.True},
		{`track_has({ t = { A = null }, u = null }, "u", "X")`, cty.False},
		{`bytes("30GB")`, cty.NumberIntVal(30_000_000_000)},
		{`bytes("1GiB")`, cty.NumberIntVal(1 << 30)},
		{`seconds("1h30m")`, cty.NumberIntVal(5400)},
		{`seconds("1.5s")`, cty.NumberFloatVal(1.5)},

		{`sum([])`, cty.NumberIntVal(0)},
		{`sum([1, 2.5, -3])`, cty.NumberFloatVal(0.5)},
		{`sum(["1", 2])`, cty.NumberIntVal(3)},
		{`sum(toset([1, 1, 2]))`, cty.NumberIntVal(3)},
		{`length("häuser")`, cty.NumberIntVal(6)},
		{`length([1, 2])`, cty.NumberIntVal(2)},
		{`length({ a = 1 })`, cty.NumberIntVal(1)},
		{`length(any)`, cty.UnknownVal(cty.Number)},
		{`index(["a", "b"], "b")`, cty.NumberIntVal(1)},
		{`startswith("QF_BV", "QF_")`, cty.True},
		{`endswith("x.smt2", ".smt")`, cty.False},
		{`floor(-1.5)`, cty.NumberIntVal(-2)},
		{`toset(["b", "a", "b"])`, cty.SetVal([]cty.Value{cty.StringVal("a"), cty.StringVal("b")})},
		{`toset(["a", 1, "a"])`, cty.SetVal([]cty.Value{cty.StringVal("1"), cty.StringVal("a")})},
		{`tolist([2, 1, 2])`, cty.ListVal([]cty.Value{cty.NumberIntVal(2), cty.NumberIntVal(1), cty.NumberIntVal(2)})},
		{`tolist(["a", null])`, cty.ListVal([]cty.Value{cty.StringVal("a"), cty.NullVal(cty.String)})},
		{`format("%05.1f|%-4s|%d", 1.25, "a", 2024)`, cty.StringVal("001.2|a   |2024")},
		{`formatlist("%s-1999", ["a"])`, texts("a-1999")},
		{`length(setproduct(["a", "b"], [1, 2, 3]))`, cty.NumberIntVal(6)},
		{`indent(2, "a\nb")`, cty.StringVal("a\n  b")},
		{`try(tonumber("x"), 7)`, cty.NumberIntVal(7)},
		{`can(tonumber("x"))`, cty.False},
		{`regexreplace("a1b22", "[0-9]+", "#")`, cty.StringVal("a#b#")},
		{`csvdecode("a,b\n1,2\n")[0].b`, cty.StringVal("2")},

		{`glob_match("QF_*", "QF_BV")`, cty.True},
		{`glob_match("*", "a/b")`, cty.False},
		{`glob_match("a/*/c", "a/b/c")`, cty.True},
		{`glob_match("**/c", "c")`, cty.True},
		{`glob_match("a/**", "a/b/c")`, cty.True},
		{`glob_match("a/**/d", "a/b/c/d")`, cty.True},
		{`glob_match("a/**/d", "a/b/c/e")`, cty.False},
		{`glob_match("[A-C]?", "B1")`, cty.True},
		{`glob_match(unknown_text, "x")`, cty.UnknownVal(cty.Bool)},

		{`file_text("a.txt")`, cty.StringVal("text of a.txt")},
		{`file_text("sub/../a.txt")`, cty.StringVal("text of a.txt")},
		{`file_text(file("sub/c.txt"))`, cty.StringVal("text of sub/c.txt")},
		{`[for f in fileset("*.txt") : file_text(f)]`, tuple("text of a.txt", "text of b.txt")},
		{`[for f in fileset("*.txt") : file_name(f)]`, tuple("a.txt", "b.txt")},
		{`[for f in fileset("sub/**") : file_name(f)]`, tuple("c.txt", "d.txt")},
		{`[for f in fileset("**/*.txt") : file_name(f)]`, tuple("a.txt", "b.txt", "c.txt", "d.txt")},
		{`[for f in fileset("**/d.txt", "*.txt", "a.*") : file_name(f)]`, tuple("d.txt", "a.txt", "b.txt")},
		{`[for f in fileset("sub/.*.txt") : file_name(f)]`, tuple(".hidden.txt")},
		{`length(fileset("nowhere/*"))`, cty.NumberIntVal(0)},
		{fmt.Sprintf(`[for f in fileset(%q) : file_name(f)]`, dir+"/s*b/*.txt"), tuple("c.txt")},
		{`file_name(file("sub/c.txt"))`, cty.StringVal("c.txt")},
	}
	for _, tt := range tests {
		t.Run(tt.src, func(t *testing.T) {
			got, diags := eval(t, dir, tt.src)
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			unmarked, _ := got.UnmarkDeep()
			if !tt.want.IsKnown() {
				if unmarked.IsKnown() {
					t.Errorf("%s = %#v, want it unknown", tt.src, got)
				}
				return
			}
			if !unmarked.RawEquals(tt.want) && !(unmarked.Type() == cty.Number && unmarked.Equals(tt.want).True()) {
				t.Errorf("%s = %#v, want %#v", tt.src, got, tt.want)
			}
		})
	}
}

func texts(all ...string) cty.Value {
	vals := make([]cty.Value, len(all))
	for i, s := range all {
		vals[i] = cty.StringVal(s)
	}
	return cty.ListVal(vals)
}

func tuple(all ...string) cty.Value { return cty.TupleVal(texts(all...).AsValueSlice()) }

func TestFunctionErrors(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	tests := []struct{ src, want string }{
		{`competition_seed([1.5], 1)`, "seed 0 of the list is 1.5 and not a whole number"},
		{`competition_seed([1, null], 1)`, "seed 1 of the list is null; every solver that competes gives a number"},
		{`competition_seed([1], 123.45)`, "floor(100 * opening)"},
		{`competition_seed([-1], 1)`, "not a whole number from 0"},
		{`competition_seed([1], 4294967295)`, "too large for a seed of 32 bits"},
		{`rules("1999")`, "The years with rules are 2008, 2015,"},
		{`division(2026, "single_query", "QF_BV")`, "want a map from track to division to logics"},
		{`division("x", "single_query", "QF_BV")`, "want a map"},
		{`logics(rules("2026").tracks, "single_query", "Bitvector")`, `the track single_query has no division "Bitvector"`},
		{`logics(rules("2026").tracks, "singel", "Bitvec")`, `there is no track "singel"`},
		{`bytes("30")`, "has no unit"},
		{`seconds("20")`, "is not a duration"},
		{`setproduct(range(1000), range(1000), range(1000))`, "more than 1000000 combinations"},
		{`range(2000)`, "for more, combine two of them: flatten("},
		{`range("a")`, "a number is required"},
		{`format("%099999999d", 1)`, "widths and precisions must be below 1000"},
		{`format("%.5000f", 1)`, "widths and precisions must be below 1000"},
		{`indent(1000000, "a")`, "at most 1000 spaces"},
		{`indent(-1, "a")`, "at least 0"},
		{`formatlist(join("", [for i in range(100) : "%[1]s"]), [join("", [for i in range(1000) : format("%999d", 1)])])`,
			"more than 67108864 bytes"},
		{`formatlist(join("", [for i in range(100) : "%[1]s"]), join("", [for i in range(1000) : format("%999d", 1)]), [1, 2])`,
			"more than 67108864 bytes"},
		{`log(-1, 2)`, "the result is not a number"},
		{`pow(-1, 0.5)`, "the result is not a number"},
		{`sum([log(0, 2), -log(0, 2)])`, "the result is not a number"},
		{`sum("x")`, "want a list of numbers"},
		{`sum([1, "x"])`, "an element is not a number"},
		{`length(3)`, "want a list, set, map, object or text"},
		{`index(["a"], "b")`, "is not in the list"},
		{`glob_match("[a", "a")`, "is not a pattern"},
		{`glob_match("[a/b]", "a")`, "\"[a\" is not a pattern"},
		{`fileset("[a")`, "is not a pattern"},
		{`fileset("")`, "the pattern is empty"},
		{`file_text("/etc/hostname")`, "is not in the pipeline's folder"},
		{`file_text("no.txt")`, "there is no file"},
		{`file_text("sub")`, "is a folder"},
		{`file_text("latin1")`, "is not UTF-8 text"},
		{`file_text(3)`, "want a path or a file, got a number"},
		{`file("no.txt")`, "there is no file"},
	}
	for _, tt := range tests {
		t.Run(tt.src, func(t *testing.T) {
			v, diags := eval(t, dir, tt.src)
			if !diags.HasErrors() {
				t.Fatalf("%s = %#v, want an error with %q", tt.src, v, tt.want)
			}
			if !strings.Contains(diags.Error(), tt.want) {
				t.Errorf("%s: %v, want an error with %q", tt.src, diags, tt.want)
			}
		})
	}
}

// TestDocs checks that the descriptions are complete and, judging by the functions' names, that the functions are pure.
func TestDocs(t *testing.T) {
	t.Parallel()
	all := All(testEnv("."))
	described := map[string]bool{}
	for _, d := range Docs() {
		if _, ok := all[d.Name]; !ok || described[d.Name] {
			t.Errorf("%s is described and not there, or twice", d.Name)
		}
		described[d.Name] = true
		if !strings.HasPrefix(d.Signature, d.Name+"(") {
			t.Errorf("signature %q of %s", d.Signature, d.Name)
		}
	}
	for name := range all {
		if !described[name] {
			t.Errorf("%s is not described", name)
		}
	}
	for _, forbidden := range []string{"timestamp", "uuid", "env", "random", "bcrypt", "plantimestamp", "http"} {
		if _, ok := all[forbidden]; ok {
			t.Errorf("%s is not a pure function", forbidden)
		}
	}
}

func tracksOfYear(t *testing.T, year int) cty.Value {
	t.Helper()
	r, diags := rules.Load(strconv.Itoa(year), "")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return rules.TracksOf(r.Divisions)
}

func TestTracksOf(t *testing.T) {
	t.Parallel()
	if got := rules.TracksOf(divisions.Table{}); !got.IsNull() {
		t.Errorf("TracksOf without divisions = %#v, want null", got)
	}
	got := tracksOfYear(t, 2022).Index(cty.StringVal("model_validation")).Index(cty.StringVal("QF_Bitvec"))
	if diff := cmp.Diff("QF_BV", got.Index(cty.NumberIntVal(0)).AsString()); diff != "" {
		t.Error(diff)
	}
}

// TestNatives compares the fast implementations with the functions.
func TestNatives(t *testing.T) {
	t.Parallel()
	patterns := []string{"", "a", "QF_*", "*", "a/*", "a/b", "*/b", "**", "a/**", "**/b", "[ab]/?", "a/", `a\*`, "ä*",
		"[a"}
	subjects := []string{"", "a", "QF_BV", "a/b", "a/b/c", "/", "a/", "b/ä", "a*", "äb", "b"}
	for _, n := range Natives() {
		for _, p := range patterns {
			test := n.StringBool([]string{p})
			for _, s := range subjects {
				args := []cty.Value{cty.StringVal(s), cty.StringVal(p)}
				if n.ConstFirst {
					args[0], args[1] = args[1], args[0]
				}
				want, err := n.Func.Call(args)
				if test == nil {
					if err == nil {
						t.Errorf("pattern %q is not specialised and has no error", p)
					}
					continue
				}
				if got, ok := test(s); ok && (err != nil || got != want.True()) {
					t.Errorf("%q of %q: fast form %v, function %#v %v", p, s, got, want, err)
				}
			}
		}
	}
}
