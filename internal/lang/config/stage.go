package config

import (
	"fmt"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// stage decodes a block stage "kind" "name" according to its kind's declarations.
func (l *loader) stage(m *module, b *hclsyntax.Block) {
	kind := l.kind(b)
	if kind == nil {
		l.unknownStage(m, b)
		return
	}
	d := &stage{kind: kind, name: b.Labels[1], forEach: exprOf(b.Body, forEachName), body: b.Body}
	name := kind.Name + "." + d.name
	d.addr = m.address("stage." + name)
	d.decl.stage = true
	what := fmt.Sprintf("A stage %q", kind.Name)
	see := fmt.Sprintf(`"smtpipe stages %s" lists them.`, kind.Name)
	l.schema(kindSchema(what, see, kind.Attrs, kind.Blocks, true), b, &d.decl)
	d.uses = usesOf(b.Body.Attributes, forEachName)
	l.attrUses(d, b.Body, kind.Attrs)
	l.nested(d, b, what, see)
	declare(l, m, &m.stages, name, d, b.DefRange())
}

func (l *loader) kind(b *hclsyntax.Block) *stages.Kind {
	if k := stages.FindKind(l.p.kinds, b.Labels[0]); k != nil {
		return k
	}
	names := namesOf(l.p.kinds, func(k *stages.Kind) string { return k.Name })
	l.report(b.LabelRanges[0], "Unknown stage",
		fmt.Sprintf("No stage has the name %q.%s \"smtpipe stages\" lists them all.", b.Labels[0],
			nearest.Question(b.Labels[0], names)))
	return nil
}

// unknownStage records a stage of an unknown kind, so that references to it cause no further errors.
func (l *loader) unknownStage(m *module, b *hclsyntax.Block) {
	d := &stage{kind: &stages.Kind{Name: b.Labels[0]}, name: b.Labels[1], body: &hclsyntax.Body{}}
	name := b.Labels[0] + "." + d.name
	d.addr = m.address("stage." + name)
	d.bad = true
	d.uses = l.usesOfAny(b.Body, b.Body.Attributes[forEachName] != nil)
	declare(l, m, &m.stages, name, d, b.DefRange())
}

// usesOfAny returns the expressions in a block of an unknown kind, each of which may be a row expression.
func (l *loader) usesOfAny(body *hclsyntax.Body, each bool) []use {
	names := l.rowNames()
	var uses []use
	for _, a := range sortedAttrs(body.Attributes) {
		uses = append(uses, use{expr: a.Expr, names: names, each: each && a.Name != forEachName,
			self: a.Name != forEachName})
	}
	for _, inner := range body.Blocks {
		uses = append(uses, l.usesOfAny(inner.Body, each)...)
	}
	return uses
}

// rowNames returns the variables in all kinds' row expressions.
func (l *loader) rowNames() []string {
	var names []string
	enter := func(attrs []stages.Attr) {
		for _, a := range attrs {
			if a.Row == nil {
				continue
			}
			for _, v := range a.Row.Scope.Vars {
				names = append(names, v.Name)
			}
		}
	}
	for _, k := range l.p.kinds {
		enter(k.Attrs)
		for _, b := range k.Blocks {
			enter(b.Attrs)
		}
	}
	return names
}

// kindSchema returns the schema of a stage or a nested block.
func kindSchema(what, see string, attrs []stages.Attr, blocks []stages.Block, forEach bool) bodySchema {
	s := bodySchema{what: what, see: see}
	for _, a := range attrs {
		s.attrs = append(s.attrs, a.Name)
		if a.Required {
			s.required = append(s.required, a.Name)
		}
	}
	for _, b := range blocks {
		s.blocks = append(s.blocks, b.Name)
	}
	if forEach {
		s.attrs = append(s.attrs, forEachName)
	}
	return s
}

// attrUses adds the expressions in a body.
func (l *loader) attrUses(d *stage, body *hclsyntax.Body, attrs []stages.Attr) {
	for _, a := range sortedAttrs(body.Attributes) {
		attr := stages.FindAttr(attrs, a.Name)
		if attr == nil {
			continue
		}
		u := use{expr: a.Expr, each: d.forEach != nil, self: true}
		if attr.Row != nil {
			u.row = &attr.Row.Scope
		}
		d.uses = append(d.uses, u)
	}
}

// nested checks a stage's nested blocks.
func (l *loader) nested(d *stage, b *hclsyntax.Block, what, see string) {
	counts := map[string]int{}
	for _, inner := range b.Body.Blocks {
		spec := stages.FindBlock(d.kind.Blocks, inner.Type)
		if spec == nil {
			continue
		}
		counts[inner.Type]++
		if spec.Max > 0 && counts[inner.Type] > spec.Max {
			l.report(inner.TypeRange, "Too many blocks", fmt.Sprintf("%s has at most %d %q blocks.", what, spec.Max,
				spec.Name))
			d.bad = true
		}
		l.nestedLabels(d, inner, spec)
		l.schema(kindSchema(fmt.Sprintf("A %q block of a stage %q", spec.Name, d.kind.Name), see, spec.Attrs, nil,
			false), inner, &d.decl)
		l.attrUses(d, inner.Body, spec.Attrs)
	}
	for _, spec := range d.kind.Blocks {
		if counts[spec.Name] < spec.Min {
			l.report(b.DefRange(), "Missing block", missingBlock(what, see, spec, counts[spec.Name]))
			d.bad = true
		}
	}
}

// missingBlock returns the message that a block contains too few nested blocks of a type.
func missingBlock(what, see string, spec stages.Block, has int) string {
	if spec.Min == 1 {
		return fmt.Sprintf("%s needs a block %q: write %s { ... }. %s", what, spec.Name, spec.Name, see)
	}
	return fmt.Sprintf("%s needs at least %d blocks %q and has %d. %s", what, spec.Min, spec.Name, has, see)
}

func (l *loader) nestedLabels(d *stage, inner *hclsyntax.Block, spec *stages.Block) {
	switch {
	case spec.Label == "" && len(inner.Labels) > 0:
		l.report(inner.LabelRanges[0], "Wrong number of labels",
			fmt.Sprintf("A %q block has no label. Write %s { ... }.", spec.Name, spec.Name))
		d.bad = true
	case spec.Label != "" && len(inner.Labels) != 1:
		l.report(inner.TypeRange, "Wrong number of labels",
			fmt.Sprintf("A %q block needs exactly one label, its %s. Write %s \"...\" { ... }.", spec.Name, spec.Label,
				spec.Name))
		d.bad = true
	}
}
