package value

import (
	"encoding/binary"
	"hash/maphash"
	"slices"
	"sort"
)

// Store hash-conses arrays and datatype values. It is not safe for concurrent use.
type Store struct {
	data   map[string]*Data
	arrays map[string]*Array
	nodes  map[string]*node
	seed   maphash.Seed
	key    []byte
	bytes  int
}

// Bytes returns the estimated memory of everything in the Store. Nothing is ever freed.
func (s *Store) Bytes() int { return s.bytes }

// NewStore returns an empty Store.
func NewStore() *Store {
	return &Store{data: map[string]*Data{}, arrays: map[string]*Array{}, nodes: map[string]*node{},
		seed: maphash.MakeSeed()}
}

// Data is a datatype value: a constructor, identified by its position in the datatype, applied to arguments.
type Data struct {
	Constructor int
	Args        []Value
	id          uint64 // depends only on the values created before, not on the Store's random hash
	loose       bool
}

// Data returns the value (constructor args...) of a datatype sort. It retains args.
func (s *Store) Data(sort int32, constructor int, args []Value) Value {
	k := binary.AppendVarint(s.key[:0], int64(sort))
	k = binary.AppendVarint(k, int64(constructor))
	for _, a := range args {
		k = a.AppendKey(k)
	}
	s.key = k
	d, ok := s.data[string(k)]
	if !ok {
		d = &Data{Constructor: constructor, Args: args, id: uint64(len(s.data))}
		d.loose = slices.ContainsFunc(args, Value.Loose)
		s.data[string(k)] = d
		s.bytes += len(k) + 24*len(args) + 120
	}
	return Value{P: d}
}

// Array is a total function from index to element that differs from Default at finitely many indices. If it has a Rule,
// the Rule determines the elements that are not stored, and Default is unused.
type Array struct {
	Default Value
	Rule    *Rule
	root    *node
	domain  *Domain
	id      uint64
	loose   bool
}

// Rule identifies an array that is defined by a function. Function is the owner's number for it.
type Rule struct{ Function int }

// node is a node of a treap, ordered by the hash of the key. Priorities derive from the same hash, so the shape depends
// only on the set of entries. Nodes are hash-consed, so equal maps are equal pointers.
type node struct {
	order, priority uint64
	key             string
	index, elem     Value
	left, right     *node
	size            int
	id              uint64
	loose           bool
}

// Domain lists all values of a small finite index sort. Several defaults can describe the same array over such a sort,
// so the Store must choose one. Arrays over different domains are never identical, even if their entries are equal.
//
// An index sort that is finite only if some uninterpreted sort is finite has a Domain without Values. Arrays over it
// with equal elements at all known indices may or may not be equal.
type Domain struct {
	Sort   int32 // nonzero number that distinguishes domains
	Values []Value
	Least  uint64 // smallest possible number of values of such a sort
}

func (d *Domain) open() bool { return d != nil && len(d.Values) == 0 }

func (d *Domain) number() uint64 {
	if d == nil {
		return 0
	}
	return uint64(d.Sort)
}

// Constant returns the array with the same element at every index. domain is nil if the index sort has infinitely many
// values, or more than an array will ever store.
func (s *Store) Constant(elem Value, domain *Domain) Value {
	return Value{P: s.array(Array{Default: elem, domain: domain})}
}

// Ruled returns the array that a function defines.
func (s *Store) Ruled(rule *Rule) Value { return Value{P: s.array(Array{Rule: rule})} }

func (s *Store) array(a Array) *Array {
	k := binary.AppendUvarint(s.key[:0], a.root.number())
	k = binary.AppendUvarint(k, a.domain.number())
	if a.Rule != nil {
		k = binary.AppendUvarint(append(k, 1), uint64(a.Rule.Function))
	} else {
		k = a.Default.AppendKey(append(k, 2))
	}
	s.key = k
	old, ok := s.arrays[string(k)]
	if !ok {
		a.id = uint64(len(s.arrays))
		a.loose = a.Rule != nil || a.domain.open() || a.Default.Loose() || (a.root != nil && a.root.loose)
		old = &a
		s.arrays[string(k)] = old
		s.bytes += len(k) + 160
	}
	return old
}

// Select returns the element at index. ok is false if the array's Rule determines it.
func (s *Store) Select(a *Array, index Value) (elem Value, ok bool) {
	var buf [64]byte
	k := index.AppendKey(buf[:0])
	order := maphash.Bytes(s.seed, k)
	for n := a.root; n != nil; {
		switch {
		case order == n.order && string(k) == n.key:
			return n.elem, true
		case before(order, string(k), n):
			n = n.left
		default:
			n = n.right
		}
	}
	return a.Default, a.Rule == nil
}

// Store returns a with elem stored at index.
func (s *Store) Store(a *Array, index, elem Value) Value {
	k := string(index.AppendKey(nil))
	order := maphash.String(s.seed, k)
	next := Array{Default: a.Default, Rule: a.Rule, domain: a.domain}
	if a.Rule == nil && Equal(elem, a.Default) {
		next.root = s.remove(a.root, order, k)
	} else {
		next.root = s.insert(a.root, s.leaf(index, elem))
	}
	if next.root == a.root {
		return Value{P: a}
	}
	if next.domain != nil && !next.domain.open() && next.Rule == nil && 2*next.Len() >= len(next.domain.Values) {
		s.renormalise(&next)
	}
	return Value{P: s.array(next)}
}

