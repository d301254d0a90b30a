package config

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/budget"
	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/lang/config/functions"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// blockForm describes the form of a top-level block, with its decoder.
type blockForm struct {
	name   string
	labels []string // meaning of each label
	decode func(*loader, *module, *hclsyntax.Block)
}

// blockForms lists the language's top-level blocks.
func blockForms() []blockForm {
	return []blockForm{
		{"smtpipe", nil, (*loader).smtpipe},
		{"competition", nil, func(*loader, *module, *hclsyntax.Block) {}},       // decoded before all other blocks
		{hclsource.BaseBlock, nil, func(*loader, *module, *hclsyntax.Block) {}}, // resolved when the file is read
		{"variable", []string{"name"}, (*loader).variable},
		{"locals", nil, (*loader).locals},
		{"function", []string{"name"}, (*loader).function},
		{"solver", []string{"name"}, (*loader).solver},
		{"executor", []string{"kind", "name"}, (*loader).executor},
		{"stage", []string{"kind", "name"}, (*loader).stage},
		{"check", []string{"name"}, (*loader).check},
		{"output", []string{"name"}, (*loader).output},
		{"module", []string{"name"}, (*loader).moduleCall},
	}
}

// loader converts files to declarations and collects errors.
type loader struct {
	p       *Pipeline
	src     *sources
	root    string // the pipeline's folder
	version string
	diags   hcl.Diagnostics
	loading []string // paths of the enclosing modules, for detecting recursion
	params  []*decl  // declarations of the functions' parameters
	layers  hclsource.Layers
	links   map[*decl][]Place

	constants budget.Purse // budget of all constants; see constantOf
}

func (l *loader) report(rng hcl.Range, summary, detail string) {
	l.diags = append(l.diags, errorAt(rng, summary, detail))
}

func errorAt(rng hcl.Range, summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: rng.Ptr()}
}

func warningAt(rng hcl.Range, summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: summary, Detail: detail, Subject: rng.Ptr()}
}

// module decodes the files at path as one module. at is the range of the module block, or nil for the root.
func (l *loader) module(file string, m *module, at *hcl.Range) {
	names, folder, err := sourceNames(file)
	if err != nil {
		d := &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Cannot read the pipeline",
			Detail: upperFirst(err.Error()) + ".", Subject: at}
		if at != nil {
			d.Summary = "Cannot read the module"
		}
		l.diags = append(l.diags, d)
		return
	}
	m.folder = l.relative(folder)
	var bodies []*hclsyntax.Body
	l.layers.Read = l.layer
	for _, name := range names {
		body, diags := l.layers.Body(name)
		l.diags = append(l.diags, diags...)
		if body == nil {
			m.partial = true
			continue
		}
		if at := ruleSetOf(body); at != nil {
			m.partial = true
			l.ruleSet(name, *at)
			continue
		}
		bodies = append(bodies, body)
	}
	// The competition comes first because its rules can contain modules.
	for _, body := range bodies {
		for _, b := range body.Blocks {
			if b.Type == "competition" && len(b.Labels) == 0 {
				l.competition(m, b)
			}
		}
	}
	for _, body := range bodies {
		l.body(m, body)
	}
}

// layer reads a file of a module, or a file that one is based on.
func (l *loader) layer(name string, base bool) (*hclsyntax.Body, hcl.Diagnostics) {
	if base && !strings.HasPrefix(name, rules.Builtin) {
		if err := functions.CheckLinks(l.root, l.relative(name)); err != nil {
			return nil, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Cannot read a file of the pipeline",
				Detail: "The file " + err.Error() + "."}}
		}
	}
	l.p.noteFiles([]string{name})
	return l.src.read(name)
}

// ruleSetOf returns the location of the rule_set block in a scoring rule set, or nil for other files.
func ruleSetOf(body *hclsyntax.Body) *hcl.Range {
	i := slices.IndexFunc(body.Blocks, func(b *hclsyntax.Block) bool { return b.Type == "rule_set" })
	if i < 0 {
		return nil
	}
	return body.Blocks[i].TypeRange.Ptr()
}

// ruleSet reports a rule set among a pipeline's files, once for the whole file.
func (l *loader) ruleSet(name string, at hcl.Range) {
	name = filepath.Base(name)
	renamed := strings.TrimSuffix(name, ".hcl") + rules.Suffix
	l.report(at, "Rule set in a pipeline", fmt.Sprintf("%s is a rule set of the scoring, and its name makes it a part of "+
		"the pipeline. Rename it to %s, and use it as file(%q).", name, renamed, renamed))
}

// relative returns a folder relative to the pipeline's, with forward slashes.
func (l *loader) relative(folder string) string {
	if folder == "" {
		return "." // a built-in module has no folder
	}
	rel, err := filepath.Rel(l.root, folder)
	if err != nil {
		rel = folder
	}
	return path.Clean(filepath.ToSlash(rel))
}

