package hclsource

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// BaseBlock is the type of the block base { source without } that names the file that a file is based on.
const BaseBlock = "base"

const (
	localsBlock = "locals"
	maxLayers   = 8 // files based on each other
)

// Layers reads files that can be based on other files.
type Layers struct {
	// Read parses a file, which may be another file's base. It returns nil if it cannot.
	Read func(name string, base bool) (*hclsyntax.Body, hcl.Diagnostics)
	// Changed maps a block's header, or a local's name, to those that it changes in the base.
	Changed map[hcl.Range][]hcl.Range
}

// baseBlock is a block base { source = "FILE" without = ["variable.x", "stage.cap.main.seed", "local.y"] }.
type baseBlock struct {
	Source  string   `hcl:"source"`
	Without []string `hcl:"without,optional"`
}

// Body returns a file's body together with its base's. A block with the type and labels of a block of the base changes
// it: its attributes replace those with the same names, its nested blocks all those of their types. Each local replaces
// the local with its name. All other blocks are added. Body returns nil if a file cannot be read.
func (l *Layers) Body(name string) (*hclsyntax.Body, hcl.Diagnostics) { return l.body(name, nil) }

func (l *Layers) body(name string, above []string) (*hclsyntax.Body, hcl.Diagnostics) {
	own, diags := l.Read(name, len(above) > 0)
	if own == nil {
		return nil, diags
	}
	i := slices.IndexFunc(own.Blocks, func(b *hclsyntax.Block) bool { return b.Type == BaseBlock })
	if i < 0 {
		return own, diags
	}
	var b baseBlock
	block, at := own.Blocks[i], own.Blocks[i].DefRange()
	diags = append(diags, gohcl.DecodeBody(block.Body, nil, &b)...)
	for _, other := range own.Blocks[i+1:] {
		if other.Type == BaseBlock {
			diags = append(diags, layerError(other.DefRange(), "Second base", "A file can be based on only one file. "+
				"Base one of the two on the other, and name that one here."))
		}
	}
	from := sibling(name, b.Source)
	switch above = append(above, name); {
	case diags.HasErrors():
		return nil, diags
	case slices.Contains(above, from) || len(above) > maxLayers:
		return nil, append(diags, layerError(at, "File based on itself", fmt.Sprintf("%q leads back to a file that is "+
			"based on it, or through more than %d files.", b.Source, maxLayers)))
	}
	base, more := l.body(from, above)
	for _, d := range more {
		if d.Subject == nil {
			d.Subject = block.Body.Attributes["source"].Expr.Range().Ptr()
		}
	}
	if diags = append(diags, more...); base == nil {
		return nil, diags
	}
	for _, addr := range b.Without {
		if kept := without(base, addr); kept != nil {
			base = kept
			continue
		}
		diags = append(diags, layerError(at, "Unknown address", fmt.Sprintf("The base %s has no %q to leave out. "+
			"Write variable.x, local.x or stage.cap.main, or append the name of an attribute or a type of nested blocks, "+
			"as in stage.cap.main.seed.", b.Source, addr)))
	}
	return l.merge(base, own), diags
}

func layerError(at hcl.Range, summary, detail string) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: &at}
}

// sibling returns the name of a file relative to another one. Either may be built in, as "builtin:2026/tracks.hcl".
func sibling(name, source string) string {
	if strings.Contains(source, ":") || filepath.IsAbs(source) {
		return source
	}
	if prefix, rest, builtin := strings.Cut(name, ":"); builtin && !strings.ContainsAny(prefix, `/\.`) {
		return prefix + ":" + path.Join(path.Dir(rest), source)
	}
	return filepath.Join(filepath.Dir(name), filepath.FromSlash(source))
}

// address returns a block's type and labels, joined.
func address(b *hclsyntax.Block) string {
	return strings.Join(append([]string{b.Type}, b.Labels...), ".")
}

