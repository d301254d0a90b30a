package rowexpr

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// generator writes random expressions of a requested type. It reads its choices from bytes, so that the fuzzer can
// steer it.
type generator struct {
	data []byte
	pos  int
}

func (g *generator) draw(n int) int {
	if g.pos >= len(g.data) {
		return 0
	}
	g.pos++
	return int(g.data[g.pos-1]) % n
}

func (g *generator) pick(options ...string) string { return options[g.draw(len(options))] }

func (g *generator) number(depth int) string {
	if depth == 0 {
		return g.pick("n", "b.asserts", "b.size", "h.runs", "h.max_cpu_s", "0", "1", "0.1", "3", "1e18",
			"9007199254740993", "0.5", "1e-320", "-1", "local.limit", "100.25")
	}
	d := depth - 1
	switch g.draw(10) {
	case 0:
		return "(" + g.number(d) + " + " + g.number(d) + ")"
	case 1:
		return "(" + g.number(d) + " - " + g.number(d) + ")"
	case 2:
		return "(" + g.number(d) + " * " + g.number(d) + ")"
	case 3:
		return "(" + g.number(d) + " / " + g.number(d) + ")"
	case 4:
		return "(" + g.number(d) + " % " + g.number(d) + ")"
	case 5:
		return g.pick("floor", "ceil", "abs", "twice", "-") + "(" + g.number(d) + ")"
	case 6:
		return g.pick("min", "max") + "(" + g.number(d) + ", " + g.number(d) + ")"
	case 7:
		return "(" + g.bool(d) + " ? " + g.number(d) + " : " + g.pick("null", g.number(d), g.number(d)) + ")"
	case 8:
		return "strlen(" + g.string(d) + ")"
	default:
		return g.number(0)
	}
}

func (g *generator) string(depth int) string {
	if depth == 0 {
		return g.pick("b.path", "b.logic", "b.family", `"x"`, `""`, `"QF_BV"`, `"e\u0301"`)
	}
	d := depth - 1
	switch g.draw(8) {
	case 0:
		return g.pick("lower", "upper") + "(" + g.string(d) + ")"
	case 1:
		return `"${` + g.string(d) + `}/${` + g.pick(g.string(d), g.number(d), g.bool(d)) + `}"`
	case 2:
		return "(" + g.bool(d) + " ? " + g.string(d) + " : " + g.pick("null", g.string(d)) + ")"
	case 3:
		return "substr(" + g.string(d) + ", 0, " + g.number(d) + ")"
	case 4:
		return `try(b.tags[` + g.number(0) + `], "none")`
	case 5:
		return `join(",", [for t in try(b.tags, []) : t if t != ` + g.string(d) + `])`
	default:
		return g.string(0)
	}
}

func (g *generator) bool(depth int) string {
	if depth == 0 {
		return g.pick("b.new", "h.all_solved", "true", "false")
	}
	d := depth - 1
	switch g.draw(11) {
	case 0, 1:
		return "(" + g.number(d) + g.pick(" < ", " <= ", " > ", " >= ", " == ", " != ") + g.number(d) + ")"
	case 2:
		return "(" + g.bool(d) + g.pick(" && ", " || ") + g.bool(d) + ")"
	case 3:
		return "!(" + g.bool(d) + ")"
	case 4:
		return "(" + g.string(d) + g.pick(" == ", " != ") + g.string(d) + ")"
	case 5:
		return "contains(" + g.pick(`["x", "QF_BV"]`, "local.removed", "b.tags", "[]") + ", " + g.string(d) + ")"
	case 6:
		return "(" + g.pick(g.number(d), g.string(d), g.bool(d), "b.tags") + g.pick(" == ", " != ") + "null)"
	case 7:
		return "easy(h, " + g.number(d) + ")"
	case 8:
		return "(" + g.bool(d) + " ? " + g.bool(d) + " : " + g.bool(d) + ")"
	case 9:
		return "can(" + g.pick(g.number(d), g.string(d)) + ")"
	default:
		return g.bool(0)
	}
}

