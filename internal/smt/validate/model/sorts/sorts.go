// Package sorts holds the sorts of a script. Sorts are interned, so equal sorts have equal IDs, and definitions are
// expanded.
package sorts

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"strings"
)

// ID identifies a sort in a Table. The zero ID is not a sort.
type ID int32

// Kind distinguishes families of sorts.
type Kind uint8

// The kinds of sorts. Uninterpreted and Datatype have a Decl. Param is a sort parameter in a datatype's declaration.
const (
	None Kind = iota
	Bool
	Int
	Real
	String
	RegLan
	RoundingMode
	BitVec        // N is the width
	Float         // N exponent bits, M significand bits
	Array         // Args are the index and element sorts
	Seq           // Args contains the element sort
	Uninterpreted // Decl and Args
	Datatype      // Decl and Args
	Param         // N is the parameter's position
	Func          // -> of version 2.7; Args are the argument sorts and the result sort
	Abstract      // sort of an abstract value whose uninterpreted sort is not written
	Open          // parameter of a datatype that is not written, as in a bare nil
)

// IDs of sorts without arguments, which are the same in every Table.
const (
	BoolID ID = iota + 1
	IntID
	RealID
	StringID
	RegLanID
	RoundingModeID
	AbstractID
	OpenID
)

// Sort describes a sort. Its Kind determines which other fields are used.
type Sort struct {
	Kind Kind
	N, M int
	Decl int // index in Table.Names for Uninterpreted, in Table.Datatypes for Datatype
	Args []ID

	depth int  // 1 for a sort without arguments
	open  bool // the sort contains Open
}

// Declaration is a declared datatype, which may be parametric. The sorts of its fields may contain Params.
type Declaration struct {
	Name         string
	Arity        int
	Constructors []Constructor
}

// Constructor is a constructor of a datatype.
type Constructor struct {
	Name   string
	Fields []Field
}

// Field is a constructor's argument, named by its selector.
type Field struct {
	Name string
	Sort ID
}

// Table interns sorts. It is not safe for concurrent use.
type Table struct {
	Names     []string // names of uninterpreted sorts
	Datatypes []Declaration

	sorts []Sort
	ids   map[string]ID
	key   []byte
	sizes map[ID]size // known cardinalities

	bounds map[ID]uint64 // number of values; see Bound
	least  bool          // uninterpreted sorts without a bound have one value; see Least
}

type size struct {
	n      uint64
	finite bool
}

// NewTable returns a Table with the basic sorts.
func NewTable() *Table {
	t := &Table{sorts: make([]Sort, 1), ids: map[string]ID{}, sizes: map[ID]size{}}
	for _, k := range []Kind{Bool, Int, Real, String, RegLan, RoundingMode, Abstract, Open} {
		t.Intern(Sort{Kind: k})
	}
	return t
}

// Intern returns the ID of a sort. It retains s.Args.
func (t *Table) Intern(s Sort) ID {
	k := append(t.key[:0], byte(s.Kind))
	k = binary.AppendVarint(k, int64(s.N))
	k = binary.AppendVarint(k, int64(s.M))
	k = binary.AppendVarint(k, int64(s.Decl))
	for _, a := range s.Args {
		k = binary.LittleEndian.AppendUint32(k, uint32(a))
	}
	t.key = k
	if id, ok := t.ids[string(k)]; ok {
		return id
	}
	id := ID(len(t.sorts))
	s.depth, s.open = 1, s.Kind == Open
	for _, a := range s.Args {
		s.open = s.open || t.sorts[a].open
		s.depth = max(s.depth, 1+t.sorts[a].depth)
	}
	t.sorts = append(t.sorts, s)
	t.ids[string(k)] = id
	return id
}

// At returns the sort with the given ID.
func (t *Table) At(id ID) *Sort { return &t.sorts[id] }

// Depth returns the nesting depth of a sort: 1 for Int, 2 for (Array Int Int).
func (t *Table) Depth(id ID) int { return t.sorts[id].depth }

// Open reports whether part of a sort is unknown.
func (t *Table) Open(id ID) bool { return t.sorts[id].open }

// Unify returns the common sort of a and b. Either may fill parts that are open in the other.
func (t *Table) Unify(a, b ID) (ID, bool) {
	s := t.unify(a, b, map[pair]ID{})
	return s, s != 0
}

// pair is a pair of sorts that are compared. Parts that sorts share are compared once, because the underlying trees may
// be exponential.
type pair struct{ a, b ID }