// without returns a copy of a body without the block, attribute or nested blocks with an address, or nil if the body
// has no such address.
func without(body *hclsyntax.Body, addr string) *hclsyntax.Body {
	for i, b := range body.Blocks {
		of := address(b)
		if b.Type == localsBlock {
			of = "local"
		}
		if of == addr {
			return withBlocks(body, slices.Delete(slices.Clone(body.Blocks), i, i+1))
		}
		part, inside := strings.CutPrefix(addr, of+".")
		if !inside {
			continue
		}
		inner := withBlocks(b.Body, slices.DeleteFunc(slices.Clone(b.Body.Blocks),
			func(n *hclsyntax.Block) bool { return n.Type == part }))
		inner.Attributes = maps.Clone(b.Body.Attributes)
		delete(inner.Attributes, part)
		if len(inner.Blocks) == len(b.Body.Blocks) && len(inner.Attributes) == len(b.Body.Attributes) {
			continue
		}
		blocks := slices.Clone(body.Blocks)
		blocks[i] = withBody(b, inner)
		return withBlocks(body, blocks)
	}
	return nil
}

func withBlocks(body *hclsyntax.Body, blocks hclsyntax.Blocks) *hclsyntax.Body {
	changed := *body
	changed.Blocks = blocks
	return &changed
}

func withBody(block *hclsyntax.Block, body *hclsyntax.Body) *hclsyntax.Block {
	changed := *block
	changed.Body = body
	return &changed
}

// merge puts a file's blocks on top of its base's.
func (l *Layers) merge(base, own *hclsyntax.Body) *hclsyntax.Body {
	merged := withBlocks(own, slices.Clone(base.Blocks))
	seen := map[string]bool{} // a second block with an address is added, and reported as a duplicate
	for _, b := range own.Blocks {
		addr := address(b)
		i := slices.IndexFunc(base.Blocks, func(o *hclsyntax.Block) bool { return address(o) == addr })
		switch {
		case b.Type == BaseBlock:
		case b.Type == localsBlock:
			merged.Blocks = l.mergeLocals(merged.Blocks, len(base.Blocks), b)
		case i < 0 || seen[addr]:
			merged.Blocks = append(merged.Blocks, b)
		default:
			merged.Blocks[i] = l.mergeBlock(base.Blocks[i], b)
		}
		seen[addr] = true
	}
	return merged
}

func (l *Layers) mergeBlock(base, own *hclsyntax.Block) *hclsyntax.Block {
	inner := withBlocks(own.Body, nil)
	for _, n := range base.Body.Blocks {
		if !slices.ContainsFunc(own.Body.Blocks, func(o *hclsyntax.Block) bool { return o.Type == n.Type }) {
			inner.Blocks = append(inner.Blocks, n)
		}
	}
	inner.Blocks = append(inner.Blocks, own.Body.Blocks...)
	inner.Attributes = maps.Clone(base.Body.Attributes)
	maps.Copy(inner.Attributes, own.Body.Attributes)
	l.changes(own.DefRange(), base.DefRange())
	return withBody(own, inner)
}

// mergeLocals replaces locals in the first n blocks, those of the base, and adds a block with the rest.
func (l *Layers) mergeLocals(blocks hclsyntax.Blocks, n int, own *hclsyntax.Block) hclsyntax.Blocks {
	rest := withBlocks(own.Body, own.Body.Blocks)
	rest.Attributes = maps.Clone(own.Body.Attributes)
	for i, b := range blocks[:n] {
		if b.Type != localsBlock {
			continue
		}
		inner := withBlocks(b.Body, b.Body.Blocks)
		inner.Attributes = maps.Clone(b.Body.Attributes)
		for name, a := range own.Body.Attributes {
			if before, ok := inner.Attributes[name]; ok {
				l.changes(a.NameRange, before.NameRange)
				inner.Attributes[name] = a
				delete(rest.Attributes, name)
			}
		}
		blocks[i] = withBody(b, inner)
	}
	if len(rest.Attributes)+len(rest.Blocks) == 0 {
		return blocks
	}
	return append(blocks, withBody(own, rest))
}

// changes records that a header changes another one, and all that this one changes.
func (l *Layers) changes(own, base hcl.Range) {
	if l.Changed == nil {
		l.Changed = map[hcl.Range][]hcl.Range{}
	}
	l.Changed[own] = append([]hcl.Range{base}, l.Changed[base]...)
}
