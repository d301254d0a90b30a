package stages

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/rowexpr"
)

// Args are the evaluated arguments of one instance, or of one nested block. Reading a name that the kind does not
// declare is a bug and panics. Attributes that were not given have their default, or are null.
type Args struct {
	Label    string // of a nested block
	Range    hcl.Range
	attrs    []Attr
	values   map[string]cty.Value
	rows     map[string]*rowexpr.Expr
	blocks   map[string][]*Args
	ranges   map[string]hcl.Range
	warnings hcl.Diagnostics

	sources   map[string][]string
	sensitive map[string]cty.Value // values with marks, of attributes with sensitive parts

	evidence Evidence // nil: this machine measures
	addr     string   // of the instance, for the evidence
}

// NewArgs starts the arguments of a block whose attributes are declared by attrs.
func NewArgs(attrs []Attr, label string, rng hcl.Range) *Args {
	return &Args{
		Label:  label,
		Range:  rng,
		attrs:  attrs,
		values: map[string]cty.Value{},
		rows:   map[string]*rowexpr.Expr{},
		blocks: map[string][]*Args{},
		ranges: map[string]hcl.Range{},

		sources: map[string][]string{},
	}
}

// SetValue sets a plain attribute to a value of its declared type; with a unit, to a number.
func (a *Args) SetValue(name string, v cty.Value, rng hcl.Range) {
	a.declared(name)
	a.values[name], a.ranges[name] = v, rng
}

// SetRow sets a row expression.
func (a *Args) SetRow(name string, e *rowexpr.Expr, rng hcl.Range) {
	a.declared(name)
	a.rows[name], a.ranges[name] = e, rng
}

// AddBlock appends a nested block; the order of blocks of one name is kept.
func (a *Args) AddBlock(name string, b *Args) { a.blocks[name] = append(a.blocks[name], b) }

// SetSources sets the outputs that an attribute refers to, such as stage.index.library.benchmarks. The plan needs them
// for values that are not known yet.
func (a *Args) SetSources(name string, outputs []string) { a.sources[name] = outputs }

// SourcesOf returns the outputs that SetSources set.
func (a *Args) SourcesOf(name string) []string { return a.sources[name] }

// AllArtifacts returns every artifact among the arguments, nested blocks included, in the order of declaration.
func (a *Args) AllArtifacts() []Artifact {
	var all []Artifact
	a.walk(func(v cty.Value) {
		if art, ok := ArtifactOf(v); ok {
			all = append(all, art)
		}
	})
	return all
}

// walk calls do for every part of every known argument, nested blocks included, in the order of declaration.
func (a *Args) walk(do func(cty.Value)) { a.walkAttrs(func(_ Attr, v cty.Value) { do(v) }) }

// walkAttrs is like walk, and also passes the attribute that a value belongs to.
func (a *Args) walkAttrs(do func(Attr, cty.Value)) {
	for _, attr := range a.attrs {
		v, ok := a.values[attr.Name]
		if !ok || !v.IsWhollyKnown() {
			continue
		}
		cty.Walk(v, func(_ cty.Path, v cty.Value) (bool, error) {
			do(attr, v)
			return true, nil
		})
	}
	for _, name := range slices.Sorted(maps.Keys(a.blocks)) {
		for _, b := range a.blocks[name] {
			b.walkAttrs(do)
		}
	}
}

// Has reports whether the attribute was given or has a default, and is not null.
func (a *Args) Has(name string) bool {
	a.declared(name)
	if _, ok := a.rows[name]; ok {
		return true
	}
	v, ok := a.values[name]
	return ok && !v.IsNull()
}

// Value returns a plain attribute; a null value if it was not given.
func (a *Args) Value(name string) cty.Value {
	attr := a.declared(name)
	if v, ok := a.values[name]; ok {
		return v
	}
	return cty.NullVal(attr.Type)
}

// String returns a text attribute; empty if it is null.
func (a *Args) String(name string) string {
	if v := a.Value(name); !v.IsNull() {
		return v.AsString()
	}
	return ""
}

// Bool returns a truth value; false if it is null.
func (a *Args) Bool(name string) bool {
	v := a.Value(name)
	return !v.IsNull() && v.True()
}

// Int returns an attribute that is a whole number, or has a unit; zero if it is null.
func (a *Args) Int(name string) int64 {
	attr, v := a.declared(name), a.Value(name)
	if attr.Whole == nil && attr.Unit == NoUnit {
		panic(fmt.Sprintf("stages: the attribute %s is not declared as a whole number", name))
	}
	if v.IsNull() {
		return 0
	}
	n, _ := v.AsBigFloat().Int64()
	return n
}

// Duration returns an attribute with the unit Duration; zero if it is null.
func (a *Args) Duration(name string) time.Duration { return time.Duration(a.Int(name)) }

