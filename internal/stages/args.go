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

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
)

// Args holds the evaluated arguments of an instance or a nested block. Reading a name that the kind does not declare is
// a bug and panics. An attribute that was not given has its default, or is null.
type Args struct {
	Label    string // label, if this is a nested block
	Range    hcl.Range
	attrs    []Attr
	values   map[string]cty.Value
	rows     map[string]*rowexpr.Expr
	blocks   map[string][]*Args
	ranges   map[string]hcl.Range
	warnings hcl.Diagnostics

	sources   map[string][]string
	sensitive map[string]cty.Value // marked values of attributes that have sensitive parts

	evidence Evidence // nil means that this machine measures
	addr     string   // the instance's address, to look up its evidence

	trial *trial // nil if all values are known
}

// trial is the state of arguments whose values are not all known yet. Unknown values read as null.
type trial struct {
	guessed bool // an unknown value was read, so an error found now may not hold later
}

// Trial returns arguments with which New can look for mistakes while some values are unknown. Unknown values are null,
// but Has reports that they are given. Certain and Warnings omit errors and warnings that such a null may have caused.
func (a *Args) Trial() *Args { return a.onTrial(&trial{}) }

func (a *Args) onTrial(t *trial) *Args {
	own := *a
	own.trial, own.warnings, own.blocks = t, nil, map[string][]*Args{}
	for name, all := range a.blocks {
		for _, b := range all {
			own.AddBlock(name, b.onTrial(t))
		}
	}
	return &own
}

// Certain filters the error that New returned on a trial: it returns the diagnostics that hold for all unknown values.
func Certain(err error) (certain hcl.Diagnostics) {
	eachError(err, func(err error) {
		if inv, ok := errors.AsType[*InvalidError](err); ok && !inv.doubtful {
			certain = append(certain, inv.Diagnostic)
		}
	})
	return certain
}

// NewArgs returns the arguments of a block that declares the attributes attrs.
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

// SetValue sets a plain attribute to a value of its declared type. For an attribute with a unit, the value is a number.
func (a *Args) SetValue(name string, v cty.Value, rng hcl.Range) {
	a.declared(name)
	a.values[name], a.ranges[name] = v, rng
}

// SetRow sets a row expression.
func (a *Args) SetRow(name string, e *rowexpr.Expr, rng hcl.Range) {
	a.declared(name)
	a.rows[name], a.ranges[name] = e, rng
}

// AddBlock appends a nested block. Blocks with the same name keep their order.
func (a *Args) AddBlock(name string, b *Args) { a.blocks[name] = append(a.blocks[name], b) }

// SetSources sets the outputs that an attribute refers to, such as stage.index.library.benchmarks. The plan needs them
// while the values are unknown.
func (a *Args) SetSources(name string, outputs []string) { a.sources[name] = outputs }

// SourcesOf returns the outputs that SetSources set for an attribute.
func (a *Args) SourcesOf(name string) []string { return a.sources[name] }

// AllArtifacts returns every artifact among the arguments, including those of nested blocks, in the order of walk.
func (a *Args) AllArtifacts() []Artifact {
	var all []Artifact
	a.walk(func(v cty.Value) {
		if art, ok := ArtifactOf(v); ok {
			all = append(all, art)
		}
	})
	return all
}

// walk calls do for every part of every known argument in declaration order, and then for those of nested blocks, by
// the blocks' names.
func (a *Args) walk(do func(cty.Value)) { a.walkAttrs(func(_ Attr, v cty.Value) { do(v) }) }

// walkAttrs is like walk, but also passes each value's attribute to do.
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

// Value returns a plain attribute; null if it was not given.
func (a *Args) Value(name string) cty.Value {
	v, guessed := a.value(name)
	if guessed {
		a.trial.guessed = true
	}
	return v
}

// value is like Value, and reports in guessed whether the value is null only because a trial does not know it yet.
// Artifacts and files are exempt: nobody reads them before the stage executes.
func (a *Args) value(name string) (v cty.Value, guessed bool) {
	attr := a.declared(name)
	v, given := a.values[name]
	if guessed = given && a.trial != nil && !v.IsWhollyKnown(); guessed || !given {
		v = cty.NullVal(attr.Type)
	}
	return v, guessed
}

// Map returns the elements of a map or object by name; nil if it is null.
func (a *Args) Map(name string) map[string]cty.Value {
	if v := a.Value(name); !v.IsNull() {
		return v.AsValueMap()
	}
	return nil
}

// TextMap returns a map of texts; empty if it is null. A null element becomes an empty text.
func (a *Args) TextMap(name string) map[string]string {
	all := map[string]string{}
	for key, v := range a.Map(name) {
		if all[key] = ""; !v.IsNull() {
			all[key] = v.AsString()
		}
	}
	return all
}

// List returns the elements of a list, set or tuple; nil if it is null.
func (a *Args) List(name string) []cty.Value {
	if v := a.Value(name); !v.IsNull() {
		return v.AsValueSlice()
	}
	return nil
}

