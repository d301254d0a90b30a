package model

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// full reports whether the long versions of the differential tests are enabled.
func full() bool { return os.Getenv("SMTPIPE_FULL") == "1" }

// generator generates random variable-free terms, as text.
type generator struct {
	*rand.Rand
	standard bool // use only the formats with 16, 32 and 64 bits
}

func (g generator) pick(options ...string) string { return options[g.IntN(len(options))] }

func app(f string, args ...string) string { return "(" + f + " " + strings.Join(args, " ") + ")" }

func (g generator) bv(w, depth int) string {
	if depth == 0 || g.IntN(8) == 0 {
		switch g.IntN(4) {
		case 0:
			return fmt.Sprintf("(_ bv%d %d)", g.IntN(min(4, 1<<min(w, 4))), w)
		case 1:
			return "#b1" + strings.Repeat("0", w-1)
		}
		b := []byte("#b")
		for range w {
			b = append(b, byte('0'+g.IntN(2)))
		}
		return string(b)
	}
	sub := func() string { return g.bv(w, depth-1) }
	switch g.IntN(10) {
	case 0:
		return app(g.pick("bvnot", "bvneg", fmt.Sprintf("(_ rotate_left %d)", g.IntN(2*w)),
			fmt.Sprintf("(_ rotate_right %d)", g.IntN(2*w))), sub())
	case 1:
		if w > 1 {
			k := 1 + g.IntN(w-1)
			return app("concat", g.bv(k, depth-1), g.bv(w-k, depth-1))
		}
	case 2:
		lo, more := g.IntN(5), g.IntN(5)
		return app(fmt.Sprintf("(_ extract %d %d)", lo+w-1, lo), g.bv(w+lo+more, depth-1))
	case 3:
		if w > 1 {
			k := 1 + g.IntN(w-1)
			return app(fmt.Sprintf("(_ %s %d)", g.pick("zero_extend", "sign_extend"), k), g.bv(w-k, depth-1))
		}
	case 4:
		return app("ite", g.bvBool(w, depth-1), sub(), sub())
	case 5:
		if w == 1 {
			return app("bvcomp", g.bv(7, depth-1), g.bv(7, depth-1))
		}
	}
	return app(g.pick("bvand", "bvor", "bvxor", "bvnand", "bvnor", "bvxnor", "bvadd", "bvsub", "bvmul", "bvudiv",
		"bvurem",
		"bvsdiv", "bvsrem", "bvsmod", "bvshl", "bvlshr", "bvashr"), sub(), sub())
}

func (g generator) bvBool(w, depth int) string {
	return app(g.pick("bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge", "="), g.bv(w, depth),
		g.bv(w, depth))
}

func (g generator) mode() string { return g.pick("RNE", "RNA", "RTP", "RTN", "RTZ") }

// format returns random numbers of exponent and significand bits.
func (g generator) format() [2]int {
	if g.standard {
		return [][2]int{{5, 11}, {8, 24}, {11, 53}}[g.IntN(3)]
	}
	return [2]int{3 + g.IntN(9), 2 + g.IntN(50)}
}