// unify returns the common sort or 0, and stores it in done.
func (t *Table) unify(a, b ID, done map[pair]ID) ID {
	x, y := t.sorts[a], t.sorts[b]
	switch {
	case a == b, y.Kind == Open:
		return a
	case x.Kind == Open:
		return b
	case !x.open && !y.open, x.Kind != y.Kind, x.Decl != y.Decl, len(x.Args) != len(y.Args):
		return 0
	}
	if s, ok := done[pair{a, b}]; ok {
		return s
	}
	parts := make([]ID, len(x.Args))
	for i := range parts {
		if parts[i] = t.unify(x.Args[i], y.Args[i], done); parts[i] == 0 {
			return 0
		}
	}
	x.Args = parts
	done[pair{a, b}] = t.Intern(x)
	return done[pair{a, b}]
}

// Kind returns the kind of a sort.
func (t *Table) Kind(id ID) Kind { return t.sorts[id].Kind }

// BitVec returns (_ BitVec w).
func (t *Table) BitVec(w int) ID { return t.Intern(Sort{Kind: BitVec, N: w}) }

// Float returns (_ FloatingPoint eb sb).
func (t *Table) Float(eb, sb int) ID { return t.Intern(Sort{Kind: Float, N: eb, M: sb}) }

// Array returns (Array index elem).
func (t *Table) Array(index, elem ID) ID { return t.Intern(Sort{Kind: Array, Args: []ID{index, elem}}) }

// Seq returns (Seq elem).
func (t *Table) Seq(elem ID) ID { return t.Intern(Sort{Kind: Seq, Args: []ID{elem}}) }

// Constructors returns a datatype sort's constructors, with instantiated fields.
func (t *Table) Constructors(id ID) []Constructor {
	s := t.At(id)
	if s.Kind != Datatype {
		return nil
	}
	d := t.Datatypes[s.Decl]
	if d.Arity == 0 {
		return d.Constructors
	}
	out := make([]Constructor, len(d.Constructors))
	for i, c := range d.Constructors {
		out[i] = Constructor{Name: c.Name, Fields: make([]Field, len(c.Fields))}
		for j, f := range c.Fields {
			out[i].Fields[j] = Field{Name: f.Name, Sort: t.Subst(f.Sort, s.Args)}
		}
	}
	return out
}

// Subst replaces the Params in id by args.
func (t *Table) Subst(id ID, args []ID) ID { return t.subst(id, args, map[ID]ID{}) }

// subst stores the results for compound sorts in done.
func (t *Table) subst(id ID, args []ID, done map[ID]ID) ID {
	s := t.sorts[id]
	switch {
	case s.Kind == Param:
		return args[s.N]
	case len(s.Args) == 0:
		return id
	case done[id] != 0:
		return done[id]
	}
	parts := make([]ID, len(s.Args))
	for i, a := range s.Args {
		parts[i] = t.subst(a, args, done)
	}
	s.Args = parts
	done[id] = t.Intern(s)
	return done[id]
}

// Match finds args such that Subst(pattern, args) equals id, setting those that are zero. It reports whether it found
// them.
func (t *Table) Match(pattern, id ID, args []ID) bool {
	return t.match(pattern, id, args, map[pair]bool{})
}

// match stores the compound sorts that match in done.
func (t *Table) match(pattern, id ID, args []ID, done map[pair]bool) bool {
	p, s := t.sorts[pattern], t.sorts[id]
	if p.Kind == Param {
		if args[p.N] == 0 {
			args[p.N] = id
		}
		if both, ok := t.Unify(args[p.N], id); ok {
			args[p.N] = both
			return true
		}
		return args[p.N] == id || (args[p.N] == RealID && id == IntID) ||
			(id == AbstractID && t.Kind(args[p.N]) == Uninterpreted)
	}
	if pattern == id || s.Kind == Open || done[pair{pattern, id}] {
		return true
	}
	if p.Kind != s.Kind || p.N != s.N || p.M != s.M || p.Decl != s.Decl || len(p.Args) != len(s.Args) {
		return (pattern == RealID && id == IntID) || (id == AbstractID && p.Kind == Uninterpreted)
	}
	for i := range p.Args {
		if !t.match(p.Args[i], s.Args[i], args, done) {
			return false
		}
	}
	done[pair{pattern, id}] = len(p.Args) > 0
	return len(p.Args) > 0
}

// Bound sets the number of values of some uninterpreted sorts. All others count as infinite.
func (t *Table) Bound(sizes map[ID]uint64) {
	t.bounds = sizes
	clear(t.sizes)
}

// Cardinality returns the number of values of a sort. It returns false if there are infinitely many or more than 2^62.
// Uninterpreted sorts without a Bound count as infinite, because every model can be extended by further values.
func (t *Table) Cardinality(id ID) (uint64, bool) {
	return t.cardinality(id, map[ID]bool{})
}

