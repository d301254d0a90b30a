// Package stages says what a stage is: its kind with typed attributes and outputs, the arguments of one instance, and
// the surroundings in which it executes. The concrete stages are the folders below; stages/all lists them.
//
// The language (internal/config) reads attributes by these declarations, the engine (internal/engine) executes stages
// through them, and the reference pages are generated from them, so that the three never differ.
package stages

import (
	"context"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/rowexpr"
)

// Kind declares one kind of stage. It is data: the language, the key, the plan and the documentation follow from it.
type Kind struct {
	Name    string
	Version int    // raised when equal arguments may give other bytes
	Summary string // one sentence
	Doc     string // paragraphs for the reference page
	Example string // a complete block
	Attrs   []Attr
	Blocks  []Block
	Outputs []Output

	// Measured marks records of events: reused by key, never executed again silently, never compared by bytes.
	Measured bool
	// ByItems says of a measured kind that all it measures are items: where each has its record, an execution only puts
	// the outputs together.
	ByItems bool

	// Quick reports whether an instance may be executed for a plan alone: it makes no runs, starts no program, reaches
	// no other machine, and takes little time beside what it is planned for. nil: it may not.
	Quick func(*Instance) bool

	// Recall hands the records of the items that the outputs of a measured instance came from to put, by namespace and
	// key, so that evidence can be used item by item. nil: the outputs do not have them.
	Recall func(store *cache.Store, outputs map[string]Artifact,
		put func(namespace string, key cache.Key, record []byte) error) error

	// New checks the arguments beyond their types. It reports errors at attributes by Invalid, joined with errors.Join.
	New func(*Args) (Action, error)

	// Bound gives an upper bound of the rows of the kind's tables from the rows of its input tables, for the plan of
	// what has not run yet; nil if none can be given. rows tells how many rows an input table has, at most.
	Bound func(a *Args, rows func(attr string) (n int64, known bool)) (int64, bool)

	// Extent is as Bound, for kinds that can say more when the rows of each logic are known, or hand that on; it is
	// asked in place of Bound.
	Extent func(a *Args, of func(attr string) (Extent, bool)) (Extent, bool)

	// Estimate says what the runs of an instance will take, for the plan. It is asked for instances that are not in the
	// store, also while some of their arguments are unknown; then in.Action is nil. nil: the kind makes no runs.
	Estimate func(in *Instance, f *Forecast) (*Cost, error)
}

// Always is the Quick of kinds whose every instance is.
func Always(*Instance) bool { return true }

// Action is one instance of a stage, ready to execute.
type Action interface {
	// Execute reads its inputs and sets every output in env. It returns when ctx is cancelled, with its cause. An
	// error leaves no output behind.
	Execute(ctx context.Context, env *Env) error
}

// KeyExtender is an Action whose outputs depend on more than its arguments: on the machine, where runs are measured, or
// on a rule set that is named and not given.
type KeyExtender interface {
	// ExtendKey writes what else the outputs depend on.
	ExtendKey(k *cache.KeyWriter)
}

// ItemExplainer is an Action that can say why an item of its outputs is what it is.
type ItemExplainer interface {
	// ExplainItem explains one item, as a benchmark's path or BENCHMARK@SOLVER, from the outputs of the instance.
	ExplainItem(store *cache.Store, outputs map[string]cty.Value, item string) ([]cache.Component, error)
}

// Attr declares one attribute of a stage or nested block.
type Attr struct {
	Name     string
	Doc      string
	Type     cty.Type  // of the value; for a row expression, of its result
	Row      *Row      // not nil: a row expression, kept undecoded and evaluated per row
	Unit     Unit      // not NoUnit: a string with a unit in HCL, a number (nanoseconds, bytes) in Args
	Default  cty.Value // cty.NilVal: no default
	Required bool

	// Inherit is the way to the part of competition that the attribute is if it is not given, such as {"rules",
	// "validation"}.
	Inherit []string

	// Agree are attributes, as track, in which this stage and the one whose output the attribute is must fit: by name,
	// whether the value of that stage fits that of this one.
	Agree map[string]func(theirs, ours string) bool
	// Upstream names another attribute: this one is what its table was made of, as the benchmarks of some runs.
	Upstream string

	// Secret allows sensitive values: the attribute is used and never becomes part of an output.
	Secret bool

	// KeyText returns what stands for a value in keys, where not all of it can change an output; nil: the value does.
	KeyText func(cty.Value) string

	// Named marks files that are named by their digests and never read, so that evidence does not need them.
	Named bool
	// Bulk marks files that are many or large, such as benchmarks: a frozen folder has them only on request.
	Bulk bool

	// NotInKey marks what cannot change an output, such as how many workers are used.
	NotInKey bool
}

// Row declares which variables a row expression may use.
type Row struct {
	Scope rowexpr.Scope
}

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
	Label    string // what the label means; empty: the block has none
	Attrs    []Attr
	Min, Max int // Max 0: no bound
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

// Output finds an output by name; nil if there is none.
func (k *Kind) Output(name string) *Output {
	for i := range k.Outputs {
		if k.Outputs[i].Name == name {
			return &k.Outputs[i]
		}
	}
	return nil
}

// FindAttr finds an attribute by name; nil if there is none.
func FindAttr(attrs []Attr, name string) *Attr {
	for i := range attrs {
		if attrs[i].Name == name {
			return &attrs[i]
		}
	}
	return nil
}
