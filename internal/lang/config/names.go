package config

import (
	"bytes"
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
)

// Name is a name that a pipeline declares, with all its places in the files.
type Name struct {
	Root   string // first word of references to it, or "function", "output", "check", "parameter"
	Name   string
	Places []Place // declarations first; there are several if modules share a variable
}

// Place is an occurrence of a name in a file, without quotes.
type Place struct {
	File       string
	Start, End int // byte offsets of the name
	From, To   int // byte offsets of the whole reference
	Declares   bool
}

// OnDisk reports whether the file is on disk rather than built into smtpipe.
func (p Place) OnDisk() bool { return filepath.IsAbs(p.File) }

// Declared holds the names that a pipeline declares.
type Declared struct {
	Names    []Name
	Files    []string // files of the pipeline and its modules
	Complete bool     // whether all files could be parsed, so no place is missing
	Diags    hcl.Diagnostics
}

// Names returns the names that a pipeline declares, without evaluating it. The diagnostics cover syntax, declarations
// and references.
func Names(opt Options) Declared {
	l := opt.read()
	d := Declared{Files: slices.Sorted(maps.Keys(l.p.sources)), Complete: !anyPartial(l.p.root), Diags: l.diags}
	for _, to := range append(slices.Clone(l.p.decls), l.params...) {
		d.Names = append(d.Names, l.nameOf(to))
	}
	d.Names = MergeNames(d.Names)
	return d
}

// MergeNames merges names that share a place: names in a module that is used twice, and a module variable that is also
// a variable of the pipeline.
func MergeNames(names []Name) []Name {
	var all []*Name
	at := map[Place]*Name{} // names by place, ignoring the place's role
	for _, n := range names {
		to := &Name{Root: n.Root, Name: n.Name, Places: n.Places}
		for _, p := range n.Places {
			if old := at[p.plain()]; old != nil && old != to {
				to.Places = append(slices.Clone(to.Places), old.Places...)
				for _, p := range old.Places {
					at[p.plain()] = to
				}
				old.Places = nil
			}
			at[p.plain()] = to
		}
		all = append(all, to)
	}
	var merged []Name
	for _, n := range all {
		if len(n.Places) > 0 {
			slices.SortFunc(n.Places, comparePlaces)
			found := map[Place]bool{}
			n.Places = slices.DeleteFunc(n.Places, func(p Place) bool {
				again := found[p.plain()]
				found[p.plain()] = true
				return again
			})
			merged = append(merged, *n)
		}
	}
	return merged
}

// plain returns a place without its role, because the declaration of a shared variable is a use of the module's
// variable.
func (p Place) plain() Place {
	return Place{File: p.File, Start: p.Start, End: p.End}
}

func comparePlaces(a, b Place) int {
	switch {
	case a.Declares != b.Declares && a.Declares:
		return -1
	case a.Declares != b.Declares:
		return 1
	}
	return cmp.Or(strings.Compare(a.File, b.File), a.Start-b.Start)
}

func (l *loader) nameOf(d *decl) Name {
	n := Name{Root: d.root(), Name: d.short()}
	if p, ok := l.place(d, d.rng); ok {
		p.Declares = true
		n.Places = append(n.Places, p)
	}
	n.Places = append(n.Places, l.links[d]...)
	return n
}

// root returns the first word of the address within the module, and short returns the last part.
func (d *decl) root() string {
	addr := d.addr
	if d.mod.addr != "" {
		addr = strings.TrimPrefix(addr, d.mod.addr+".")
	}
	root, _, _ := strings.Cut(addr, ".")
	return root
}

func (d *decl) short() string { return d.addr[strings.LastIndexByte(d.addr, '.')+1:] }

// link records that a range in the source names a declaration, as part of a reference.
func (l *loader) link(d *decl, at, of hcl.Range) {
	if p, ok := l.place(d, at); ok {
		p.From, p.To = of.Start.Byte, of.End.Byte
		if l.links == nil {
			l.links = map[*decl][]Place{}
		}
		l.links[d] = append(l.links[d], p)
	}
}

// linkOwn links a reference to one of the expression's own names: a parameter, or the validated variable.
func (l *loader) linkOwn(u *use, t hcl.Traversal) {
	for _, d := range u.own {
		step := 0
		if d.root() == "var" {
			step = 1
		}
		if name, ok := hclsource.Step(t, step); ok && name == d.short() {
			l.link(d, t[step].SourceRange(), t.SourceRange())
		}
	}
}

// place locates a declaration's name in a range, such as [".name"], ["name"] or a block's first line.
func (l *loader) place(d *decl, at hcl.Range) (Place, bool) {
	file := l.p.sources[at.Filename]
	if file == nil || !at.CanSliceBytes(file.Bytes) {
		return Place{}, false
	}
	i := bytes.LastIndex(at.SliceBytes(file.Bytes), []byte(d.short()))
	start := at.Start.Byte + i
	return Place{File: at.Filename, Start: start, End: start + len(d.short())}, i >= 0
}

// anyPartial reports whether any file in a module or its descendants could not be parsed.
func anyPartial(m *module) bool {
	return m.partial || slices.ContainsFunc(m.calls.all(), func(c *moduleCall) bool { return anyPartial(c.child) })
}
