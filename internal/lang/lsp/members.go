package lsp

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/lang/config/functions"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// member is a name that can be used at a position, with its description.
type member struct {
	name   string
	detail string // one-line description
	doc    string // description in Markdown
	kind   memberKind
	insert string // text to insert, for a list without a name
}

// members returns the possible continuations of a reference after steps or, without steps, its possible beginnings. row
// holds the variables of the enclosing row expression, if any.
func (s *server) members(pl *place, steps []string, row *stages.Row, each bool) []member {
	if len(steps) == 0 {
		return s.beginnings(pl, row, each)
	}
	if row != nil {
		for _, v := range row.Scope.Vars {
			if v.Name == steps[0] {
				return columns(&v, len(steps))
			}
		}
	}
	steps = slices.DeleteFunc(slices.Clone(steps), func(step string) bool { return step == "[]" })
	if len(steps) == 0 {
		return nil // of a list without a name
	}
	root, n := config.RootNamed(steps[0]), len(steps)
	switch {
	case root == nil:
	case n == 1 && root.Names == 0:
		var all []member
		for _, a := range root.Attrs {
			all = append(all, member{name: a.Name, doc: a.Doc, kind: fieldMember})
		}
		return all
	case n == 1 && root.Names == 2:
		return s.declaredKinds(pl, root.Name)
	case n <= root.Names:
		return s.declared(pl, root.Name, strings.Join(append(steps[1:], ""), "."))
	case n > root.Names+1 || root.Names == 0:
	case root.Name == "stage":
		return s.outputs(steps[1])
	case root.Name == "module":
		return s.moduleOutputs(pl, steps[1])
	case root.Parts != cty.NilType:
		return attrsOfType(root.Parts)
	}
	return s.parts(pl, strings.Join(steps, "."))
}

// fixed returns members given as alternating names and descriptions.
func fixed(pairs ...string) []member {
	var all []member
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, member{name: pairs[i], doc: pairs[i+1], kind: fieldMember})
	}
	return all
}

func (s *server) beginnings(pl *place, row *stages.Row, each bool) []member {
	var all []member
	if row != nil {
		for _, v := range row.Scope.Vars {
			m := member{name: v.Name, doc: v.Doc, kind: variableMember}
			if v.Record != nil {
				m.detail = "row of " + v.Record.Name
			} else {
				m.detail = stages.TypeText(v.Type)
			}
			all = append(all, m)
		}
	}
	for _, root := range config.Roots() {
		if root.Name != "each" || each {
			all = append(all, member{name: root.Name, doc: root.Doc, kind: keywordMember})
		}
	}
	for _, sym := range s.symbols(pl.root) {
		if sym.root == "function" {
			all = append(all, member{name: sym.name, detail: "function of the pipeline",
				kind: functionMember, insert: sym.name + "("})
		}
	}
	for _, f := range functions.Docs() {
		all = append(all, member{name: f.Name, detail: f.Signature, doc: f.Text,
			kind: functionMember, insert: f.Name + "("})
	}
	return all
}

// declared returns the declarations under a root whose names start with prefix, and removes the prefix.
func (s *server) declared(pl *place, root, prefix string) []member {
	var all []member
	for _, sym := range s.symbols(pl.root) {
		if name, ok := strings.CutPrefix(sym.name, prefix); ok && sym.root == root {
			m := member{name: name, doc: sym.doc, kind: variableMember}
			if kind := stages.FindKind(s.opt.Kinds, strings.TrimSuffix(prefix, ".")); root == "stage" && kind != nil {
				m.detail = kind.Summary
			}
			all = append(all, m)
		}
	}
	return all
}

// declaredKinds returns the kinds of the declared stages or executors.
func (s *server) declaredKinds(pl *place, root string) []member {
	names := map[string][]string{}
	for _, sym := range s.symbols(pl.root) {
		if kind, name, ok := strings.Cut(sym.name, "."); ok && sym.root == root {
			names[kind] = append(names[kind], name)
		}
	}
	var all []member
	for _, kind := range slices.Sorted(maps.Keys(names)) {
		all = append(all, member{name: kind, detail: strings.Join(names[kind], ", "),
			kind: moduleMember})
	}
	return all
}

func (s *server) outputs(kind string) []member {
	k := stages.FindKind(s.opt.Kinds, kind)
	if k == nil {
		return nil
	}
	var all []member
	for _, o := range k.Outputs {
		all = append(all, member{name: o.Name, detail: stages.TypeText(o.Type), doc: o.Doc,
			kind: fieldMember})
	}
	return all
}

// moduleOutputs returns a module's outputs in this pipeline.
func (s *server) moduleOutputs(pl *place, name string) []member {
	var all []member
	if path := s.modulePath(pl, name); path != "" {
		for _, sym := range s.symbols(path) {
			if sym.root == "output" {
				all = append(all, member{name: sym.name, doc: sym.doc, kind: fieldMember})
			}
		}
	}
	return all
}

