package validate

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

const coreScript = `(set-option :print-success false)
(set-option :produce-unsat-cores true)
(set-logic QF_UF)
(declare-fun x1 () Bool)
; an (assert (! x1 :named no)) in a comment
(assert (! x1 :named smtcomp1))
(assert (! (not x1) :named smtcomp2))
(assert (! (or x1 (! (not x1) :named inner)) :pattern (x1) :named |odd name|))
(assert (= x1 x1))
(assert (! (let ((a "(assert"))(= a a)) :named smtcomp4))
(check-sat)
(get-unsat-core)
(exit)
`

func mustNames(t testing.TB, script string) Names {
	t.Helper()
	names, err := ScriptNames([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestScriptNames(t *testing.T) {
	names := mustNames(t, coreScript)
	if diff := cmp.Diff([]string{"smtcomp1", "smtcomp2", "odd name", "smtcomp4"}, names.List); diff != "" ||
		names.Asserts != 5 {
		t.Errorf("%d asserts, want 5; names (-want +got):\n%s", names.Asserts, diff)
	}
	deep := "(assert (! " + strings.Repeat("(not ", 1_000_000) + "x" + strings.Repeat(")", 1_000_000) + " :named d))"
	if got := mustNames(t, deep).List; len(got) != 1 || got[0] != "d" {
		t.Errorf("names of a script nested a million deep: %q", got)
	}
}

func TestScriptNamesErrors(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"given twice", "(assert (! a :named n))\n(assert (! b :named |n|))",
			`two assertions have the name "|n|", the second one at line 2, column 1`},
		{"not closed", "(check-sat)\n (assert (! a :named n)", "the command at line 2, column 2 is not closed"},
		{"cut in an annotation", "(assert (! a :named", "is not closed"},
		{"cut after the head", "(assert", "is not closed"},
		{"cut in a string", `(assert (= "abc`, "is not closed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ScriptNames([]byte(tt.script))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
	for _, odd := range []string{"(assert)", "(assert ())", "(assert (!))", "()", "((x))", "(assert (! x))",
		"(assert (! x :named))", "(assert (! x :named (y)))", "stray ) ) (", "\x00(exit)"} {
		if names, err := ScriptNames([]byte(odd)); err == nil && len(names.List) > 0 {
			t.Errorf("%q has the names %q", odd, names.List)
		}
	}
}

func TestParseCore(t *testing.T) {
	names := mustNames(t, coreScript)
	tests := []struct {
		name, response string
		want           []string
		kind           CoreErrorKind // empty for a valid core
	}{
		{"all in another order", "(smtcomp4 smtcomp1)\n", []string{"smtcomp1", "smtcomp4"}, ""},
		{"over lines", "(\nsmtcomp1\r\n\tsmtcomp2 ; half\n)\n", []string{"smtcomp1", "smtcomp2"}, ""},
		{"empty", "()\n", []string{}, ""},
		{"quoted", "(|odd name| |smtcomp1|)", []string{"smtcomp1", "odd name"}, ""},
		{"after success", "success\n(smtcomp2)\nsuccess\n", []string{"smtcomp2"}, ""},
		{"text after", "(smtcomp2)\nbye \xff\x00", []string{"smtcomp2"}, ""},
		{"nothing", "", nil, CoreMissing},
		{"white space", "\n  \n", nil, CoreMissing},
		{"only success", "success\n", nil, CoreMissing},
		{"unsupported", "unsupported\n", nil, CoreRefused},
		{"error", "(error \"no core (here)\")\n", nil, CoreRefused},
		{"cut off", "(smtcomp1 smtc", nil, CoreCutOff},
		{"cut off after a name", "(smtcomp1 ", nil, CoreCutOff},
		{"cut off in bars", "(smtcomp1 |odd", nil, CoreCutOff},
		{"cut off at once", "(", nil, CoreCutOff},
		{"unknown name", "(smtcomp1 smtcomp3)", nil, CoreIllFormed},
		{"name of an inner term", "(inner)", nil, CoreIllFormed},
		{"name in a comment of the script", "(no)", nil, CoreIllFormed},
		{"twice", "(smtcomp1 |smtcomp1|)", nil, CoreIllFormed},
		{"nested", "((smtcomp1))", nil, CoreIllFormed},
		{"no list", "smtcomp1\n", nil, CoreIllFormed},
		{"closed only", ")", nil, CoreIllFormed},
		{"numeral", "(1)", nil, CoreIllFormed},
		{"not UTF-8", "(\xff)", nil, CoreIllFormed},
		{"NUL", "(smtcomp1\x00)", nil, CoreIllFormed},
		{"longer name", "(smtcomp11)", nil, CoreIllFormed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			core, err := ParseCore(names, []byte(tt.response))
			if tt.kind == "" {
				if diff := cmp.Diff(tt.want, core.Names); err != nil || diff != "" {
					t.Errorf("ParseCore(%q): %v, names (-want +got):\n%s", tt.response, err, diff)
				}
				return
			}
			e, ok := errors.AsType[*CoreError](err)
			if !ok || e.Kind != tt.kind || e.Reason == "" {
				t.Errorf("ParseCore(%q) = %v, %v; want an error of kind %s", tt.response, core, err, tt.kind)
			}
		})
	}
}

func TestReduceCore(t *testing.T) {
	names := mustNames(t, coreScript)
	core, err := ParseCore(names, []byte("(smtcomp4 |odd name|)"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := ReduceCore([]byte(coreScript), core)
	if err != nil {
		t.Fatal(err)
	}
	const want = `(set-option :print-success false)
(set-logic QF_UF)
(declare-fun x1 () Bool)
; an (assert (! x1 :named no)) in a comment
(assert (or x1 (! (not x1) :named inner)))
(assert (= x1 x1))
(assert (let ((a "(assert"))(= a a)))
(check-sat)
(exit)
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("reduced script (-want +got):\n%s", diff)
	}
	if again := mustNames(t, string(got)); len(again.List) != 0 || again.Asserts != 3 {
		t.Errorf("the reduced script has %d asserts and the names %q; want 3 and none", again.Asserts, again.List)
	}
	if _, err := ReduceCore([]byte("(assert (! x :named a))"), Core{Names: []string{"b"}}); err == nil {
		t.Error("a core of another script was accepted")
	}
	one, err := ReduceCore([]byte("(assert (! x :named a))(assert (! y :named b)) (check-sat)"),
		Core{Names: []string{"b"}})
	if err != nil || string(one) != "(assert y) (check-sat)" {
		t.Errorf("two commands on a line: %q, %v", one, err)
	}
}

// TestMajority follows the text of the rules. According to 2019 §5.5 and 2022 §5.4, a core is refuted if the sat
// answers exceed the unsat answers. According to 2026 §5.4, it is validated if the unsat answers exceed the sat
// answers. For any other core in 2026, the verdict depends on whether any solver answers sat.
func TestMajority(t *testing.T) {
	tests := []struct {
		unsat, sat   int
		y2019, y2026 CoreVerdict
	}{
		{0, 0, CoreValid, CoreUnvalidated},
		{1, 0, CoreValid, CoreValid},
		{0, 1, CoreInvalid, CoreInvalid},
		{1, 1, CoreValid, CoreInvalid},
		{2, 1, CoreValid, CoreValid},
		{1, 2, CoreInvalid, CoreInvalid},
		{3, 3, CoreValid, CoreInvalid},
	}
	for _, tt := range tests {
		for year, want := range map[int]CoreVerdict{2019: tt.y2019, 2020: tt.y2019, 2022: tt.y2019, 2026: tt.y2026} {
			if got := rulesOf(year).Majority(tt.unsat, tt.sat); got != want {
				t.Errorf("%d: %d unsat, %d sat: %s, want %s", year, tt.unsat, tt.sat, got, want)
			}
		}
	}
}

// TestJudgeCore follows §5.4/5.5 and §7.1.4 of the rules.
func TestJudgeCore(t *testing.T) {
	names := mustNames(t, coreScript)
	tests := []struct {
		name       string
		year       int
		stdout     string
		run        Run
		unsat, sat int
		want       CoreJudgement // without Reason
	}{
		{"reduction 4 - 1", 2026, "unsat\n(smtcomp1)\n", Run{}, 1, 0, CoreJudgement{comp.Correct, "valid", 1, ""}},
		{"no reduction", 2022, "unsat\n(smtcomp1 smtcomp2 smtcomp4 |odd name|)\n", Run{}, 0, 0,
			CoreJudgement{comp.Correct, "valid", 4, ""}},
		{"empty core", 2022, "unsat\n()\n", Run{}, 0, 0, CoreJudgement{comp.Correct, "valid", 0, ""}},
		{"sat", 2026, "sat\n(error \"\")\n", Run{}, 0, 0, CoreJudgement{comp.Wrong, "", -1, ""}},
		{"unknown", 2026, "unknown\n(smtcomp1)\n", Run{}, 5, 0, CoreJudgement{comp.Unknown, "", -1, ""}},
		{"aborted", 2026, "", Run{ExitCode: 1}, 0, 0, CoreJudgement{comp.Unknown, "", -1, ""}},
		{"no core: the whole benchmark", 2026, "unsat\n", Run{}, 0, 0, CoreJudgement{comp.Correct, "", -1, ""}},
		{"ill-formed in 2019", 2019, "unsat\n(nobody)\n", Run{}, 0, 0, CoreJudgement{comp.Wrong, "illformed", -1, ""}},
		{"ill-formed in 2022", 2022, "unsat\n(nobody)\n", Run{}, 0, 0,
			CoreJudgement{comp.Unknown, "illformed", -1, ""}},
		{"cut off in 2019", 2019, "unsat\n(smtcomp1 ", Run{Ending: comp.WallTimeout}, 0, 0,
			CoreJudgement{comp.Unknown, "illformed", -1, ""}},
		{"cut out in the middle in 2019", 2019, "unsat\n(smtcomp1 ... 5000 bytes ... smtcomp2)\n", Run{Truncated: true},
			0, 0, CoreJudgement{comp.Unknown, "illformed", -1, ""}},
		{"refused in 2019", 2019, "unsat\nunsupported\n", Run{}, 0, 0,
			CoreJudgement{comp.Unknown, "illformed", -1, ""}},
		{"refuted in 2022", 2022, "unsat\n(smtcomp1)\n", Run{}, 1, 2, CoreJudgement{comp.Wrong, "invalid", 1, ""}},
		{"tie in 2022", 2022, "unsat\n(smtcomp1)\n", Run{}, 1, 1, CoreJudgement{comp.Correct, "valid", 1, ""}},
		{"tie in 2026", 2026, "unsat\n(smtcomp1)\n", Run{}, 1, 1, CoreJudgement{comp.Wrong, "invalid", 1, ""}},
		{"no votes in 2026", 2026, "unsat\n(smtcomp1)\n", Run{}, 0, 0,
			CoreJudgement{comp.Unknown, "unvalidated", 1, ""}},
		{"late core counts", 2026, "unsat\n(smtcomp1)\n", Run{Ending: comp.WallTimeout}, 1, 0,
			CoreJudgement{comp.Correct, "valid", 1, ""}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.run.Rules = rulesOf(tt.year)
			d := Answer(comp.UnsatCore, []byte(tt.stdout), nil, tt.run)
			core, err := ParseCore(names, d.Rest)
			got := JudgeCore(tt.run.Rules, d, core, err, tt.unsat, tt.sat)
			if hasReason := got.Reason != ""; hasReason == (got.Verdict == comp.Correct && got.Size >= 0) {
				t.Errorf("verdict %s with the reason %q", got.Verdict, got.Reason)
			}
			got.Reason = ""
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestJudgeModel follows §5.6 of the 2019 rules and §5.5 of the 2022 and 2026 rules.
func TestJudgeModel(t *testing.T) {
	tests := []struct {
		name    string
		stdout  string
		run     Run
		checked ModelVerdict
		verdict comp.Verdict
		want    ModelVerdict
	}{
		{"valid", "sat\n(model)\n", Run{}, ModelValid, comp.Correct, ModelValid},
		{"does not satisfy", "sat\n(model)\n", Run{}, ModelInvalid, comp.Wrong, ModelInvalid},
		{"partial", "sat\n(model)\n", Run{}, ModelUnknown, comp.Unknown, ModelUnknown},
		{"unsat", "unsat\n(error \"\")\n", Run{}, ModelUnknown, comp.Wrong, ModelInvalid},
		{"unknown", "unknown\n(model)\n", Run{}, ModelValid, comp.Unknown, ModelUnknown},
		{"no output", "", Run{}, "", comp.Unknown, ModelUnknown},
		{"no model", "sat\n", Run{}, ModelInvalid, comp.Unknown, ModelUnknown},
		{"checker at its limit", "sat\n(model)\n", Run{}, ModelLimit, comp.Unknown, ModelUnknown},
		{"stopped after the model", "sat\n(model)\n", Run{Ending: comp.WallTimeout}, ModelValid, comp.Correct,
			ModelValid},
		{"late where that does not count", "sat\n(model)\n", Run{Rules: rulesOf(2015), Ending: comp.WallTimeout},
			ModelValid, comp.Unknown, ModelUnknown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := Answer(comp.ModelValidation, []byte(tt.stdout), nil, tt.run)
			if verdict, got := JudgeModel(d, tt.checked); verdict != tt.verdict || got != tt.want {
				t.Errorf("%s, %s; want %s, %s", verdict, got, tt.verdict, tt.want)
			}
		})
	}
}

// FuzzParseCore checks for any response that a core contains known, distinct names in script order, and that the script
// is reduced accordingly: the empty core keeps only the unnamed assertions, and each name adds one assertion.
func FuzzParseCore(f *testing.F) {
	for _, seed := range []string{"(smtcomp1)", "()", "(|odd name| smtcomp4)", "success (", "(error \"x\")", "((",
		"\xff|"} {
		f.Add([]byte(seed))
	}
	names := mustNames(f, coreScript)
	f.Fuzz(func(t *testing.T, response []byte) {
		core, err := ParseCore(names, response)
		if err != nil {
			if _, ok := errors.AsType[*CoreError](err); !ok {
				t.Fatalf("the error %v is of another type", err)
			}
			return
		}
		for i, m := range core.Members {
			if i > 0 && core.Members[i-1] >= m {
				t.Fatalf("members %v are not ascending", core.Members)
			}
		}
		reduced, err := ReduceCore([]byte(coreScript), core)
		if err != nil {
			t.Fatal(err)
		}
		if got := mustNames(t, string(reduced)).Asserts; got != core.Size()+1 {
			t.Fatalf("%d assertions for a core of %d and one unnamed one", got, core.Size())
		}
	})
}

// FuzzScriptNames checks that scanning a script never panics, and that reducing it to all names keeps all assertions.
func FuzzScriptNames(f *testing.F) {
	f.Add([]byte(coreScript))
	f.Add([]byte("(assert (! \"a\" :named b :named c))"))
	f.Fuzz(func(t *testing.T, script []byte) {
		names, err := ScriptNames(script)
		if err != nil {
			return
		}
		reduced, err := ReduceCore(script, Core{Names: names.List})
		if err != nil {
			t.Fatal(err)
		}
		if again, err := ScriptNames(reduced); err != nil || again.Asserts != names.Asserts {
			t.Fatalf("%q has %d asserts, reduced to all its names %q has %d: %v", script, names.Asserts, reduced,
				again.Asserts, err)
		}
	})
}

func BenchmarkParseCore(b *testing.B) {
	var script, response strings.Builder
	response.WriteString("(")
	for i := range 20_000 {
		fmt.Fprintf(&script, "(assert (! (= x%d y%d) :named smtcomp%d))\n", i, i, i+1)
		fmt.Fprintf(&response, "smtcomp%d ", i+1)
	}
	response.WriteString(")\n")
	names := mustNames(b, script.String())
	text := []byte(response.String())
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseCore(names, text); err != nil {
			b.Fatal(err)
		}
	}
}
