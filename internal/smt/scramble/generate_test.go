package scramble

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
)

// TestLayout checks on generated scripts that white space and comments do not affect the output.
func TestLayout(t *testing.T) {
	for i := range 300 {
		g := newScriptGenerator(uint64(i))
		g.script()
		opt := g.options()
		plain, err := Append(nil, []byte(strings.Join(g.tokens, " ")), opt)
		if err != nil {
			t.Fatalf("script %d: %v\n%q", i, err, g.tokens)
		}
		src := g.text()
		if got, err := Append(nil, src, opt); err != nil || !bytes.Equal(got, plain) {
			t.Fatalf("script %d with comments:\n got %q, %v\nwant %q\nfrom %q", i, got, err, plain, src)
		}
	}
}

// TestOfficialGenerated compares with a copy of the official program, if SMTPIPE_OFFICIAL_SCRAMBLER names one, on
// generated scripts, half of them damaged.
func TestOfficialGenerated(t *testing.T) {
	program := os.Getenv("SMTPIPE_OFFICIAL_SCRAMBLER")
	if program == "" {
		t.Skip("SMTPIPE_OFFICIAL_SCRAMBLER is not set: no copy of the official scrambler to compare with")
	}
	for i := range 1000 {
		g := newScriptGenerator(uint64(i))
		g.script()
		opt := g.options()
		src := g.text()
		for damages := i % 2 * (1 + g.IntN(3)); damages > 0; damages-- {
			src = g.damage(src)
		}
		compareOfficial(t, program, "script "+strconv.Itoa(i), src, opt)
	}
}

// scriptGenerator generates scripts in the official program's grammar, ignoring sorts.
type scriptGenerator struct {
	*rand.Rand
	tokens []string
	names  []string // names declared so far
}

func newScriptGenerator(seed uint64) *scriptGenerator {
	return &scriptGenerator{Rand: rand.New(rand.NewPCG(seed, 0)), names: []string{"a", "|b|", "U"}}
}

var (
	generatedNames = strings.Fields("a b c f |a| |b| |and| |12| x1 |x1| U V 1a .5 a-long-name-of-a-function " +
		"|a-long-name-of-a-function| || |exit| Int")
	generatedHeads = strings.Fields("and or xor distinct = + * < <= > >= - not bvadd bvand bvmul bvult bvsle bvsgt " +
		"fp.eq fp.lt fp.geq f g |and| |<|")
	generatedLogics = strings.Fields("QF_BV QF_LIA QF_LRA QF_IDL QF_RDL UF QF_BVFP ALL AUFLIRA |QF_LIA|")
	constants       = []string{"0", "12", "007", "1.50", "#xAf", "#b10", `""`, `"a "" ( ; |"`, "\"x\ny\"",
		"123456789012345678"}
	layouts = []string{" ", " ", " ", "\n", "\t", "\r\n", ";\n", "; a ) ( | \" #\n", " ;;\n ;\n"}
	strays  = []string{"(", ")", "\"", "|", ";", "#", "[", "\xc3\xa9", ":", "!", "_", "as", "let", "exit",
		":named", "1", "a", " "}
)

func (g *scriptGenerator) pick(from []string) string { return from[g.IntN(len(from))] }

func (g *scriptGenerator) add(tokens ...string) { g.tokens = append(g.tokens, tokens...) }

func (g *scriptGenerator) name() string {
	if g.IntN(3) == 0 {
		return g.pick(generatedNames)
	}
	return g.pick(g.names)
}

func (g *scriptGenerator) declared() string {
	g.names = append(g.names, g.name())
	return g.names[len(g.names)-1]
}

// list adds a list of least to least+2 elements.
func (g *scriptGenerator) list(least int, element func()) {
	g.add("(")
	for range least + g.IntN(3) {
		element()
	}
	g.add(")")
}

func (g *scriptGenerator) identifier(names []string) {
	switch g.IntN(12) {
	case 0:
		g.add("(", "_", g.pick(names), g.pick([]string{"1", "a", "|b|"}), ")")
	case 1:
		g.add("(", "as", g.pick(names))
		g.sort()
		g.add(")")
	default:
		g.add(g.pick(names))
	}
}

func (g *scriptGenerator) sort() {
	if g.IntN(5) == 0 {
		g.add("(", g.name(), g.name(), g.name(), ")")
		return
	}
	g.add(g.name())
}

func (g *scriptGenerator) variable() {
	g.add("(", g.declared())
	g.sort()
	g.add(")")
}

func (g *scriptGenerator) term(depth int) {
	next := func() { g.term(depth - 1) }
	if depth == 0 {
		g.leaf()
		return
	}
	g.add("(")
	switch g.IntN(9) {
	case 0:
		g.add("let")
		g.list(1, func() { g.add("(", g.declared()); next(); g.add(")") })
		next()
	case 1:
		g.add(g.pick([]string{"forall", "exists"}))
		g.list(1, g.variable)
		next()
	case 2:
		g.add("match")
		next()
		g.list(1, func() { g.add("(", "(", g.declared(), g.declared(), ")"); next(); g.add(")") })
	case 3:
		g.add("!")
		next()
		g.add(g.pick([]string{":named", ":qid"}), g.name(), ":pattern")
		g.list(1, next)
	default:
		g.identifier(append(generatedHeads, g.names...))
		for range 1 + g.IntN(4) {
			g.term(g.IntN(depth))
		}
	}
	g.add(")")
}

func (g *scriptGenerator) leaf() {
	if g.IntN(3) == 0 {
		g.add(g.pick(constants))
		return
	}
	g.identifier(g.names)
}

func (g *scriptGenerator) command() {
	switch g.IntN(8) {
	case 0:
		g.add("declare-fun", g.declared())
		g.list(0, g.sort)
		g.sort()
	case 1:
		g.add("define-fun", g.declared())
		g.list(0, g.variable)
		g.sort()
		g.term(2)
	case 2:
		g.add("declare-datatype", g.declared())
		g.list(1, func() { g.add("(", g.declared()); g.variable(); g.add(")") })
	case 3:
		g.add(g.pick([]string{"push", "pop"}), g.pick([]string{"0", "1", "2"}))
	case 4:
		g.add(g.pick([]string{"check-sat", "exit", "get-unsat-core"}))
	default:
		g.add("assert")
		g.term(1 + g.IntN(4))
	}
}

func (g *scriptGenerator) script() {
	g.add("(", "set-logic", g.pick(generatedLogics), ")")
	for range 1 + g.IntN(12) {
		g.add("(")
		g.command()
		g.add(")")
	}
}

func (g *scriptGenerator) options() Options {
	seed := []int64{0, 1, 2026, MaxSeed, g.Int64N(MaxSeed)}[g.IntN(5)]
	return Options{Seed: seed, Annotations: Annotations(g.IntN(3)), UnsatCores: g.IntN(2) == 0, Models: g.IntN(2) == 0,
		Z3: true}
}

// text returns the tokens, separated by white space and comments.
func (g *scriptGenerator) text() []byte {
	var b []byte
	for _, token := range g.tokens {
		b = append(append(b, token...), g.pick(layouts)...)
	}
	return b
}

// damage removes part of a script or inserts stray text.
func (g *scriptGenerator) damage(src []byte) []byte {
	at := g.IntN(len(src) + 1)
	if g.IntN(2) == 0 {
		return append(src[:at:at], src[min(len(src), at+g.IntN(20)):]...)
	}
	return append(src[:at:at], g.pick(strays)+string(src[at:])...)
}
