// Package stages defines stages: a kind with typed attributes and outputs, the arguments of an instance, and the
// environment in which it executes. The folders below hold the concrete stages; stages/all lists them.
//
// The language (internal/lang/config) reads attributes by these declarations, the engine (internal/engine) executes
// stages through them, and the reference pages are generated from them, so the three cannot diverge.
package stages

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
)

// Kind declares a kind of stage. It consists of data, from which the language, the key, the plan and the documentation
// are derived.
type Kind struct {
	Name    string
	Version int    // incremented when equal arguments may produce different bytes
	Summary string // a single sentence
	Doc     string // paragraphs for the reference page
	Example string // a complete stage block
	Attrs   []Attr
	Blocks  []Block
	Outputs []Output

	// Measured marks kinds whose records describe events: they are reused by key, never silently executed again, and
	// never compared by bytes.
	Measured bool
	// ByItems means that everything a kind measures is stored as items. If all items have records, an execution only
	// assembles the outputs.
	ByItems bool

	// Spent returns the core-seconds that a record's item took: the larger of CPU time and wall time. Kinds with
	// ByItems set it.
	Spent func(record []byte) (coreSeconds float64, err error)

	// Quick reports whether an instance may be executed just for a plan: it executes no runs, starts no program,
	// contacts no other machine, and takes little time compared with the planned work. nil means that no instance may.
	Quick func(*Instance) bool

	// Recall recovers item records from a measured instance's outputs and passes them to put, by namespace and key, so
	// that evidence can be used item by item. nil means that the outputs do not contain the records.
	Recall func(store *cache.Store, outputs map[string]Artifact,
		put func(namespace string, key cache.Key, record []byte) error) error

	// New checks the arguments beyond their types. It reports an error about an attribute with Invalid, and several
	// with errors.Join.
	New func(*Args) (Action, error)

	// Extent returns upper bounds on the rows of the kind's tables, given those of its input tables: on their number,
	// and on their numbers per logic if the kind knows them. Plans use it for stages that have not been executed. nil
	// means that there is no bound.
	Extent func(a *Args, of func(attr string) (e Extent, known bool)) (Extent, bool)

	// Estimate returns the expected cost of an instance's runs, for the plan. It is called for instances that are not
	// in the store, even if some arguments are unknown; in that case in.Action is nil. A nil Estimate means that the
	// kind executes no runs.
	Estimate func(in *Instance, f *Forecast) (*Cost, error)
}

// Always is the Quick function of kinds whose instances are all quick.
func Always(*Instance) bool { return true }

// Action is one instance of a stage, ready to execute.
type Action interface {
	// Execute reads its inputs and sets every output in env. When ctx is cancelled, it returns the cause. A failed
	// execution has no outputs.
	Execute(ctx context.Context, env *Env) error
}

// KeyExtender is an Action whose outputs depend on more than its arguments: on the machine that measures runs, or on a
// rule set given only by name.
type KeyExtender interface {
	// ExtendKey writes what else the outputs depend on.
	ExtendKey(k *cache.KeyWriter)
}

// ItemExplainer is an Action that can explain an item of its outputs.
type ItemExplainer interface {
	// ExplainItem explains an item, such as a benchmark's path or BENCHMARK@SOLVER, from the instance's outputs.
	ExplainItem(store *cache.Store, outputs map[string]cty.Value, item string) ([]cache.Component, error)
}

// Attr declares one attribute of a stage or nested block.
type Attr struct {
	Name string
	Doc  string
	Type cty.Type // type of the value, or of a row expression's result
	Row  *Row     // if not nil, the attribute is a row expression, kept undecoded and evaluated per row
	// Unit, unless it is NoUnit, makes the attribute a string with a unit in HCL and a number (nanoseconds, bytes) in
	// Args.
	Unit     Unit
	Whole    *Whole    // if not nil, the value is a whole number in this range
	Default  cty.Value // cty.NilVal if there is no default
	Required bool

	// Inherit is the path to the part of the competition that provides the attribute's default, such as {"rules",
	// "validation"}.
	Inherit []string

	// Agree names attributes, such as track, in which this stage must agree with the stage that produced the
	// attribute's value. Each function reports whether that stage's value fits this stage's.
	Agree map[string]func(theirs, ours string) bool
	// Upstream names the attribute whose table this one was made from, such as the benchmarks of some runs.
	Upstream string

	// Joined marks verdicts that must be joined with a table of entrants.
	Joined bool

	// Secret allows sensitive values: the stage uses the attribute and never copies it to an output.
	Secret bool

	// InKey returns the part of a value that can change an output. A nil InKey means the whole value.
	InKey func(cty.Value) cty.Value
	// KeyText returns the text that represents a value in keys, if only part of the value can change an output. nil
	// means that the value itself is written.
	KeyText func(cty.Value) string

	// Named marks files that are identified by digest and never read, so evidence need not contain them.
	Named bool
	// Bulk marks numerous or large files, such as benchmarks. A frozen folder contains them only on request.
	Bulk bool

	// Private marks files with personal addresses, which are omitted from a frozen folder.
	Private bool

	// NotInKey marks an attribute that cannot change an output, such as the number of workers.
	NotInKey bool
}

