package score

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
)

// program is a compiled benchmark score or view: definitions, then results, all for one run.
type program struct {
	lets []compiledLet
	uses []string // columns that the definitions and results read, excluding the definitions themselves

	err, solved, timeout, memout, where *rowexpr.Expr // booleans
	count, points                       *rowexpr.Expr // numbers
	claim                               *rowexpr.Expr // strings
	wall, cpu, actualWall, actualCPU    *rowexpr.Expr // times in picoseconds
}

// compiledLet is a named value of a run.
type compiledLet struct {
	name string
	expr *rowexpr.Expr
}

// compiler compiles one score's or view's expressions under given readings.
type compiler struct {
	scope  rowexpr.Scope
	outer  *hcl.EvalContext
	times  []string // columns that hold times
	lets   []compiledLet
	diags  hcl.Diagnostics
	strict bool     // whether to check also the parts that readings exclude
	failed []string // names of definitions with an error
}

func newCompiler(rs *RuleSet, rd Readings, parallel bool) *compiler {
	c := &compiler{scope: rowexpr.Scope{Vars: rowVars(parallel), Natives: textTests}, outer: rs.outer(rd),
		times: timeColumns}
	if parallel {
		c.times = slices.Concat(timeColumns, parallelTimeColumns)
	}
	for _, name := range c.times {
		c.scope.Vars = append(c.scope.Vars, rowexpr.Var{Name: picoseconds(name), Type: cty.Number})
	}
	return c
}

// define compiles definitions; each can use earlier ones.
func (c *compiler) define(defs []Definition) {
	for _, d := range defs {
		expr := c.expr(d.Expr, cty.DynamicPseudoType)
		if expr == nil {
			c.failed = append(c.failed, d.Name)
			continue
		}
		c.lets = append(c.lets, compiledLet{name: d.Name, expr: expr})
		c.addVar(rowexpr.Var{Name: d.Name, Type: expr.Type()})
	}
}

func (c *compiler) addVar(v rowexpr.Var) { c.scope.Vars = append(slices.Clone(c.scope.Vars), v) }

func (c *compiler) expr(e hcl.Expression, want cty.Type) *rowexpr.Expr {
	if e == nil || c.onFailed(e) || !c.checked(e, want) {
		return nil
	}
	out, diags := c.row(e, want)
	c.diags = append(c.diags, diags...)
	if diags.HasErrors() {
		return nil
	}
	return out
}

// onFailed reports whether an expression refers to a definition with an error, which is reported only once.
func (c *compiler) onFailed(e hcl.Expression) bool {
	return slices.ContainsFunc(e.Variables(), func(v hcl.Traversal) bool {
		return slices.Contains(c.failed, v.RootName())
	})
}

// checked type-checks an expression as written, to find mistakes even in branches that no reading takes.
func (c *compiler) checked(e hcl.Expression, want cty.Type) bool {
	if !c.strict {
		return true
	}
	if diags := c.names(e); diags.HasErrors() {
		c.diags = append(c.diags, diags...)
		return false
	}
	_, diags := rowexpr.Compile(e, c.scope, c.outer, want)
	c.diags = append(c.diags, diags...)
	return !diags.HasErrors()
}

// names reports readings and practice switches that do not exist in the rule set.
func (c *compiler) names(e hcl.Expression) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, v := range e.Variables() {
		if root := v.RootName(); root == "reading" || root == "practice" {
			_, d := v.TraverseAbs(c.outer)
			diags = append(diags, d...)
		}
	}
	return diags
}

func (rs *RuleSet) compileScore(s *ScoreRule, rd Readings) (*program, hcl.Diagnostics) {
	return rs.compileScoreWith(newCompiler(rs, rd, false), s)
}

func (rs *RuleSet) compileScoreWith(c *compiler, s *ScoreRule) (*program, hcl.Diagnostics) {
	c.define(s.Let)
	p := &program{
		err: c.expr(s.Error, cty.Bool), count: c.expr(s.Count, cty.Number), solved: c.expr(s.Solved, cty.Bool),
		claim: c.expr(s.Claim, cty.String), points: c.expr(s.Points, cty.Number),
		timeout: c.expr(s.Timeout, cty.Bool), memout: c.expr(s.Memout, cty.Bool),
		wall: c.time(s.Wall), cpu: c.time(s.CPU), actualWall: c.time(s.ActualWall), actualCPU: c.time(s.ActualCPU),
	}
	p.lets = c.lets
	p.collectUses()
	return p, c.diags
}

func (rs *RuleSet) compileView(v *View, rd Readings) (*program, hcl.Diagnostics) {
	return rs.compileViewWith(newCompiler(rs, rd, true), v, rd)
}