// fp generates floating-point terms without open values.
func (g generator) fp(eb, sb, depth int) string {
	if depth == 0 {
		switch g.IntN(9) {
		case 0:
			return fmt.Sprintf("(_ %s %d %d)", g.pick("+oo", "-oo", "NaN", "+zero", "-zero"), eb, sb)
		case 1: // the smallest or largest subnormal number
			return fmt.Sprintf("(fp #b%d #b%s #b%s1)", g.IntN(2), strings.Repeat("0", eb),
				strings.Repeat(g.pick("0", "1"), sb-2))
		case 2: // the largest number
			return fmt.Sprintf("(fp #b%d #b%s0 #b%s)", g.IntN(2), strings.Repeat("1", eb-1), strings.Repeat("1", sb-1))
		}
		return fmt.Sprintf("(fp %s %s %s)", g.bv(1, 0), g.bv(eb, 0), g.bv(sb-1, 0))
	}
	sub := func() string { return g.fp(eb, sb, depth-1) }
	to := fmt.Sprintf("(_ to_fp %d %d)", eb, sb)
	switch g.IntN(14) {
	case 0:
		return app(g.pick("fp.abs", "fp.neg"), sub())
	case 1:
		return app(g.pick("fp.sqrt", "fp.roundToIntegral"), g.mode(), sub())
	case 2:
		return app("fp.rem", sub(), sub())
	case 3, 4:
		return app("fp.fma", g.mode(), sub(), sub(), sub())
	case 5:
		other := g.format()
		return app(to, g.mode(), g.fp(other[0], other[1], depth-1))
	case 6:
		return app(to, g.mode(), g.bv(1+g.IntN(40), depth-1))
	case 7:
		return app(fmt.Sprintf("(_ to_fp_unsigned %d %d)", eb, sb), g.mode(), g.bv(1+g.IntN(40), depth-1))
	case 8:
		return app(to, g.mode(), fmt.Sprintf("%d.%d", g.IntN(100), g.IntN(1000000)))
	case 9:
		return app("ite", app(g.pick("fp.lt", "fp.leq", "fp.gt", "fp.geq", "fp.eq", "="), sub(), sub()), sub(), sub())
	}
	return app(g.pick("fp.add", "fp.sub", "fp.mul", "fp.div"), g.mode(), sub(), sub())
}

func (g generator) fpBool(eb, sb, depth int) string {
	return app(g.pick("fp.isNormal", "fp.isSubnormal", "fp.isZero", "fp.isInfinite", "fp.isNaN", "fp.isNegative",
		"fp.isPositive"),
		g.fp(eb, sb, depth))
}

func (g generator) integer(depth int) string {
	if depth == 0 {
		return g.pick("0", "1", "2", "7", "(- 3)", "10", "(- 1)", "9223372036854775807", "(- 9223372036854775808)",
			"123456789012345678901234567890")
	}
	sub := func() string { return g.integer(depth - 1) }
	switch g.IntN(8) {
	case 0:
		return app("abs", sub())
	case 1:
		return app("to_int", g.real(depth-1))
	case 2:
		return app(g.pick("div", "mod"), sub(), g.pick("3", "(- 3)", "7", "(- 1)", "100000000000000000000"))
	case 3:
		return app("ite", app(g.pick("<", "<=", ">", ">="), sub(), sub()), sub(), sub())
	case 4:
		return app("-", sub())
	}
	return app(g.pick("+", "-", "*"), sub(), sub())
}

func (g generator) real(depth int) string {
	if depth == 0 {
		return g.pick("0.0", "1.5", "(- 2.25)", "(/ 1.0 3.0)", "(- (/ 7.0 5.0))", "100.0", "0.001")
	}
	sub := func() string { return g.real(depth - 1) }
	switch g.IntN(6) {
	case 0:
		return app("/", sub(), g.pick("3.0", "(- 0.5)", "(/ 7.0 11.0)"))
	case 1:
		return app("to_real", g.integer(depth-1))
	case 2:
		return app("ite", app("is_int", sub()), sub(), sub())
	}
	return app(g.pick("+", "-", "*"), sub(), sub())
}

func (g generator) string(depth int) string {
	if depth == 0 {
		return g.pick(`""`, `"a"`, `"b"`, `"ab"`, `"aab"`, `"0"`, `"12"`, `"abab"`, `"\u{41}"`, `"ba"`)
	}
	sub := func() string { return g.string(depth - 1) }
	num := func() string { return g.small(depth - 1) }
	switch g.IntN(9) {
	case 0:
		return app("str.at", sub(), num())
	case 1, 2:
		return app("str.substr", sub(), num(), num())
	case 3:
		return app("str.replace", sub(), sub(), sub())
	case 4:
		return app("str.replace_all", sub(), sub(), sub())
	case 5:
		return app("str.from_int", num())
	case 6:
		return app("ite", g.stringBool(depth-1), sub(), sub())
	}
	return app("str.++", sub(), sub())
}

// small generates small integers, such as positions and lengths.
func (g generator) small(depth int) string {
	if depth == 0 {
		return g.pick("0", "1", "2", "3", "(- 1)", "5")
	}
	switch g.IntN(5) {
	case 0:
		return app("str.len", g.string(depth-1))
	case 1:
		return app("str.indexof", g.string(depth-1), g.string(depth-1), g.small(depth-1))
	case 2:
		return app(g.pick("str.to_int", "str.to_code"), g.string(depth-1))
	}
	return app(g.pick("+", "-"), g.small(depth-1), g.small(depth-1))
}