// Row declares the variables that a row expression may use.
type Row struct {
	Scope rowexpr.Scope
}

// Whole is the range of a whole-number attribute.
type Whole struct{ Min, Max int64 }

// WholeFrom returns the range from least to most, or from least up if most is omitted.
func WholeFrom(least int64, most ...int64) *Whole {
	w := &Whole{least, math.MaxInt64}
	if len(most) > 0 {
		w.Max = most[0]
	}
	return w
}

// Allows reports whether a known value is a whole number in the range.
func (w *Whole) Allows(v cty.Value) bool {
	n, accuracy := v.AsBigFloat().Int64()
	return accuracy == big.Exact && n >= w.Min && n <= w.Max
}

// String describes the range for messages.
func (w *Whole) String() string {
	if w.Max == math.MaxInt64 {
		return fmt.Sprintf("whole number from %d on", w.Min)
	}
	return fmt.Sprintf("whole number from %d to %d", w.Min, w.Max)
}

// Seed32 is the range of seeds for generators that take 32 bits.
var Seed32 = WholeFrom(0, math.MaxUint32)

// Unit is the unit of an attribute's number in HCL.
type Unit uint8

// The units. A Duration is written like "20m" and kept in nanoseconds; a Size is written like "30GB" and kept in bytes.
const (
	NoUnit Unit = iota
	Duration
	Size
)

// Block declares a kind of nested block.
type Block struct {
	Name     string
	Doc      string
	Label    string // meaning of the block's label; empty if the block has none
	Attrs    []Attr
	Min, Max int // a Max of 0 means no upper bound
}

// Output declares an output: an artifact type of this package, or a plain value type.
type Output struct {
	Name string
	Doc  string
	Type cty.Type
}

// Article returns a name with its indefinite article, such as "an index" or "a cap".
func (k *Kind) Article() string {
	if strings.ContainsAny(k.Name[:1], "aeiou") {
		return "an " + k.Name
	}
	return "a " + k.Name
}

// Output returns an output by name, or nil if there is none.
func (k *Kind) Output(name string) *Output {
	for i := range k.Outputs {
		if k.Outputs[i].Name == name {
			return &k.Outputs[i]
		}
	}
	return nil
}

// FindKind returns a kind by name, or nil if there is none.
func FindKind(kinds []*Kind, name string) *Kind {
	if i := slices.IndexFunc(kinds, func(k *Kind) bool { return k.Name == name }); i >= 0 {
		return kinds[i]
	}
	return nil
}

// FindBlock returns a nested block by name, or nil if there is none.
func FindBlock(blocks []Block, name string) *Block {
	if i := slices.IndexFunc(blocks, func(b Block) bool { return b.Name == name }); i >= 0 {
		return &blocks[i]
	}
	return nil
}

// BoundedBy returns an Extent for a kind whose tables have at most as many rows as its input table.
func BoundedBy(attr string) func(*Args, func(string) (Extent, bool)) (Extent, bool) {
	return func(_ *Args, of func(string) (Extent, bool)) (Extent, bool) {
		e, ok := of(attr)
		return Extent{Rows: e.Rows}, ok
	}
}

// FindAttr returns an attribute by name, or nil if there is none.
func FindAttr(attrs []Attr, name string) *Attr {
	if i := slices.IndexFunc(attrs, func(a Attr) bool { return a.Name == name }); i >= 0 {
		return &attrs[i]
	}
	return nil
}