// Least returns the smallest possible number of values of a sort, assuming that an uninterpreted sort without a Bound
// has as many values as in known, or one. It returns false if the sort has infinitely many values in any case, or more
// than 2^62.
func (t *Table) Least(id ID, known map[ID]uint64) (uint64, bool) {
	bounds, sizes := t.bounds, t.sizes
	t.bounds, t.sizes, t.least = maps.Clone(known), map[ID]size{}, true
	maps.Copy(t.bounds, bounds)
	n, finite := t.Cardinality(id)
	t.bounds, t.sizes, t.least = bounds, sizes, false
	return n, finite
}

// cardinality caches results that do not depend on the datatypes in progress. Definitions may share parts so often that
// the underlying tree is exponential.
func (t *Table) cardinality(id ID, open map[ID]bool) (uint64, bool) {
	if known, ok := t.sizes[id]; ok {
		return known.n, known.finite
	}
	n, finite := t.count(id, open)
	if len(open) == 0 || finite {
		t.sizes[id] = size{n, finite}
	}
	return n, finite
}

// count counts the values of a sort. open contains the datatypes in progress. A datatype that contains itself is
// infinite.
func (t *Table) count(id ID, open map[ID]bool) (uint64, bool) {
	s := t.sorts[id]
	switch s.Kind {
	case Bool:
		return 2, true
	case Uninterpreted:
		n, finite := t.bounds[id]
		if t.least { // no sort is empty
			return max(n, 1), true
		}
		return n, finite
	case RoundingMode:
		return 5, true
	case BitVec:
		return uint64(1) << min(s.N, 63), s.N <= 62
	case Float:
		if s.N+s.M > 62 {
			return 0, false
		}
		nans := uint64(1)<<s.M - 2 // number of bit patterns for NaN
		return uint64(1)<<(s.N+s.M) - nans + 1, true
	case Array:
		return t.functions(s, open)
	case Datatype:
		return t.datatypeCardinality(id, open)
	}
	return 0, false
}

func (t *Table) functions(s Sort, open map[ID]bool) (uint64, bool) {
	elem, ok2 := t.cardinality(s.Args[1], open)
	if !ok2 || elem == 1 {
		return elem, ok2
	}
	index, ok1 := t.cardinality(s.Args[0], open)
	if !ok1 || !ok2 || index > 62 || math.Pow(float64(elem), float64(index)) > 1<<62 {
		return 0, false
	}
	n := uint64(1)
	for range index {
		n *= elem
	}
	return n, true
}

// maxOpen limits the chain of datatypes that depend on each other's sizes. In practice, a longer chain never ends: it
// comes from a datatype whose fields contain other instances of it, such as (N (Array T T)) in (N T).
const maxOpen = 1000

func (t *Table) datatypeCardinality(id ID, open map[ID]bool) (uint64, bool) {
	if open[id] || len(open) > maxOpen {
		return 0, false
	}
	open[id] = true
	defer delete(open, id)
	total := 0.0
	for _, c := range t.Constructors(id) {
		product := 1.0
		for _, f := range c.Fields {
			n, ok := t.cardinality(f.Sort, open)
			if !ok {
				return 0, false
			}
			product *= float64(n)
		}
		total += product
	}
	return uint64(total), total < 1<<53 // sums and products below 2^53 are exact
}

// String returns a sort in SMT-LIB syntax, with ... for parts more than ten levels deep.
func (t *Table) String(id ID) string { return t.text(id, 10) }

func (t *Table) text(id ID, depth int) string {
	s := t.sorts[id]
	if depth == 0 && len(s.Args) > 0 {
		return "..."
	}
	switch s.Kind {
	case None:
		return "(no sort)"
	case BitVec:
		return fmt.Sprintf("(_ BitVec %d)", s.N)
	case Float:
		return fmt.Sprintf("(_ FloatingPoint %d %d)", s.N, s.M)
	case Uninterpreted:
		return t.applied(t.Names[s.Decl], s.Args, depth)
	case Datatype:
		return t.applied(t.Datatypes[s.Decl].Name, s.Args, depth)
	case Param:
		return fmt.Sprintf("(parameter %d)", s.N+1)
	}
	name := [...]string{Bool: "Bool", Int: "Int", Real: "Real", String: "String", RegLan: "RegLan",
		RoundingMode: "RoundingMode", Array: "Array", Seq: "Seq", Func: "->", Abstract: "(an uninterpreted sort)",
		Open: "(not written)"}[s.Kind]
	return t.applied(name, s.Args, depth)
}

func (t *Table) applied(name string, args []ID, depth int) string {
	if len(args) == 0 {
		return name
	}
	parts := []string{name}
	for _, a := range args {
		parts = append(parts, t.text(a, depth-1))
	}
	return "(" + strings.Join(parts, " ") + ")"
}