// Bytes returns an attribute with the unit Size; zero if it is null.
func (a *Args) Bytes(name string) int64 { return a.Int(name) }

// Strings returns a list, set or tuple of texts; nil if it is null. A null among them is an empty text.
func (a *Args) Strings(name string) []string { return Texts(a.Value(name)) }

// Text returns an attribute of an object; empty if it is null.
func Text(v cty.Value, attr string) string {
	if a := v.GetAttr(attr); !a.IsNull() {
		return a.AsString()
	}
	return ""
}

// Holds reports whether an attribute of an object is true; null is not.
func Holds(v cty.Value, attr string) bool {
	a := v.GetAttr(attr)
	return !a.IsNull() && a.True()
}

// Texts returns a list, set or tuple of texts; nil if it is null. A null among them is an empty text.
func Texts(v cty.Value) []string {
	if v.IsNull() {
		return nil
	}
	var all []string
	for _, e := range v.AsValueSlice() {
		if e.IsNull() {
			all = append(all, "")
			continue
		}
		all = append(all, e.AsString())
	}
	return all
}

// Artifact returns a table, tree or blob; ok is false if it is null.
func (a *Args) Artifact(name string) (art Artifact, ok bool) { return ArtifactOf(a.Value(name)) }

// Artifacts returns a list, set or tuple of artifacts.
func (a *Args) Artifacts(name string) []Artifact {
	v := a.Value(name)
	if v.IsNull() {
		return nil
	}
	if art, ok := ArtifactOf(v); ok {
		return []Artifact{art}
	}
	var all []Artifact
	for _, e := range v.AsValueSlice() {
		if art, ok := ArtifactOf(e); ok {
			all = append(all, art)
		}
	}
	return all
}

// File returns a file attribute; ok is false if it is null.
func (a *Args) File(name string) (f File, ok bool) { return FileOf(a.Value(name)) }

// Files returns a list of files.
func (a *Args) Files(name string) []File {
	v := a.Value(name)
	if v.IsNull() {
		return nil
	}
	var all []File
	for _, e := range v.AsValueSlice() {
		if f, ok := FileOf(e); ok {
			all = append(all, f)
		}
	}
	return all
}

// Row returns a row expression; nil if it was not given.
func (a *Args) Row(name string) *rowexpr.Expr {
	a.declared(name)
	return a.rows[name]
}

// Blocks returns the nested blocks of a name, in order.
func (a *Args) Blocks(name string) []*Args { return a.blocks[name] }

// Block returns the single nested block of a name; nil if there is none.
func (a *Args) Block(name string) *Args {
	if all := a.blocks[name]; len(all) > 0 {
		return all[0]
	}
	return nil
}

// RangeOf returns the range of an attribute in its source, or the block's range if it was not given.
func (a *Args) RangeOf(name string) hcl.Range {
	if r, ok := a.ranges[name]; ok {
		return r
	}
	return a.Range
}

// Invalid returns an error at one attribute of args, which the language reports with its source. Remedy says what to
// do.
func (a *Args) Invalid(name, summary, remedy string) error {
	rng := a.RangeOf(name)
	return &InvalidError{Diagnostic: &hcl.Diagnostic{
		Severity: hcl.DiagError,
		Summary:  summary,
		Detail:   remedy,
		Subject:  &rng,
		Context:  a.Range.Ptr(),
	}}
}

// InvalidError is an error at a place in the source.
type InvalidError struct{ Diagnostic *hcl.Diagnostic }

func (e *InvalidError) Error() string { return e.Diagnostic.Error() }

// Warn adds a warning about the stage that does not keep it from executing.
func (a *Args) Warn(d *hcl.Diagnostic) { a.warnings = append(a.warnings, d) }

// Warnings returns the warnings of New.
func (a *Args) Warnings() hcl.Diagnostics { return a.warnings }

// Diagnose converts an error of New to diagnostics. Errors without a place get that of the block.
func Diagnose(err error, block hcl.Range) hcl.Diagnostics {
	if err == nil {
		return nil
	}
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		var diags hcl.Diagnostics
		for _, e := range many.Unwrap() {
			diags = append(diags, Diagnose(e, block)...)
		}
		return diags
	}
	if inv, ok := errors.AsType[*InvalidError](err); ok {
		return hcl.Diagnostics{inv.Diagnostic}
	}
	return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "Invalid stage",
		Detail: capitalised(strings.TrimSuffix(err.Error(), ".")) + ".", Subject: &block}}
}

func (a *Args) declared(name string) *Attr {
	attr := FindAttr(a.attrs, name)
	if attr == nil {
		panic(fmt.Sprintf("stages: attribute %q is not declared", name))
	}
	return attr
}
