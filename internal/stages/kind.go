// Package stages defines what a stage is: its kind with typed attributes and outputs, the arguments of one instance,
// and the surroundings in which it executes. The concrete stages are the folders below; stages/all lists them.
//
// The language (internal/lang/config) reads attributes by these declarations, the engine (internal/engine) executes
// stages through them, and the reference pages are generated from them, so that the three never differ.
package stages

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
)

// Kind declares one kind of stage. It is data: the language, the key, the plan and the documentation follow from it.
type Kind struct {
	Name    string
	Version int    // raised when equal arguments may produce other bytes
	Summary string // one sentence
	Doc     string // paragraphs for the reference page
	Example string // a complete block
	Attrs   []Attr
	Blocks  []Block
	Outputs []Output

	// Measured marks records of events: reused by key, never silently executed again, never compared by bytes.
	Measured bool
	// ByItems means that everything that a measured kind measures is an item. If all items have records, an execution
	// only assembles the outputs.
	ByItems bool

	// Spent returns the core-seconds that the item of a record took: its CPU time or its wall time, whichever is
	// larger. Kinds with ByItems have it.
	Spent func(record []byte) (coreSeconds float64, err error)

	// Quick reports whether an instance may be executed just for a plan: it executes no runs, starts no program,
	// reaches no other machine, and takes little time compared with the planned work. nil means that it may not.
	Quick func(*Instance) bool

	// Recall recovers item records from the outputs of a measured instance and passes them to put, by namespace and
	// key, so that evidence can be used item by item. nil means that the outputs do not contain them.
	Recall func(store *cache.Store, outputs map[string]Artifact,
		put func(namespace string, key cache.Key, record []byte) error) error

	// New checks the arguments beyond their types. It reports errors at attributes by Invalid, joined with errors.Join.
	New func(*Args) (Action, error)

	// Bound returns an upper bound of the rows of the kind's tables, given the rows of its input tables. Plans use it
	// for stages that have not run yet. nil means that there is no bound. rows returns an upper bound of the rows of an
	// input table.
	Bound func(a *Args, rows func(attr string) (n int64, known bool)) (int64, bool)

	// Extent is like Bound, for kinds that use the rows of each logic or pass them on. It is called instead of Bound.
	Extent func(a *Args, of func(attr string) (Extent, bool)) (Extent, bool)

	// Estimate returns the expected cost of an instance's runs, for the plan. It is called for instances that are not
	// in the store, even if some of their arguments are unknown. in.Action is then nil. A nil Estimate means that the
	// kind executes no runs.
	Estimate func(in *Instance, f *Forecast) (*Cost, error)
}

// Always is the Quick of kinds whose instances are all quick.
func Always(*Instance) bool { return true }

// Action is one instance of a stage, ready to execute.
type Action interface {
	// Execute reads its inputs and sets every output in env. When ctx is cancelled, it returns the cause. If it fails,
	// there is no output.
	Execute(ctx context.Context, env *Env) error
}

// KeyExtender is an Action whose outputs depend on more than its arguments: on the machine, where runs are measured, or
// on a rule set that is given by name only.
type KeyExtender interface {
	// ExtendKey writes the further dependencies of the outputs.
	ExtendKey(k *cache.KeyWriter)
}

// ItemExplainer is an Action that can explain an item of its outputs.
type ItemExplainer interface {
	// ExplainItem explains one item, such as a benchmark's path or BENCHMARK@SOLVER, from the outputs of the instance.
	ExplainItem(store *cache.Store, outputs map[string]cty.Value, item string) ([]cache.Component, error)
}

// Attr declares one attribute of a stage or nested block.
type Attr struct {
	Name     string
	Doc      string
	Type     cty.Type  // of the value; or of the result of a row expression
	Row      *Row      // not nil: a row expression, kept undecoded and evaluated per row
	Unit     Unit      // not NoUnit: a string with a unit in HCL, a number (nanoseconds, bytes) in Args
	Whole    *Whole    // not nil: a whole number
	Default  cty.Value // cty.NilVal: no default
	Required bool

	// Inherit is the path to the part of competition that is the default of the attribute, such as {"rules",
	// "validation"}.
	Inherit []string

	// Agree holds attributes, such as track, in which this stage must agree with the stage that produced the
	// attribute's value. Each has a function that reports whether that stage's value fits this stage's.
	Agree map[string]func(theirs, ours string) bool
	// Upstream names another attribute: its table was made from this one, such as the benchmarks of some runs.
	Upstream string

	// Joined marks verdicts that must be joined with a table that says who takes part.
	Joined bool

	// Secret allows sensitive values: the attribute is used and never becomes part of an output.
	Secret bool

	// InKey returns the part of a value that can change an output. nil means all of it.
	InKey func(cty.Value) cty.Value
	// KeyText returns the text for a value in keys, if not all of the value can change an output. nil means that the
	// value itself is written.
	KeyText func(cty.Value) string

	// Named marks files that are named by their digests and never read, so that evidence does not need them.
	Named bool
	// Bulk marks files that are many or large, such as benchmarks: a frozen folder contains them only on request.
	Bulk bool

	// Private marks files with people's addresses, which are left out of a frozen folder.
	Private bool

	// NotInKey marks an attribute that cannot change an output, such as how many workers are used.
	NotInKey bool
}

// Row declares which variables a row expression may use.
type Row struct {
	Scope rowexpr.Scope
}

// Whole is the range of an attribute that is a whole number.
type Whole struct{ Min, Max int64 }

// WholeFrom returns the range from least to most, or from least on.
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

// String returns the range for messages.
func (w *Whole) String() string {
	if w.Max == math.MaxInt64 {
		return fmt.Sprintf("whole number from %d on", w.Min)
	}
	return fmt.Sprintf("whole number from %d to %d", w.Min, w.Max)
}

// Seed32 is the range of the seeds of generators that take 32 bits.
var Seed32 = WholeFrom(0, math.MaxUint32)

// Unit is the unit that an attribute's number carries in HCL.
type Unit uint8

// The units. A Duration is written "20m" and kept in nanoseconds; a Size is written "30GB" and kept in bytes.
const (
	NoUnit Unit = iota
	Duration
	Size
)

// Block declares a kind of nested block.
type Block struct {
	Name     string
	Doc      string
	Label    string // meaning of the label; empty: the block has none
	Attrs    []Attr
	Min, Max int // Max 0 means no bound
}

// Output declares one output: an artifact type of this package, or a plain value type.
type Output struct {
	Name string
	Doc  string
	Type cty.Type
}

// Article returns the name with its article, such as "an index" and "a cap".
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

// FindAttr returns an attribute by name, or nil if there is none.
func FindAttr(attrs []Attr, name string) *Attr {
	for i := range attrs {
		if attrs[i].Name == name {
			return &attrs[i]
		}
	}
	return nil
}