// fuzzFrame returns random rows. Many of their values are at the limits of int64 and float64.
func fuzzFrame(seed uint64, n int) *table.Frame {
	r := rand.New(rand.NewPCG(seed, 1))
	ints := []int64{0, 1, -1, 2, 3, 300, 601, 1 << 53, 1<<53 + 1, math.MaxInt64, math.MinInt64, 1e18, 7}
	floats := []float64{0, 0.1, 0.5, 1, 1.5, -2.25, 1e300, -1e300, 1e-300, 5e-324, math.Inf(1), math.Inf(-1), 1 << 53,
		0.3, 100.25, math.NaN(), 1 / 3.0}
	texts := []string{"", "x", "QF_BV", "LIA", "p1", "é", "e\u0301", "\u0301", "日本", "a/b"}
	f := table.NewFrame(n)
	column := func() ([]int64, []float64, []string, []bool, [][]string, []bool) {
		i, fl, s, b, l, null := make([]int64, n), make([]float64, n), make([]string, n), make([]bool, n),
			make([][]string, n), make([]bool, n)
		for k := range n {
			i[k], fl[k], s[k], b[k] = ints[r.IntN(len(ints))], floats[r.IntN(len(floats))], texts[r.IntN(len(texts))],
				r.IntN(2) == 0
			null[k] = r.IntN(6) == 0
			for range r.IntN(3) {
				l[k] = append(l[k], texts[r.IntN(len(texts)-4)])
			}
		}
		return i, fl, s, b, l, null
	}
	for _, name := range []string{"b.path", "b.logic", "b.family"} {
		_, _, s, _, _, null := column()
		if name == "b.path" {
			null = nil
		}
		f.Strings(name, s, null)
	}
	for _, name := range []string{"n", "b.asserts", "h.runs"} {
		i, _, _, _, _, null := column()
		if name == "n" {
			null = nil
		}
		f.Ints(name, i, null)
	}
	for _, name := range []string{"b.size", "h.max_cpu_s"} {
		_, fl, _, _, _, null := column()
		f.Floats(name, fl, null)
	}
	_, _, _, b1, l, null := column()
	f.Bools("b.new", b1, nil)
	f.StringLists("b.tags", l, null)
	_, _, _, b2, _, null2 := column()
	f.Bools("h.all_solved", b2, null2)
	return f
}

// fuzzColumns lists fuzzFrame's columns.
var fuzzColumns = []string{"b.path", "b.logic", "b.family", "n", "b.asserts", "h.runs", "b.size", "h.max_cpu_s",
	"b.new", "b.tags", "h.all_solved"}

// rowOnly returns a frame with a single row of another frame.
func rowOnly(f *table.Frame, row int) *table.Frame {
	one := table.NewFrame(1)
	for _, name := range fuzzColumns {
		c, _ := f.Column(name)
		one.Set(name, c.Where([]int32{int32(row)}))
	}
	return one
}

// cellOf returns a cell of a frame.
func cellOf(f *table.Frame, name string, row int) cty.Value {
	c, _ := f.Column(name)
	v := vecOf(c)
	return v.value(row)
}

// evaluate returns all rows' results as text, or the error.
func evaluate(e *Expr, f *table.Frame) ([]string, error) {
	var cells []string
	var null []bool
	var err error
	switch e.Type() {
	case cty.Bool:
		var v []bool
		v, err = e.Bools(context.Background(), f)
		for _, x := range v {
			cells = append(cells, fmt.Sprint(x))
		}
	case cty.String:
		var v []string
		v, null, err = e.Strings(context.Background(), f)
		for _, x := range v {
			cells = append(cells, fmt.Sprintf("%q", x))
		}
	default:
		var v []float64
		v, null, err = e.Numbers(context.Background(), f)
		for _, x := range v {
			cells = append(cells, fmt.Sprint(x+0)) // -0 equals 0
		}
	}
	for i, is := range null {
		if is {
			cells[i] = "null"
		}
	}
	return cells, err
}