// modulePath returns a module's folder or file, or "" if it is not on disk.
func (s *server) modulePath(pl *place, name string) string {
	for _, sym := range s.symbols(pl.root) {
		if sym.root == "module" && sym.name == name && sym.from != "" && !strings.Contains(sym.from, "://") {
			return filepath.Join(filepath.Dir(sym.file), sym.from)
		}
	}
	return ""
}

func attrsOfType(t cty.Type) []member {
	var all []member
	types := t.AttributeTypes()
	for _, name := range slices.Sorted(maps.Keys(types)) {
		all = append(all, member{name: name, detail: stages.TypeText(types[name]),
			kind: fieldMember})
	}
	return all
}

// columns returns a row variable's columns.
func columns(v *rowVar, steps int) []member {
	if v.Record == nil || steps > 1 {
		return nil
	}
	var all []member
	for _, f := range v.Record.Fields {
		all = append(all, member{name: f.Name, detail: stages.TypeText(f.Type) + ", column of " + v.Record.Name,
			doc: f.Doc, kind: fieldMember})
	}
	return all
}

// parts returns a value's attributes in the pipeline.
func (s *server) parts(pl *place, expr string) []member {
	v := s.value(pl, expr)
	if v == cty.NilVal || v.IsMarked() || !v.IsKnown() || v.IsNull() || !v.Type().IsObjectType() &&
		!v.Type().IsMapType() {
		return nil
	}
	var all []member
	for name, part := range v.AsValueMap() {
		all = append(all, member{name: name, detail: stages.TypeText(part.Type()),
			kind: fieldMember})
	}
	slices.SortFunc(all, func(a, b member) int { return strings.Compare(a.name, b.name) })
	return all
}

// project returns the pipeline as last loaded, or nil if it could not be loaded.
func (s *server) project(pl *place) *project {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.loaded[pl.root]
}

// value evaluates an expression in the pipeline's scope. It returns the nil value if evaluation fails.
func (s *server) value(pl *place, expr string) cty.Value {
	p := s.project(pl)
	if p == nil || !p.Pipeline.Ordered() {
		return cty.NilVal
	}
	v, diags := p.Pipeline.Eval(expr, p.Known)
	if diags.HasErrors() {
		return cty.NilVal
	}
	return v
}

// words returns the competition's tracks, divisions or logics if a string for name must be one of them.
func (s *server) words(pl *place, name string) []member {
	what := strings.TrimSuffix(name, "s")
	if what != "track" && what != "logic" && what != "division" {
		return nil
	}
	found := map[string]bool{}
	tracks := cty.NilVal
	if p := s.project(pl); p != nil {
		tracks = p.Pipeline.Competition().Tracks
	}
	switch {
	case tracks != cty.NilVal && tracks.IsKnown() && !tracks.IsNull() && tracks.Type().Equals(rules.TracksType):
		for track, divisions := range tracks.AsValueMap() {
			if what == "track" {
				found[track] = true
				continue
			}
			for division, logics := range divisions.AsValueMap() {
				if what == "division" {
					found[division] = true
					continue
				}
				for _, logic := range logics.AsValueSlice() {
					found[logic.AsString()] = true
				}
			}
		}
	case what == "track":
		for _, t := range comp.Tracks() {
			found[t.String()] = true
		}
	}
	var all []member
	for _, w := range slices.Sorted(maps.Keys(found)) {
		all = append(all, member{name: w, detail: what, kind: enumMember})
	}
	return all
}

// attrDoc returns an attribute's description.
func attrDoc(a *stages.Attr) member {
	m := member{name: a.Name, detail: a.TypeText(), doc: a.Doc, kind: propertyMember}
	switch d := a.DefaultText(); {
	case a.Required:
		m.doc += "\n\nIt is required."
	case d != "":
		m.doc += fmt.Sprintf("\n\nDefault: %s", d)
	}
	switch a.Unit {
	case stages.Duration:
		m.doc += "\n\nA duration is a string with a unit, such as `\"20m\"` or `\"1h30m\"`."
	case stages.Size:
		m.doc += "\n\nA size is a string with a unit, such as `\"30GB\"`."
	}
	if a.Row != nil {
		m.doc += "\n\nIt is evaluated for each row."
	}
	return m
}

func blockDoc(b *config.BlockDoc) member {
	insert := b.Name
	for _, l := range b.Labels {
		insert += fmt.Sprintf(" %q", strings.ToUpper(l))
	}
	return member{name: b.Name, detail: insert + " { … }", doc: b.Doc, kind: classMember,
		insert: insert + " {\n}"}
}

func kindDoc(k *stages.Kind) member {
	return member{name: k.Name, detail: k.Summary, kind: classMember,
		doc: fmt.Sprintf("%s.\n\n%s\n\n```hcl\n%s\n```", k.Summary, k.Doc, k.Example)}
}
