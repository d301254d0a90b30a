package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/nearest"
)

// envPrefix is the prefix of environment variables that set variables.
const envPrefix = "SMTPIPE_VAR_"

// variable decodes a block variable "name".
func (l *loader) variable(m *module, b *hclsyntax.Block) {
	d := &variable{name: b.Labels[0], typ: cty.DynamicPseudoType, def: cty.NilVal}
	d.addr = m.address("var." + d.name)
	s := schemaOf("variable")
	s.blocks = []string{"validation"}
	l.schema(s, b, &d.decl)
	if m.parent != nil && slices.Contains(ofModule, d.name) {
		l.report(b.LabelRanges[0], "Invalid name", fmt.Sprintf("A variable of a module cannot have the name %q, "+
			"which has a meaning of its own in a module block.", d.name))
	}
	_, _ = l.text(b.Body, "description") // reports an invalid one
	d.sensitive = l.truth(b.Body, "sensitive")
	l.p.sensitive = l.p.sensitive || d.sensitive
	l.typeOf(d, b.Body)
	l.defaultOf(d, b)
	for _, v := range b.Body.Blocks {
		if v.Type == "validation" {
			l.validation(d, v)
		}
	}
	declare(l, m, &m.vars, d.name, d, b.DefRange())
}

func (l *loader) typeOf(d *variable, body *hclsyntax.Body) {
	e := exprOf(body, "type")
	if e == nil {
		return
	}
	typ, defaults, diags := typeexpr.TypeConstraintWithDefaults(e)
	if diags.HasErrors() {
		d.bad = true
		for _, diag := range diags {
			diag.Summary = "Invalid type"
			diag.Detail += " The types are string, number, bool, any, list(...), set(...), map(...), tuple([...]) " +
				"and object({...})."
			if diag.Subject == nil {
				diag.Subject = e.Range().Ptr()
			}
		}
		l.diags = append(l.diags, diags...)
		return
	}
	d.typ, d.defaults = typ, defaults
}

func (l *loader) defaultOf(d *variable, b *hclsyntax.Block) {
	at, given, ok := l.literal(b.Body, "default")
	if !ok {
		d.bad = d.bad || b.Body.Attributes["default"] != nil
		return
	}
	v, err := d.convert(given)
	if err != nil {
		if d.sensitive {
			at = b.DefRange() // rather than the line with the value
		}
		l.report(at, "Wrong type", fmt.Sprintf("The default of variable %q does not match its type: %s.", d.name,
			conversionText(err)))
		d.bad = true
		return
	}
	d.def = v
}

func (l *loader) validation(d *variable, b *hclsyntax.Block) {
	if len(b.Labels) > 0 {
		l.report(b.LabelRanges[0], "Wrong number of labels", "A \"validation\" block has no label.")
	}
	l.schema(kindSchema(`A "validation" block`, "", ValidationBlock().Attrs, nil, false), b, &d.decl)
	c := condition{cond: exprOf(b.Body, "condition"), message: exprOf(b.Body, "message")}
	if c.cond == nil || c.message == nil {
		return
	}
	for _, e := range []hclsyntax.Expression{c.cond, c.message} {
		for _, t := range e.Variables() {
			if name, ok := hclsource.Step(t, 1); t.RootName() != "var" || !ok || name != d.name {
				l.report(t.SourceRange(), "Invalid reference", fmt.Sprintf("The validation of a variable can refer "+
					"only to the variable itself, as var.%s. Relations between variables belong in a \"check\" block.", d.name))
				d.bad = true
			}
		}
	}
	if d.bad {
		return
	}
	for _, e := range []hclsyntax.Expression{c.cond, c.message} {
		// This use covers the functions that the validation calls.
		d.uses = append(d.uses, use{expr: e, names: validated.names, own: []*decl{&d.decl}})
	}
	d.validations = append(d.validations, c)
}

// validated holds the names that a validation's expressions can refer to: only the variable, whose value is not
// available elsewhere yet.
var validated = use{names: []string{"var"}}

// convert converts a value to the variable's type.
func (v *variable) convert(val cty.Value) (cty.Value, error) {
	if v.defaults != nil && !val.IsNull() {
		val = v.defaults.Apply(val)
	}
	return convert.Convert(val, v.typ)
}