func (g generator) stringBool(depth int) string {
	switch g.IntN(4) {
	case 0:
		return app("str.is_digit", g.string(depth))
	case 1:
		return app("str.in_re", g.string(depth), g.re(depth))
	}
	return app(g.pick("str.prefixof", "str.suffixof", "str.contains", "str.<=", "str.<", "="), g.string(depth),
		g.string(depth))
}

func (g generator) re(depth int) string {
	if depth <= 0 {
		return g.pick(`(str.to_re "a")`, `(str.to_re "ab")`, `(re.range "a" "b")`, "re.allchar", "re.all", "re.none",
			`(str.to_re "")`)
	}
	sub := func() string { return g.re(depth - 1) }
	switch g.IntN(8) {
	case 0:
		return app("re.comp", sub())
	case 1:
		return app(g.pick("re.*", "re.+", "re.opt"), sub())
	case 2:
		return app(fmt.Sprintf("(_ re.loop %d %d)", g.IntN(3), g.IntN(4)), sub())
	case 3:
		return app(g.pick("re.inter", "re.diff"), sub(), sub())
	}
	return app(g.pick("re.++", "re.union"), sub(), sub())
}

// array generates arrays from three bits, or from integers, to bits.
func (g generator) array(index string, depth int) string {
	if depth == 0 {
		return fmt.Sprintf("((as const (Array %s (_ BitVec 2))) %s)", index, g.bv(2, 0))
	}
	return app("store", g.array(index, depth-1), g.index(index), g.bv(2, 1))
}

func (g generator) index(sort string) string {
	if sort == "Int" {
		return g.integer(1)
	}
	return g.bv(1, 1)
}

func (g generator) arrayBool(depth int) string {
	index := g.pick("Int", "(_ BitVec 1)")
	return app("=", g.array(index, g.IntN(depth+1)), g.array(index, g.IntN(depth+1)))
}

// TestRandomTerms compares our values of random terms with those of z3 and cvc5.
func TestRandomTerms(t *testing.T) {
	widths := []int{1, 2, 3, 8, 13, 63, 64, 65, 100}
	for _, row := range []struct {
		name    string
		cvc5Too bool
		make    func(g generator) string
	}{
		{"bit-vectors", true, func(g generator) string { return g.bv(widths[g.IntN(len(widths))], 1+g.IntN(4)) }},
		{"bit-vector predicates", true, func(g generator) string {
			return g.bvBool(widths[g.IntN(len(widths))], 1+
				g.IntN(3))
		}},
		{"floating point", true, func(g generator) string {
			g.standard = true
			f := g.format()
			return g.fp(f[0], f[1],
				1+g.IntN(3))
		}},
		// cvc5 1.0.3 is excluded, because it overflows wrongly in conversions to formats with few exponent bits for
		// their significand, and computes wrong subnormal numbers if EB is 2.
		{"floating point of any format", false, func(g generator) string {
			f := g.format()
			return g.fp(f[0], f[1], 1+
				g.IntN(3))
		}},
		{"floating point with two exponent bits", false, func(g generator) string {
			return g.fp(2, 2+g.IntN(4), 1+
				g.IntN(2))
		}},
		{"floating-point predicates", true,
			func(g generator) string { g.standard = true; f := g.format(); return g.fpBool(f[0], f[1], 1+g.IntN(3)) }},
		{"integers", true, func(g generator) string { return g.integer(1 + g.IntN(4)) }},
		{"reals", true, func(g generator) string { return g.real(1 + g.IntN(4)) }},
		{"strings", true, func(g generator) string { return g.string(1 + g.IntN(3)) }},
		{"string predicates", true, func(g generator) string { return g.stringBool(1 + g.IntN(3)) }},
		{"arrays", true, func(g generator) string { return g.arrayBool(5) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			n := 120
			if full() {
				n = 4000
			}
			g := generator{Rand: rand.New(rand.NewPCG(11, uint64(len(row.name))))}
			terms := make([]string, n)
			for i := range terms {
				terms[i] = row.make(g)
			}
			compareValues(t, terms, "z3", "-in", "-smt2")
			if row.cvc5Too {
				compareValues(t, terms, "cvc5", "--fp-exp", "--strings-exp", "--produce-models", "--lang=smt2", "-q")
			}
		})
	}
}