// Ints returns a list of whole numbers; nil if it is null.
func (a *Args) Ints(name string) []int64 {
	var all []int64
	for _, e := range a.List(name) {
		n, _ := e.AsBigFloat().Int64()
		all = append(all, n)
	}
	return all
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

// Int returns an attribute that is a whole number or has a unit; zero if it is null.
func (a *Args) Int(name string) int64 {
	attr, v := a.declared(name), a.Value(name)
	if attr.Whole == nil && attr.Unit == NoUnit {
		panic(fmt.Sprintf("stages: attribute %s is not declared as a whole number", name))
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

// Strings returns a list, set or tuple of texts; nil if it is null. A null element becomes an empty text.
func (a *Args) Strings(name string) []string { return Texts(a.Value(name)) }

// Text returns an attribute of an object; empty if it is null.
func Text(v cty.Value, attr string) string {
	if a := v.GetAttr(attr); !a.IsNull() {
		return a.AsString()
	}
	return ""
}

// Holds reports whether an attribute of an object is true; null counts as false.
func Holds(v cty.Value, attr string) bool {
	a := v.GetAttr(attr)
	return !a.IsNull() && a.True()
}

// Texts returns a list, set or tuple of texts; nil if it is null. A null element becomes an empty text.
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

// TextLists returns lists of texts by name as a value.
func TextLists(lists map[string][]string) cty.Value {
	if len(lists) == 0 {
		return cty.MapValEmpty(cty.List(cty.String))
	}
	all := make(map[string]cty.Value, len(lists))
	for name, texts := range lists {
		all[name] = rowexpr.TextList(texts)
	}
	return cty.MapVal(all)
}

// Artifact returns a table, tree or blob; ok is false if it is null.
func (a *Args) Artifact(name string) (art Artifact, ok bool) {
	v, _ := a.value(name)
	return ArtifactOf(v)
}

// OptionalArtifact returns a table, tree or blob; nil if it is null.
func (a *Args) OptionalArtifact(name string) *Artifact {
	if art, ok := a.Artifact(name); ok {
		return &art
	}
	return nil
}

// Artifacts returns a list, set or tuple of artifacts.
func (a *Args) Artifacts(name string) []Artifact {
	v, _ := a.value(name)
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
func (a *Args) File(name string) (f File, ok bool) {
	v, _ := a.value(name)
	return FileOf(v)
}

// Files returns a list of files.
func (a *Args) Files(name string) []File {
	var all []File
	for _, e := range a.List(name) {
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

// Blocks returns the nested blocks with a name, in order.
func (a *Args) Blocks(name string) []*Args { return a.blocks[name] }

// Block returns the nested block with a name, of which there is at most one; nil if there is none.
func (a *Args) Block(name string) *Args {
	if all := a.blocks[name]; len(all) > 0 {
		return all[0]
	}
	return nil
}

// RangeOf returns an attribute's source range, or the block's range if the attribute was not given.
func (a *Args) RangeOf(name string) hcl.Range {
	if r, ok := a.ranges[name]; ok {
		return r
	}
	return a.Range
}

// Invalid returns an error about an attribute of args, which the language reports with its source. remedy tells the
// user what to do.
func (a *Args) Invalid(name, summary, remedy string) error {
	rng := a.RangeOf(name)
	return &InvalidError{doubtful: a.trial != nil && (a.trial.guessed || !a.isKnown(name)), Diagnostic: &hcl.Diagnostic{
		Severity: hcl.DiagError,
		Summary:  summary,
		Detail:   remedy,
		Subject:  &rng,
		Context:  a.Range.Ptr(),
	}}
}

// isKnown reports whether an attribute is given and entirely known.
func (a *Args) isKnown(name string) bool {
	if row := a.rows[name]; row != nil {
		return row.Known()
	}
	v, ok := a.values[name]
	return ok && v.IsWhollyKnown()
}

// InvalidError is an error with a source location.
type InvalidError struct {
	Diagnostic *hcl.Diagnostic
	doubtful   bool // an unknown value may have caused the error
}

func (e *InvalidError) Error() string { return e.Diagnostic.Error() }

// Warn adds a warning about the stage, which still executes.
func (a *Args) Warn(d *hcl.Diagnostic) {
	if a.trial == nil || !a.trial.guessed {
		a.warnings = append(a.warnings, d)
	}
}

// Warnings returns the warnings that New added.
func (a *Args) Warnings() hcl.Diagnostics { return a.warnings }

// Diagnose converts an error from New to diagnostics. Errors without a location get the block's location.
func Diagnose(err error, block hcl.Range) (diags hcl.Diagnostics) {
	eachError(err, func(err error) {
		d := &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Invalid stage",
			Detail: capitalised(strings.TrimSuffix(err.Error(), ".")) + ".", Subject: &block}
		if inv, ok := errors.AsType[*InvalidError](err); ok {
			d = inv.Diagnostic
		}
		diags = append(diags, d)
	})
	return diags
}

// eachError calls visit for each error that errors.Join has joined.
func eachError(err error, visit func(error)) {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		for _, e := range many.Unwrap() {
			eachError(e, visit)
		}
	} else if err != nil {
		visit(err)
	}
}

func (a *Args) declared(name string) *Attr {
	attr := FindAttr(a.attrs, name)
	if attr == nil {
		panic(fmt.Sprintf("stages: attribute %q is not declared", name))
	}
	return attr
}