// variables sets the root's variables from locked values, the environment, files and flags, in this order.
func (l *loader) variables(m *module, opt *Options) {
	for _, v := range m.vars.all() {
		if text, ok := opt.Locked[v.name]; ok {
			l.given(v, text, "the evidence")
		}
	}
	for _, entry := range opt.Env {
		name, text, _ := strings.Cut(entry, "=")
		if name, ok := strings.CutPrefix(name, envPrefix); ok {
			if v, ok := m.vars.get(name); ok { // other pipelines may use the same environment
				l.given(v, text, "the environment variable "+envPrefix+name)
			}
		}
	}
	broken := false
	for _, file := range opt.VarFiles {
		broken = !l.varFile(m, file) || broken
	}
	for _, name := range slices.Sorted(maps.Keys(opt.Vars)) { // errors are reported in this order
		v, ok := m.vars.get(name)
		if !ok && m.partial {
			continue // it may be in the file that could not be parsed
		}
		if !ok {
			l.diags = append(l.diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Unknown variable",
				Detail: fmt.Sprintf("--var sets the variable %q, which the pipeline does not declare.%s", name,
					nearest.Question(name, m.vars.order))})
			continue
		}
		l.given(v, opt.Vars[name], "--var")
	}
	for _, v := range m.vars.all() {
		if broken && v.given == cty.NilVal {
			v.bad = true // its value may be in the file with the error
			continue
		}
		if v.given == cty.NilVal && v.def == cty.NilVal && !v.bad {
			l.report(v.rng, "Variable without a value",
				fmt.Sprintf("The variable %q has no default, and no value was given. Give one with --var %s=..., a "+
					"file with --var-file, or the environment variable %s%s.", v.name, v.name, envPrefix, v.name))
			v.bad = true
		}
	}
}

// given sets a variable to a value from outside. A string variable takes the text literally; for other types, the text
// is parsed as an expression.
func (l *loader) given(v *variable, text, by string) {
	val := cty.StringVal(text)
	if v.typ != cty.String {
		name := "<value for var." + v.name + ">"
		src := []byte(text)
		var expr hclsyntax.Expression
		diags := hclsource.CheckNesting(src, name)
		if !diags.HasErrors() {
			expr, diags = hclsyntax.ParseExpression(src, name, hcl.InitialPos)
		}
		if !diags.HasErrors() {
			var more hcl.Diagnostics
			val, more = expr.Value(nil)
			diags = append(diags, more...)
		}
		if diags.HasErrors() && v.typ != cty.DynamicPseudoType {
			v.bad = true
			l.diags = append(l.diags, l.notAnExpression(v, name, src, by, diags[0]))
			return
		}
		if diags.HasErrors() { // for any type, a bare word is a string
			val = cty.StringVal(text)
		}
	}
	l.setVariable(v, val, by, v.rng)
}

// notAnExpression reports a value from outside that cannot be parsed, and shows the value unless it is sensitive.
func (l *loader) notAnExpression(v *variable, name string, src []byte, by string, why *hcl.Diagnostic) *hcl.Diagnostic {
	d := &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Invalid value of a variable",
		Detail: fmt.Sprintf("The value for the variable %q, given by %s, is not an expression of type %s", v.name, by,
			typeName(v.typ))}
	if v.sensitive {
		d.Detail += "."
		return d
	}
	l.p.sources[name] = &hcl.File{Bytes: src}
	d.Detail += ": " + why.Detail
	d.Subject = why.Subject
	return d
}

func (l *loader) setVariable(v *variable, val cty.Value, by string, at hcl.Range) {
	converted, err := v.convert(val)
	if err != nil {
		v.bad = true
		if v.sensitive {
			at = v.rng // rather than the line with the value
		}
		l.report(at, "Invalid value of a variable", fmt.Sprintf("The value for the variable %q, given by %s, does "+
			"not have its type %s: %s.", v.name, by, typeName(v.typ), conversionText(err)))
		return
	}
	v.given, v.givenBy = converted, by
}

// varFile reads a file of name = value lines. It reports whether it could read all of them.
func (l *loader) varFile(m *module, file string) bool {
	body, diags := l.src.read(file)
	l.diags = append(l.diags, diags...)
	if body == nil {
		return false
	}
	for _, b := range body.Blocks {
		l.report(b.TypeRange, "Unexpected block", "A file of variables has only lines of the form name = value.")
	}
	for _, a := range sortedAttrs(body.Attributes) {
		v, ok := m.vars.get(a.Name)
		if !ok && m.partial {
			continue
		}
		if !ok {
			l.report(a.NameRange, "Unknown variable", fmt.Sprintf("The pipeline declares no variable %q.%s", a.Name,
				nearest.Question(a.Name, m.vars.order)))
			continue
		}
		if at, val, ok := l.literal(body, a.Name); ok {
			l.setVariable(v, val, file, at)
		}
	}
	return !diags.HasErrors()
}