// compareValues compares with a solver's values of the terms. It skips terms that the solver does not evaluate.
func compareValues(t *testing.T, terms []string, solver string, args ...string) {
	t.Helper()
	answers := askValues(t, terms, testkit.Program(t, solver), args...)
	compared := 0
	for i, x := range terms {
		val, ok := lastValue(strings.Trim(answers[i], "\" \n"))
		if !ok || solverIsWrong(solver, x) {
			continue
		}
		r := Check(context.Background(), []byte("(assert (= "+x+" "+val+"))(check-sat)"), []byte("sat ()"), Options{})
		switch {
		case r.Kind == OpenValue:
		case r.Verdict == Valid:
			compared++
		default:
			t.Errorf("%s gives %s for %s: %s", solver, val, x, r.Reason)
		}
	}
	t.Logf("%s: %d of %d values compared", solver, compared, len(terms))
	if compared < len(terms)/3 {
		t.Errorf("only %d of %d values of %s could be compared: %.300s", compared, len(terms), solver, answers[0])
	}
}

// solverIsWrong reports known errors of Debian's z3 4.8.12 and cvc5 1.0.3. For cvc5: zero repetitions of re.all. For
// z3: fma of subnormal numbers (cvc5 and the exhaustive test of package fp agree with us), ties of roundToIntegral
// between 0 and 1 if EB is 2, and equality of arrays in which stores exhaust the index sort.
func solverIsWrong(solver, x string) bool {
	twoExponentBits := strings.Contains(x, "(_ bv0 2)") || strings.Contains(x, " #b00 ") ||
		strings.Contains(x, "(_ to_fp 2 ") || strings.Contains(x, "(_ to_fp_unsigned 2 ")
	if solver == "cvc5" {
		return strings.Contains(x, "(_ re.loop 0 0)")
	}
	return solver == "z3" && (strings.Contains(x, "fp.fma") || strings.Contains(x, "(Array (_ BitVec 1)") ||
		twoExponentBits && strings.Contains(x, "fp.roundToIntegral"))
}

// askValues returns a solver's answers to get-value for the terms. A term on which the solver crashes has no answer.
func askValues(t *testing.T, terms []string, program string, args ...string) []string {
	t.Helper()
	answers := make([]string, 0, len(terms))
	for len(answers) < len(terms) {
		var in strings.Builder
		in.WriteString("(set-option :produce-models true)(set-logic ALL)(check-sat)\n")
		for _, x := range terms[len(answers):] {
			fmt.Fprintf(&in, "(get-value (%s))\n(echo \"---\")\n", x)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Stdin = strings.NewReader(in.String())
		out, _ := cmd.Output() // errors about single terms also set the exit code
		cancel()
		got := strings.Split(strings.TrimPrefix(string(bytes.TrimSpace(out)), "sat"), "---")
		answers = append(answers, got[:len(got)-1]...)
		if len(answers) < len(terms) {
			answers = append(answers, "")
		}
	}
	return answers
}

// lastValue extracts v from ((t v)). ok is false if v is not a value but a term that the solver returned unchanged.
func lastValue(answer string) (string, bool) {
	if !strings.HasPrefix(answer, "((") || !strings.HasSuffix(answer, "))") {
		return "", false
	}
	inner := answer[2 : len(answer)-2]
	lex := smtlib.NewLexer(inner)
	depth, start := 0, 0
	for tok := lex.Next(); tok.Kind != smtlib.EOF; tok = lex.Next() {
		if depth == 0 {
			start = int(tok.Start)
		}
		switch tok.Kind {
		case smtlib.LParen:
			depth++
		case smtlib.RParen:
			depth--
		}
	}
	for _, open := range []string{"fp.", "str.", "re.", "select", "bvudiv", "(ite", "to_ubv"} {
		if strings.Contains(inner[start:], open) {
			return "", false
		}
	}
	return inner[start:], start > 0
}