func (rs *RuleSet) compileViewWith(c *compiler, v *View, rd Readings) (*program, hcl.Diagnostics) {
	c.define(v.Let)
	p := &program{
		err: c.expr(v.Error, cty.Bool), count: c.expr(v.Count, cty.Number), where: c.expr(v.Where, cty.Bool),
		wall: c.time(v.Wall), cpu: c.time(v.CPU),
	}
	p.lets = c.lets
	p.collectUses()
	if v.Of != nil {
		of := newCompiler(rs, rd, false)
		of.expr(v.Of, cty.Bool)
		c.diags = append(c.diags, of.diags...)
	}
	return p, c.diags
}

func (p *program) collectUses() {
	seen := map[string]bool{}
	add := func(names []string) {
		for _, n := range names {
			seen[n] = true
		}
	}
	for _, e := range []*rowexpr.Expr{p.err, p.solved, p.timeout, p.memout, p.where, p.count, p.points, p.claim,
		p.wall, p.cpu, p.actualWall, p.actualCPU} {
		if e != nil {
			add(e.Uses())
		}
	}
	// Unneeded definitions are not evaluated. Walk backwards because definitions use earlier ones.
	var needed []compiledLet
	for _, l := range slices.Backward(p.lets) {
		if seen[l.name] {
			add(l.expr.Uses())
			needed = append(needed, l)
		}
	}
	slices.Reverse(needed)
	p.lets = needed
	for _, l := range p.lets {
		delete(seen, l.name)
	}
	p.uses = slices.Sorted(maps.Keys(seen))
}

func (rs *RuleSet) strict(parallel bool) *compiler {
	c := newCompiler(rs, Readings{}, parallel)
	c.strict = true
	return c
}

// check compiles every expression in the rule set with the default readings and reports dangling references. If the
// rule set is broken, it does not require score blocks.
func (rs *RuleSet) check(broken bool) hcl.Diagnostics {
	var diags hcl.Diagnostics
	for _, s := range rs.Scores {
		_, d := rs.compileScoreWith(rs.strict(false), s)
		diags = append(diags, d...)
	}
	for _, v := range rs.Views {
		_, d := rs.compileViewWith(rs.strict(true), v, Readings{})
		diags = append(diags, d...)
		if v.Absent != nil {
			c := rs.strict(false)
			c.time(v.Absent.Wall)
			c.time(v.Absent.CPU)
			diags = append(diags, c.diags...)
		}
		for _, t := range v.Tracks {
			if rs.scoreOf(t) == nil && !broken {
				diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagError,
					Summary: "Track without a benchmark score", Subject: &v.at,
					Detail: fmt.Sprintf("View %q is for track %s, for which there is no score block. Write one with "+
						"tracks = [%q], or take the track out of the view.", v.Name, t, t)})
			}
		}
	}
	for _, d := range rs.Drops {
		c := rs.strict(false)
		c.expr(d.When, cty.Bool)
		diags = append(diags, c.diags...)
	}
	return append(append(diags, rs.checkNames()...), rs.checkWords()...)
}

// checkNames reports unknown names, and switches without effect.
func (rs *RuleSet) checkNames() hcl.Diagnostics {
	diags := rs.idleSwitches()
	if rs.Derived != nil && !slices.ContainsFunc(rs.Views, func(v *View) bool { return v.Name == rs.Derived.View }) {
		diags = append(diags, diagnose("Unknown view", fmt.Sprintf("Derived solvers are compared in view %q, which "+
			"is not there.", rs.Derived.View))...)
	}
	if rs.Year == 0 {
		diags = append(diags, diagnose("Rule set without a year", "The block rule_set needs year.")...)
	}
	return diags
}

