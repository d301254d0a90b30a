package model

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// solvers lists the programs whose models are validated, with their options.
var solvers = map[string][]string{
	"z3":        {"-T:2"},
	"cvc5":      {"--produce-models", "--tlimit=2000", "--fp-exp", "--strings-exp"},
	"cvc4":      {"--produce-models", "--tlimit=2000", "--strings-exp"},
	"boolector": {"-m", "-t", "2"},
}

// satBenchmark is a quantifier-free benchmark that some solver is known to answer with sat.
type satBenchmark struct {
	path, logic string
	z3, cvc5    bool // the solvers that answered sat
	text        string
}

// satBenchmarks reads every step-th candidate in the shared release.
func satBenchmarks(t *testing.T, step int) []satBenchmark {
	t.Helper()
	root := testkit.Shared(t, "smtlib-mini")
	f, err := os.Open(filepath.Join(root, "reference-verdicts.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = '\t'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]*satBenchmark{}
	logics := map[string]bool{}
	var list []*satBenchmark
	n := 0
	for _, row := range rows[1:] {
		b := satBenchmark{path: row[0], z3: row[2] == "sat", cvc5: row[4] == "sat"}
		parts := strings.Split(row[0], "/")
		if parts[0] != "non-incremental" || !strings.HasPrefix(parts[1], "QF_") || !(b.z3 || b.cvc5) {
			continue
		}
		if n++; n%step != 0 {
			continue
		}
		b.logic = parts[1]
		logics[b.logic] = true
		wanted[b.path] = &b
		list = append(list, &b)
	}
	for logic := range logics {
		eachFile(t, filepath.Join(root, "non-incremental", logic+".tar.zst"), func(name string, text []byte) {
			if b := wanted[name]; b != nil {
				b.text = string(text)
			}
		})
	}
	out := make([]satBenchmark, len(list))
	for i, b := range list {
		out[i] = *b
	}
	return out
}

// edit returns a benchmark's text without commands that would make a solver print anything but an answer and a model,
// and with the commands last at the end.
func edit(t *testing.T, text, last string) string {
	t.Helper()
	s, err := smtlib.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, c := range s.Commands {
		switch c.Kind {
		case smtlib.CmdExit, smtlib.CmdGetModel, smtlib.CmdGetValue, smtlib.CmdGetInfo, smtlib.CmdGetAssertions,
			smtlib.CmdEcho:
			continue
		}
		out.WriteString(text[c.Pos:c.Stop] + "\n")
	}
	return out.String() + last
}

// solve returns a solver's output for a script.
func solve(t *testing.T, dir, solver, script string) string {
	t.Helper()
	path := filepath.Join(dir, "script.smt2")
	if err := os.WriteFile(path, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	args := append(append([]string{}, solvers[solver]...), path)
	out, _ := exec.CommandContext(ctx, testkit.Program(t, solver), args...).Output()
	return string(out)
}

// boolectorModel converts the lines "a 0101" that boolector prints to definitions. An x is a bit that does not matter.
func boolectorModel(t *testing.T, benchmark, out string) string {
	t.Helper()
	s, err := smtlib.Parse([]byte(benchmark))
	if err != nil {
		t.Fatal(err)
	}
	bits := map[string]string{}
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); len(f) == 2 {
			bits[f[0]] = strings.ReplaceAll(f[1], "x", "0")
		}
	}
	var model strings.Builder
	model.WriteString("sat\n(\n")
	for _, c := range s.Commands {
		if c.Kind != smtlib.CmdDeclareFun && c.Kind != smtlib.CmdDeclareConst {
			continue
		}
		sort := s.Name(s.Sort(c.Sort).Sym)
		val := bits[s.Name(c.Sym)]
		switch {
		case sort == "Bool":
			val = map[string]string{"1": "true"}[val]
			if val == "" {
				val = "false"
			}
			fmt.Fprintf(&model, "(define-fun |%s| () Bool %s)\n", s.Name(c.Sym), val)
		case sort == "BitVec":
			width := s.Name(s.Indices(s.Sort(c.Sort).Index)[0].Sym)
			if val = "#b" + val; val == "#b" {
				val = "(_ bv0 " + width + ")"
			}
			fmt.Fprintf(&model, "(define-fun |%s| () (_ BitVec %s) %s)\n", s.Name(c.Sym), width, val)
		default:
			return ""
		}
	}
	return model.String() + ")\n"
}

// TestModelsOfSolvers lets every installed solver generate models of real benchmarks, which must be VALID, and mutates
// them. A dropped definition and a changed sort must be detected. A changed value must lead to the verdict that a
// solver reaches on the benchmark with the definitions inserted.
func TestModelsOfSolvers(t *testing.T) {
	step := 61
	if full() {
		step = 1
	}
	r := rand.New(rand.NewPCG(13, 14))
	tally := map[string]int{}
	for _, b := range satBenchmarks(t, step) {
		for _, solver := range []string{"z3", "cvc5", "cvc4", "boolector"} {
			if (solver == "z3" && !b.z3) || (solver != "z3" && !b.cvc5) ||
				(solver == "boolector" && b.logic != "QF_BV") ||
				(solver == "cvc4" && strings.Contains(b.logic, "FP")) {
				continue
			}
			tally[checkModelOf(t, r, b, solver)]++
		}
	}
	t.Logf("%v", tally)
	if tally["valid"] == 0 {
		t.Error("no model was validated")
	}
}

func checkModelOf(t *testing.T, r *rand.Rand, b satBenchmark, solver string) string {
	t.Helper()
	last := "(get-model)\n"
	if solver == "boolector" {
		last = ""
	}
	script := edit(t, b.text, last)
	out := solve(t, t.TempDir(), solver, script)
	if solver == "boolector" && strings.HasPrefix(out, "sat") {
		out = boolectorModel(t, b.text, out)
	}
	answer, rest := readAnswer([]byte(out))
	if answer != "sat" || onlyBlank([]byte(out[rest:])) {
		return "no model of " + solver
	}
	got := Check(context.Background(), []byte(b.text), []byte(out), Options{})
	switch {
	case got.Verdict == Valid:
	case got.Kind == Truncated: // cvc4 crashes while printing
		return "truncated"
	case got.Kind == Malformed && strings.Contains(out, "distinct-elems!"): // z3 leaks an auxiliary sort
		return "malformed"
	default:
		t.Errorf("%s, %s: %s %s", b.path, solver, got.Verdict, got.Reason)
		return "wrong"
	}
	if full() {
		confirm(t, b, out)
	}
	mutate(t, r, b, out)
	return "valid"
}

// confirm lets a solver decide the benchmark with a VALID model inserted.
func confirm(t *testing.T, b satBenchmark, response string) {
	t.Helper()
	script, err := Substituted([]byte(b.text), []byte(response))
	if err != nil {
		if !strings.Contains(err.Error(), "functions of a theory") && !strings.Contains(err.Error(), "is not written") {
			t.Errorf("%s: %v", b.path, err)
		}
		return
	}
	solver := "z3"
	if !b.z3 {
		solver = "cvc5"
	}
	if answer, _ := readAnswer([]byte(solve(t, t.TempDir(), solver, string(script)))); answer == "unsat" {
		t.Errorf("%s: we say VALID, %s says unsat", b.path, solver)
	}
}

// mutate changes a VALID model.
func mutate(t *testing.T, r *rand.Rand, b satBenchmark, response string) {
	t.Helper()
	_, rest := readAnswer([]byte(response))
	s, err := smtlib.Parse([]byte(b.text))
	if err != nil {
		t.Fatal(err)
	}
	m, err := s.ParseModel(blankAnswer([]byte(response), rest))
	if err != nil {
		t.Fatal(err)
	}
	var defined []smtlib.Command
	declared := map[string]bool{}
	for _, c := range s.Commands {
		if c.Kind == smtlib.CmdDeclareFun || c.Kind == smtlib.CmdDeclareConst {
			declared[s.Name(c.Sym)] = true
		}
	}
	for _, c := range m.Commands {
		if c.Kind == smtlib.CmdDefineFun && declared[m.Name(m.Functions(&c)[0].Sym)] {
			defined = append(defined, c)
		}
	}
	if len(defined) == 0 {
		return
	}
	c := defined[r.IntN(len(defined))]
	expect := func(what, text string, kinds ...Kind) {
		got := Check(context.Background(), []byte(b.text), []byte(text), Options{})
		for _, k := range kinds {
			if got.Verdict == Unknown && got.Kind == k {
				return
			}
		}
		t.Errorf("%s, %s: %s %s %s", b.path, what, got.Verdict, got.Kind, got.Reason)
	}
	expect("without a definition", response[:c.Pos]+response[c.Stop:], Missing)
	expect("defined twice", response[:c.Stop]+response[c.Pos:c.Stop]+response[c.Stop:], Duplicate)
	if !strings.Contains(response[c.Pos:c.Stop], "()") {
		return // a function
	}
	expect("with another sort", response[:c.Pos]+strings.Replace(response[c.Pos:c.Stop], "()", "((extra Bool))", 1)+
		response[c.Stop:], Malformed)
	for range 2 {
		mutateValue(t, r, b, response, m, defined)
	}
}

// mutateValue changes one literal in the model and compares our verdict with a solver's.
func mutateValue(t *testing.T, r *rand.Rand, b satBenchmark, response string, m *smtlib.Script,
	defined []smtlib.Command) {
	t.Helper()
	c := defined[r.IntN(len(defined))]
	body := int(m.Term(m.Functions(&c)[0].Body).Pos)
	from, to, changed := changeLiteral(r, response, body, int(c.Stop))
	if changed == "" {
		return
	}
	mutant := response[:from] + changed + response[to:]
	got := Check(context.Background(), []byte(b.text), []byte(mutant), Options{})
	script, err := Substituted([]byte(b.text), []byte(mutant))
	if err != nil {
		if got.Verdict != Unknown && !strings.Contains(err.Error(), "is not written") { // cvc4 omits sorts
			t.Errorf("%s: %s, but %v", b.path, got.Verdict, err)
		}
		return
	}
	solver := "z3"
	if !b.z3 {
		solver = "cvc5"
	}
	out := solve(t, t.TempDir(), solver, string(script))
	answer, _ := readAnswer([]byte(out))
	switch {
	case answer == "sat" && got.Verdict != Valid, answer == "unsat" && got.Verdict != Invalid:
		if got.Kind != OpenValue && got.Kind != Malformed {
			t.Errorf("%s with %q for %q: %s says %s, we say %s %s", b.path, changed, response[from:to], solver, answer,
				got.Verdict, got.Reason)
		}
	}
}

// changeLiteral picks a literal between two offsets, and another literal of the same sort. changed is empty if there is
// none.
func changeLiteral(r *rand.Rand, response string, from, to int) (start, end int, changed string) {
	lex := smtlib.NewLexer(response[from:to])
	var candidates []smtlib.Token
	skip := 0 // depth inside (_ ...) and (as ...)
	previous := smtlib.EOF
	for tok := lex.Next(); tok.Kind != smtlib.EOF; tok = lex.Next() {
		word := lex.Text(tok)
		switch {
		case skip > 0 && tok.Kind == smtlib.LParen:
			skip++
		case skip > 0 && tok.Kind == smtlib.RParen:
			skip--
		case skip > 0:
		case previous == smtlib.LParen && (word == "_" || word == "as"):
			skip = 1
		case tok.Kind == smtlib.Numeral, tok.Kind == smtlib.Hex, tok.Kind == smtlib.Binary, tok.Kind == smtlib.String,
			word == "true", word == "false":
			candidates = append(candidates, tok)
		}
		previous = tok.Kind
	}
	if len(candidates) == 0 {
		return 0, 0, ""
	}
	tok := candidates[r.IntN(len(candidates))]
	return from + int(tok.Start), from + int(tok.End), otherLiteral(r, lex.Text(tok), tok.Kind)
}

func otherLiteral(r *rand.Rand, text string, kind smtlib.TokenKind) string {
	switch {
	case text == "true":
		return "false"
	case text == "false":
		return "true"
	case kind == smtlib.Numeral:
		return text + "1"
	case kind == smtlib.String:
		return `"a` + text[1:]
	}
	i := 2 + r.IntN(len(text)-2)
	digit := byte('1')
	if text[i] == '1' {
		digit = '0'
	}
	return string(bytes.Join([][]byte{[]byte(text[:i]), {digit}, []byte(text[i+1:])}, nil))
}