// byHCL returns HCL's result for a row, in evaluate's format. It shares no code with the compiled path except the
// cells.
func byHCL(t *testing.T, src hclsyntax.Expression, typ cty.Type, f *table.Frame, row int) (string, bool) {
	t.Helper()
	ctx := testOuter().NewChild()
	ctx.Variables = map[string]cty.Value{"n": cellOf(f, "n", row)}
	for name, rec := range map[string]*Record{"b": benchmarks, "h": history} {
		attrs := map[string]cty.Value{}
		for _, field := range rec.Fields {
			attrs[field.Name] = cellOf(f, name+"."+field.Name, row)
		}
		ctx.Variables[name] = cty.ObjectVal(attrs)
	}
	v, diags := src.Value(ctx)
	if diags.HasErrors() || !v.IsKnown() {
		return "", false
	}
	switch {
	case v.IsNull():
		return "null", typ != cty.Bool
	case typ == cty.Bool:
		return fmt.Sprint(v.True()), true
	case typ == cty.String:
		return fmt.Sprintf("%q", v.AsString()), true
	}
	x, _ := v.AsBigFloat().Float64()
	return fmt.Sprint(x + 0), !math.IsInf(x, 0)
}

// checkAgainstHCL compares every row, both alone and together with the others.
func checkAgainstHCL(t *testing.T, text string, want cty.Type, f *table.Frame) (compiled bool) {
	t.Helper()
	src, diags := hclsyntax.ParseExpression([]byte(text), "fuzz.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("the generator wrote %s: %v", text, diags)
	}
	e, diags := Compile(src, testScope(t), testOuter(), want)
	if diags.HasErrors() {
		return false
	}
	cells, err := evaluate(e, f)
	firstBad := -1
	for row := range f.Len() {
		wantCell, ok := byHCL(t, src, want, f, row)
		if !ok && firstBad < 0 {
			firstBad = row
		}
		alone, aloneErr := evaluate(e, rowOnly(f, row))
		if (aloneErr == nil) != ok || (ok && alone[0] != wantCell) {
			t.Fatalf("%s\ncompiled as %s\nrow %d alone: got %v, %v; HCL says %s, %v", text, e.Canonical(), row, alone,
				aloneErr, wantCell, ok)
		}
		if ok && err == nil && cells[row] != wantCell {
			t.Fatalf("%s\nrow %d: got %s, HCL says %s", text, row, cells[row], wantCell)
		}
	}
	if (firstBad < 0) != (err == nil) {
		t.Fatalf("%s\nerror %v, first bad row of HCL %d", text, err, firstBad)
	}
	var rowErr *RowError
	if err != nil && (!errors.As(err, &rowErr) || rowErr.Row < firstBad) {
		t.Fatalf("%s\nerror %v, first bad row of HCL %d", text, err, firstBad)
	}
	return isCompiled(e)
}

func generate(data []byte) (string, cty.Type) {
	g := &generator{data: data}
	depth := 1 + g.draw(4)
	switch g.draw(3) {
	case 0:
		return g.number(depth), cty.Number
	case 1:
		return g.string(depth), cty.String
	}
	return g.bool(depth), cty.Bool
}

// FuzzAgainstHCL compares the compiled evaluation with HCL's.
func FuzzAgainstHCL(f *testing.F) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		data := make([]byte, 40)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		f.Add(data, seed)
	}
	f.Fuzz(func(t *testing.T, data []byte, seed uint64) {
		text, want := generate(data)
		checkAgainstHCL(t, text, want, fuzzFrame(seed, 20))
	})
}

// TestAgainstHCL runs a fixed part of the fuzz test, sometimes with enough rows for more than one batch.
func TestAgainstHCL(t *testing.T) {
	const expressions = 600
	compiled := 0
	for i := range uint64(expressions) {
		r := rand.New(rand.NewPCG(i, 3))
		data := make([]byte, 60)
		for k := range data {
			data[k] = byte(r.Uint32())
		}
		text, want := generate(data)
		rows := 24
		if i%150 == 0 {
			rows = batch + 100
		}
		if checkAgainstHCL(t, text, want, fuzzFrame(i, rows)) {
			compiled++
		}
	}
	if compiled < expressions/3 {
		t.Errorf("only %d of %d expressions were compiled, so the test says little", compiled, expressions)
	}
	t.Logf("%d of %d expressions compiled", compiled, expressions)
}