// body decodes a file's top level.
func (l *loader) body(m *module, body *hclsyntax.Body) {
	for _, a := range sortedAttrs(body.Attributes) {
		l.report(a.NameRange, "Unexpected attribute",
			fmt.Sprintf("At the top level of a pipeline there are only blocks. To name a value, write locals { %s = "+
				"... }.", a.Name))
	}
	forms := blockForms()
	for _, b := range body.Blocks {
		i := slices.IndexFunc(forms, func(f blockForm) bool { return f.name == b.Type })
		if i < 0 {
			l.unknownBlock(b, forms)
			continue
		}
		if l.labels(b, forms[i]) {
			forms[i].decode(l, m, b)
		}
	}
}

func (l *loader) unknownBlock(b *hclsyntax.Block, forms []blockForm) {
	names := namesOf(forms, func(f blockForm) string { return f.name })
	kinds := namesOf(l.p.kinds, func(k *stages.Kind) string { return k.Name })
	detail := fmt.Sprintf("There is no block %q.", b.Type)
	switch {
	case nearest.Name(b.Type, names) != "":
		detail += nearest.Question(b.Type, names)
	case nearest.Name(b.Type, kinds) != "":
		detail += fmt.Sprintf(" Did you mean stage %q?", nearest.Name(b.Type, kinds))
	default:
		detail += " The blocks are " + words.OneOf(names) + "."
	}
	l.report(b.TypeRange, "Unknown block", detail)
}

// labels checks the number and form of a block's labels.
func (l *loader) labels(b *hclsyntax.Block, f blockForm) bool {
	if len(b.Labels) != len(f.labels) {
		form := f.name
		for _, what := range f.labels {
			form += fmt.Sprintf(" %q", what)
		}
		at := b.TypeRange
		if len(b.Labels) > len(f.labels) {
			at = b.LabelRanges[len(f.labels)]
		}
		l.report(at, "Wrong number of labels", fmt.Sprintf("This block has %d labels instead of %d. Write %s { ... }.",
			len(b.Labels), len(f.labels), form))
		return false
	}
	for i, label := range b.Labels {
		if !hclsyntax.ValidIdentifier(label) {
			l.report(b.LabelRanges[i], "Invalid name",
				fmt.Sprintf("%q cannot be used as a name, because references to it could not be written. A name "+
					"begins with a letter and has letters, digits, underscores and dashes.", label))
			return false
		}
	}
	return true
}

// declare adds a declaration. If the name is already taken, it reports an error and returns false.
func declare[T interface{ base() *decl }](l *loader, m *module, in *named[T], name string, v T, at hcl.Range) bool {
	d := v.base()
	d.mod, d.rng = m, at
	if before, ok := in.get(name); ok {
		l.report(at, "Declared twice", fmt.Sprintf("%s is already declared at %s. Give one of them another name.",
			d.addr, place(before.base().rng)))
		return false
	}
	d.id = len(l.p.decls)
	l.p.decls = append(l.p.decls, d)
	for _, base := range l.layers.Changed[at] {
		l.link(d, base, base)
	}
	in.add(name, v)
	return true
}

// place returns a range in readable form, such as file.hcl:12.
func place(r hcl.Range) string { return fmt.Sprintf("%s:%d", r.Filename, r.Start.Line) }

// schema validates a block's body and marks the block's declaration if it contains an error.
func (l *loader) schema(s bodySchema, b *hclsyntax.Block, d *decl) {
	diags := s.check(b.Body, b.DefRange())
	l.diags = append(l.diags, diags...)
	if diags.HasErrors() && d != nil {
		d.bad = true
	}
}

// exprOf returns an attribute's expression, or nil if it is missing.
func exprOf(b *hclsyntax.Body, name string) hclsyntax.Expression {
	if a, ok := b.Attributes[name]; ok {
		return a.Expr
	}
	return nil
}

// literal evaluates an attribute that must not contain references. ok is false if the attribute is missing or invalid.
func (l *loader) literal(b *hclsyntax.Body, name string) (at hcl.Range, v cty.Value, ok bool) {
	a, ok := b.Attributes[name]
	if !ok {
		return b.SrcRange, cty.NilVal, false
	}
	for _, t := range a.Expr.Variables() {
		l.report(t.SourceRange(), "Unexpected reference", fmt.Sprintf("%q must be a constant; it cannot refer to %q.",
			name, t.RootName()))
		return a.SrcRange, cty.NilVal, false
	}
	v, diags := l.constantOf(a.Expr)
	l.diags = append(l.diags, diags...)
	if diags.HasErrors() {
		return a.SrcRange, cty.NilVal, false
	}
	return a.Expr.Range(), v, true
}

// constantOf evaluates an expression without references. All constants share one budget, because they may have loops.
func (l *loader) constantOf(x hclsyntax.Expression) (cty.Value, hcl.Diagnostics) {
	if l.constants.Budget == nil {
		l.constants.Budget = budget.New(l.p.ctx, bounds)
	}
	v, diags := x.Value(&hcl.EvalContext{Variables: l.constants.Variables()})
	if over := l.constants.Budget.Over(); over != nil {
		return cty.DynamicVal, hcl.Diagnostics{over}
	}
	return v, diags
}