func (s *Store) leaf(index, elem Value) node {
	k := string(index.AppendKey(nil))
	order := maphash.String(s.seed, k)
	return node{order: order, priority: scramble(order), key: k, index: index, elem: elem}
}

// scramble derives a node's heap priority from its search key by one step of splitmix64.
func scramble(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func before(order uint64, key string, n *node) bool {
	return order < n.order || (order == n.order && key < n.key)
}

// above reports whether x must be closer to the root than y.
func above(x, y *node) bool {
	return x.priority > y.priority || (x.priority == y.priority && x.key > y.key)
}

func (n *node) count() int {
	if n == nil {
		return 0
	}
	return n.size
}

func (n *node) number() uint64 {
	if n == nil {
		return 0
	}
	return n.id
}

// make returns the hash-consed node with the entry of n and the given subtrees.
func (s *Store) make(n *node, left, right *node) *node {
	k := binary.AppendUvarint(s.key[:0], uint64(len(n.key)))
	k = append(k, n.key...)
	k = binary.AppendUvarint(k, left.number())
	k = binary.AppendUvarint(k, right.number())
	k = n.elem.AppendKey(k)
	s.key = k
	if old, ok := s.nodes[string(k)]; ok {
		return old
	}
	c := *n
	c.left, c.right, c.size, c.id = left, right, left.count()+right.count()+1, uint64(len(s.nodes)+1)
	c.loose = n.elem.Loose() || (left != nil && left.loose) || (right != nil && right.loose)
	s.nodes[string(k)] = &c
	s.bytes += len(k) + 220 // not counting the node's own key, which is shared
	return &c
}

func (s *Store) insert(n *node, leaf node) *node {
	switch {
	case n == nil:
		return s.make(&leaf, nil, nil)
	case n.order == leaf.order && n.key == leaf.key:
		return s.make(&leaf, n.left, n.right)
	case above(&leaf, n):
		left, right := s.split(n, leaf.order, leaf.key)
		return s.make(&leaf, left, right)
	case before(leaf.order, leaf.key, n):
		return s.make(n, s.insert(n.left, leaf), n.right)
	}
	return s.make(n, n.left, s.insert(n.right, leaf))
}

func (s *Store) split(n *node, order uint64, key string) (left, right *node) {
	if n == nil {
		return nil, nil
	}
	if before(order, key, n) {
		l, r := s.split(n.left, order, key)
		return l, s.make(n, r, n.right)
	}
	l, r := s.split(n.right, order, key)
	return s.make(n, n.left, l), r
}

func (s *Store) remove(n *node, order uint64, key string) *node {
	switch {
	case n == nil:
		return nil
	case n.order == order && n.key == key:
		return s.merge(n.left, n.right)
	case before(order, key, n):
		return s.make(n, s.remove(n.left, order, key), n.right)
	}
	return s.make(n, n.left, s.remove(n.right, order, key))
}

func (s *Store) merge(x, y *node) *node {
	switch {
	case x == nil:
		return y
	case y == nil:
		return x
	case above(x, y):
		return s.make(x, x.left, s.merge(x.right, y))
	}
	return s.make(y, s.merge(x, y.left), y.right)
}

// Entry is a stored element of an array, with its index.
type Entry struct {
	Index, Elem Value
	key         string
}

// Entries returns the stored entries, sorted by the keys of the indices.
func (a *Array) Entries() []Entry {
	out := make([]Entry, 0, a.root.count())
	var stack []*node
	for n := a.root; n != nil || len(stack) > 0; {
		if n != nil {
			stack = append(stack, n)
			n = n.left
			continue
		}
		n = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		out = append(out, Entry{n.index, n.elem, n.key})
		n = n.right
	}
	sort.Slice(out, func(i, j int) bool { return out[i].key < out[j].key })
	return out
}

// Len returns the number of stored entries.
func (a *Array) Len() int { return a.root.count() }

// Indices returns the number of values of the index sort. least means that there may be more. finite is false if there
// are infinitely many, or more than an array will ever store.
func (a *Array) Indices() (n uint64, least, finite bool) {
	switch {
	case a.domain == nil:
		return 0, false, false
	case a.domain.open():
		return a.domain.Least, true, true
	}
	return uint64(len(a.domain.Values)), false, true
}

// renormalise chooses the default of an array over a small finite index sort, where several defaults can describe the
// same function. It chooses the most frequent element. Ties go to the one with the smallest key.
func (s *Store) renormalise(a *Array) {
	counts := map[string]int{string(a.Default.AppendKey(nil)): len(a.domain.Values) - a.Len()}
	elems := map[string]Value{string(a.Default.AppendKey(nil)): a.Default}
	for _, e := range a.Entries() {
		k := string(e.Elem.AppendKey(nil))
		counts[k]++
		elems[k] = e.Elem
	}
	best := ""
	for k, n := range counts {
		if best == "" || n > counts[best] || (n == counts[best] && k < best) {
			best = k
		}
	}
	if best == string(a.Default.AppendKey(nil)) {
		return
	}
	next := Array{Default: elems[best], domain: a.domain}
	for _, index := range a.domain.Values {
		if elem, _ := s.Select(a, index); !Equal(elem, next.Default) {
			next.root = s.insert(next.root, s.leaf(index, elem))
		}
	}
	*a = next
}