// checkWords reports comparisons with a text that never occurs: an impossible reading value, a nonexistent track, a
// misspelt answer. The organisers' files use other words for answers, so it reports only words that closely resemble
// one of ours.
func (rs *RuleSet) checkWords() (diags hcl.Diagnostics) {
	body, _ := rs.file.Body.(*hclsyntax.Body)
	_ = hclsyntax.VisitAll(body, func(n hclsyntax.Node) hcl.Diagnostics {
		op, ok := n.(*hclsyntax.BinaryOpExpr)
		if !ok || op.Op != hclsyntax.OpEqual && op.Op != hclsyntax.OpNotEqual {
			return nil
		}
		of, isName := op.LHS.(*hclsyntax.ScopeTraversalExpr)
		text, textDiags := op.RHS.Value(nil)
		if !isName || textDiags.HasErrors() || text.IsNull() || text.Type() != cty.String {
			return nil
		}
		var words []string
		name, word := strings.TrimSpace(string(of.SrcRange.SliceBytes(rs.source))), text.AsString()
		switch field, _ := hclsource.Step(of.Traversal, 1); {
		case of.Traversal.RootName() == "reading":
			if i := slices.IndexFunc(rs.Readings, func(r Reading) bool { return r.Name == field }); i >= 0 {
				words = rs.Readings[i].Values
			}
		case name == "track":
			words = rs.Kinds.Names()
		case name == "r.answer":
			for _, a := range comp.Answers {
				words = append(words, string(a))
			}
			if nearest.Name(word, words) == "" || len(word) > len("unknown") || // such as ModelUnsat
				!strings.Contains(strings.ToLower(word), "sat") {
				return nil
			}
		}
		if len(words) > 0 && !slices.Contains(words, word) {
			at := op.SrcRange
			diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Values that are never equal",
				Subject: &at, Detail: fmt.Sprintf("%s is one of %s, and never %q.%s", name,
					strings.Join(words, ", "), word, nearest.Question(word, words))})
		}
		return nil
	})
	return diags
}

// idleSwitches reports practice switches that no expression names and that the engine does not know.
func (rs *RuleSet) idleSwitches() hcl.Diagnostics {
	named := map[string]bool{}
	body, _ := rs.file.Body.(*hclsyntax.Body)
	_ = hclsyntax.VisitAll(body, func(n hclsyntax.Node) hcl.Diagnostics {
		if t, ok := n.(*hclsyntax.ScopeTraversalExpr); ok && t.Traversal.RootName() == "practice" {
			if name, ok := hclsource.Step(t.Traversal, 1); ok {
				named[name] = true
			}
		}
		return nil
	})
	var diags hcl.Diagnostics
	for _, p := range rs.Practices {
		if named[p.ID] || slices.Contains(engineSwitches, p.ID) {
			continue
		}
		like, severity := nearest.Question(p.ID, engineSwitches), hcl.DiagWarning
		if like != "" {
			severity = hcl.DiagError // a typo rather than an earlier version's switch
		}
		diags = append(diags, &hcl.Diagnostic{Severity: severity, Summary: "Practice switch that changes nothing",
			Detail:  fmt.Sprintf("No expression has practice.%s, and smtpipe does not know the switch.%s", p.ID, like),
			Subject: p.at.Ptr()})
	}
	return diags
}

// CheckReadings reports readings, values and practice switches that do not exist in the rule set.
func (rs *RuleSet) CheckReadings(rd Readings) error {
	var names, ids []string
	for _, r := range rs.Readings {
		names = append(names, r.Name)
	}
	for _, p := range rs.Practices {
		ids = append(ids, p.ID)
	}
	for _, name := range sortedKeys(rd.Values) {
		i := slices.Index(names, name)
		if i < 0 {
			return fmt.Errorf("rule set %s has no reading %q; it has %v%s", rs.Name, name, names,
				nearest.Question(name, names))
		}
		if v := rd.Values[name]; v != "" && !slices.Contains(rs.Readings[i].Values, v) {
			return fmt.Errorf("reading %s cannot be %q; it must be one of %v", name, v, rs.Readings[i].Values)
		}
	}
	for _, id := range sortedKeys(rd.Practice) {
		if !slices.Contains(ids, id) {
			return fmt.Errorf("rule set %s has no practice switch %q; it has %v%s", rs.Name, id, ids,
				nearest.Question(id, ids))
		}
	}
	return nil
}

// Switches returns the practice switches that a name stands for: the switch itself, or all switches with that D-number.
func (rs *RuleSet) Switches(name string) []string {
	var out []string
	for _, p := range rs.Practices {
		if p.ID == name || p.Cite == name {
			out = append(out, p.ID)
		}
	}
	return out
}

// Turn turns a practice switch, or all switches with a D-number, on or off in rd. It returns an error if the rule set
// does not contain the name.
func (rs *RuleSet) Turn(rd *Readings, name string, on bool) error {
	switches := rs.Switches(name)
	if switches == nil {
		return rs.CheckReadings(Readings{Practice: map[string]bool{name: on}})
	}
	if rd.Practice == nil {
		rd.Practice = map[string]bool{}
	}
	for _, s := range switches {
		rd.Practice[s] = on
	}
	return nil
}

// Has reports whether the rule set contains a reading or practice switch with the name, or a switch with that D-number.
func (rs *RuleSet) Has(name string) bool {
	return slices.ContainsFunc(rs.Readings, func(x Reading) bool { return x.Name == name }) ||
		len(rs.Switches(name)) > 0
}
