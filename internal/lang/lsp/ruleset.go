package lsp

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/lang/config/functions"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// checkRules checks the unsaved text of a rules file: rule sets completely, other files only for syntax.
func (s *server) checkRules(path string) byFile {
	src := s.read(path)
	file, diags := hclsource.Parse(src, path)
	if !diags.HasErrors() && isRuleSet(src) {
		_, _, diags = rules.ParseScoring(src, path, nil)
	}
	return diagnostics(path, diags, map[string]*hcl.File{path: file})
}

// unsavedRules reports whether a file is a rule set whose text differs from the file on disk, which pipelines read.
func (s *server) unsavedRules(file string) bool {
	s.mu.Lock()
	text, open := s.texts[file]
	s.mu.Unlock()
	if !open || !s.isRules(file) {
		return false
	}
	saved, err := hclsource.ReadPath(file)
	return err != nil || !bytes.Equal(text, saved)
}

// inRuleSet reports whether a position is in a rule set.
func (s *server) inRuleSet(pl *place) bool { return s.isRules(pl.file) && isRuleSet(pl.src) }

// ruleMembers returns the possible texts in a rule set from byte start on.
func ruleMembers(pl *place, start int) []member {
	c := &pl.chunk
	if start == 0 || start == c.start || c.head == "" {
		return ruleBlocks()
	}
	if c.open < 0 || start < c.tokens[c.open].Range.Start.Byte || c.inComment(start) {
		return nil
	}
	cur := c.walk(start, nil)
	top := cur.top()
	if top == nil {
		return ruleBlocks()
	}
	blocks, _ := cur.blocks()
	switch {
	case top.kind == quoteFrame:
		return nil
	case top.kind == bodyFrame && top.attr == "":
		if top.word != "" || len(blocks) != 1 {
			return nil
		}
		return ruleAttrs(c, blocks[0])
	}
	var steps []string
	if cur.last >= 0 && c.tokens[cur.last].Type == hclsyntax.TokenDot {
		steps, _ = c.pathBefore(cur.last)
		steps = steps[:len(steps)-1]
	}
	return ruleNames(pl, steps)
}

func ruleBlocks() []member {
	var all []member
	for _, b := range score.Blocks() {
		all = append(all, blockDoc(&config.BlockDoc{Name: b.Name, Labels: b.Labels}))
	}
	return all
}

// ruleAttrs returns the attributes still missing in a block, and the blocks it can contain.
func ruleAttrs(c *chunk, block string) []member {
	var all []member
	for _, b := range score.Blocks() {
		if b.Name != block {
			continue
		}
		for _, a := range b.Attrs {
			if !c.hasAttr(a) {
				all = append(all, member{name: a, kind: propertyMember, insert: a + " = "})
			}
		}
		for _, inner := range b.Inner {
			all = append(all, member{name: inner, detail: "block", kind: classMember,
				insert: inner + " {\n}"})
		}
	}
	return all
}

// ruleNames returns the possible continuations of a reference after steps, in an expression.
func ruleNames(pl *place, steps []string) []member {
	var all []member
	vars := score.RowVars()
	switch {
	case len(steps) == 0:
		for _, v := range vars {
			m := member{name: v.Name, doc: v.Doc, kind: variableMember}
			if v.Record == nil {
				m.detail = stages.TypeText(v.Type)
			}
			all = append(all, m)
		}
		all = append(all, fixed("reading", "the value of a reading", "practice", "whether a switch is on")...)
		docs := functions.Docs()
		for _, name := range score.Functions() {
			m := member{name: name, kind: functionMember, insert: name + "("}
			if i := slices.IndexFunc(docs, func(d functions.Doc) bool { return d.Name == name }); i >= 0 {
				m.detail, m.doc = docs[i].Signature, docs[i].Text
			}
			all = append(all, m)
		}
	case len(steps) > 1:
	case steps[0] == "reading" || steps[0] == "practice":
		for _, c := range chunksOf(pl.src) {
			if c.head == steps[0] && c.label(0) != "" {
				all = append(all, member{name: c.label(0), doc: c.text("doc"), kind: fieldMember})
			}
		}
	default:
		for i := range vars {
			if vars[i].Name == steps[0] {
				all = columns(&vars[i], 1)
			}
		}
	}
	return all
}

// ruleMeaning returns the meaning of the name at token i in a rule set, or nil if it is unknown.
func ruleMeaning(pl *place, i int) *member {
	t := pl.chunk.tokens[i]
	if t.Type != hclsyntax.TokenIdent {
		return nil
	}
	for _, m := range ruleMembers(pl, t.Range.Start.Byte) {
		if m.name == string(t.Bytes) {
			return &m
		}
	}
	return nil
}

// namesInRules returns the names that a rule set declares: readings, practice switches, and definitions in blocks.
func namesInRules(file string, src []byte) config.Declared {
	d := config.Declared{Files: []string{file}, Complete: true}
	parsed, diags := hclsource.Parse(src, file)
	if diags.HasErrors() {
		return config.Declared{Diags: diags}
	}
	_, _, d.Diags = rules.ParseScoring(src, file, nil)
	all := map[string]*config.Name{} // by block, for a block's definitions, and by the reference's text
	add := func(key, root, name string, in hcl.Range, declares bool) {
		i := bytes.LastIndex(in.SliceBytes(src), []byte(name))
		if i < 0 {
			return // a name written with escapes
		}
		start := in.Start.Byte + i
		if all[key] == nil {
			all[key] = &config.Name{Root: root, Name: name}
		}
		all[key].Places = append(all[key].Places, config.Place{File: file, Start: start, End: start + len(name),
			Declares: declares})
	}
	for i, b := range parsed.Body.(*hclsyntax.Body).Blocks {
		if (b.Type == "reading" || b.Type == "practice") && len(b.Labels) == 1 {
			add(b.Type+"."+b.Labels[0], b.Type, b.Labels[0], b.LabelRanges[0], true)
		}
		defined := map[string]bool{}
		for _, let := range b.Body.Blocks {
			for name, a := range let.Body.Attributes {
				if let.Type == "let" {
					defined[name] = true
					add(fmt.Sprint(i, name), "let", name, a.NameRange, true)
				}
			}
		}
		_ = hclsyntax.VisitAll(b.Body, func(n hclsyntax.Node) hcl.Diagnostics {
			a, ok := n.(*hclsyntax.Attribute)
			if !ok {
				return nil
			}
			for _, t := range hclsource.References(a.Expr) {
				root := t.RootName()
				if name, ok := hclsource.Step(t, 1); ok && (root == "reading" || root == "practice") {
					add(root+"."+name, root, name, t[1].SourceRange(), false)
				} else if defined[root] {
					add(fmt.Sprint(i, root), "let", root, t[0].SourceRange(), false)
				}
			}
			return nil
		})
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if slices.ContainsFunc(all[key].Places, func(p config.Place) bool { return p.Declares }) {
			d.Names = append(d.Names, *all[key])
		}
	}
	return d
}
