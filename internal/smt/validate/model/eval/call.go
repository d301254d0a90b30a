package eval

import (
	"slices"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// frame is a call in progress.
type frame struct {
	fn   int32
	args []value.Value
	buf  *buffer
	base int    // start of its entries on the work stack
	key  string // key in the memo, or empty if the result is not memoized
	size int    // bytes of large values that the call has computed

	outer *environment // environment of a lambda
}

// buffer holds computed values of a body's nodes. A value is valid if its mark equals the generation.
type buffer struct {
	vals  []value.Value
	marks []uint32
	gen   uint32
}

// entry is a node to compute. next is the index of the operand that it waits for.
type entry struct{ node, next int32 }

// Limits of function calls.
const (
	maxFrames     = 20_000_000
	defaultMemory = 2_000_000_000 // see Machine.Memory
	maxKey        = 4096          // maximum bytes of arguments in memo keys
)

// frameBytes is the estimated memory of a call without its buffer and arguments.
const frameBytes = 160

// outOfMemory returns an Unknown if the evaluation needs too much memory, otherwise nil. The counted values may take
// half of the memory; the other half is for values under construction and garbage.
func (m *Machine) outOfMemory() *value.Unknown {
	if m.bytes+m.working+frameBytes*len(m.frames)+m.Store.Bytes()+m.remembered > m.memory()/2 {
		return tooMuch
	}
	return nil
}

func (m *Machine) memory() int {
	if m.Memory > 0 {
		return m.Memory
	}
	return defaultMemory
}

// Apply computes function f at args, which it retains.
func (m *Machine) Apply(f int32, args []value.Value) value.Value {
	fn := m.Funcs[f]
	if len(fn.Params) == 0 {
		return m.Constant(f)
	}
	base := len(m.frames)
	if v, done := m.enter(f, args); done {
		return v
	}
	return m.run(base)
}

// Constant returns the value of a function without parameters.
func (m *Machine) Constant(f int32) value.Value {
	v := m.Consts[f]
	if v.P == Pending {
		return unknownf("%s has no definition", m.Funcs[f].Name)
	}
	return v
}

// enter begins a call, or returns its value if it is memoized.
func (m *Machine) enter(f int32, args []value.Value) (value.Value, bool) {
	return m.enterClosure(f, nil, nil, args)
}

// enterClosure is like enter, for a function inside an environment that memoKey identifies.
func (m *Machine) enterClosure(f int32, outer *environment, memoKey []byte, args []value.Value) (value.Value, bool) {
	fn := m.Funcs[f]
	switch {
	case fn.Body == nil:
		return unknownf("%s has no definition", fn.Name), true
	case len(fn.Params) == 0:
		return m.Constant(f), true
	case len(m.frames) >= maxFrames:
		return unknownf("%s recurs more than %d levels deep", fn.Name, maxFrames), true
	}
	if u := m.outOfMemory(); u != nil {
		return unknown(u), true
	}
	k := m.memoKey(memoKey, args)
	if v, ok := m.memo[f][string(k)]; ok && len(k) > 0 {
		return v, true
	}
	buf := m.takeBuffer(f, len(fn.Body.Nodes))
	m.frames = append(m.frames, frame{fn: f, args: args, buf: buf, base: len(m.work), key: string(k), outer: outer})
	m.work = append(m.work, entry{node: fn.Root})
	m.working += len(k) + 24*len(args)
	return value.Value{}, false
}

// computeNode computes a node in the body of function f inside an environment. It retains args.
func (m *Machine) computeNode(f, node int32, args []value.Value, outer *environment) value.Value {
	base := len(m.frames)
	buf := m.takeBuffer(f, len(m.Funcs[f].Body.Nodes))
	m.frames = append(m.frames, frame{fn: f, args: args, buf: buf, base: len(m.work), outer: outer})
	m.work = append(m.work, entry{node: node})
	m.working += 24 * len(args)
	return m.run(base)
}

// memoKey returns a key of the arguments, which is valid until the next call. It is empty if they are large.
func (m *Machine) memoKey(outer []byte, args []value.Value) []byte {
	k := append(m.key[:0], outer...)
	size := len(outer)
	for _, a := range args {
		if size += a.Size(); size > maxKey {
			return nil
		}
		k = a.AppendKey(k)
	}
	m.key = k
	return k
}

// bufferBytes returns the memory of a buffer for a body with size nodes.
func bufferBytes(size int) int { return 28*size + 64 }

func (m *Machine) takeBuffer(f int32, size int) *buffer {
	free := m.buffers[f]
	if len(free) == 0 {
		m.working += bufferBytes(size)
		return &buffer{vals: make([]value.Value, size), marks: make([]uint32, size), gen: 1}
	}
	b := free[len(free)-1]
	m.buffers[f] = free[:len(free)-1]
	if len(b.vals) < size {
		m.working += bufferBytes(size) - bufferBytes(len(b.vals))
		return &buffer{vals: make([]value.Value, size), marks: make([]uint32, size), gen: 1}
	}
	b.gen++
	return b
}

// leave ends the top call and returns its value.
func (m *Machine) leave(v value.Value) {
	top := len(m.frames) - 1
	fr := &m.frames[top]
	table := m.memo[fr.fn]
	if table == nil {
		table = map[string]value.Value{}
		m.memo[fr.fn] = table
	}
	if fr.key != "" && m.remembered < m.memory()/8 && m.limit == nil && m.Complete == nil {
		table[fr.key] = v
		m.remembered += len(fr.key) + v.Size() + 100
	}
	m.working -= len(fr.key) + 24*len(fr.args) + fr.size
	if fr.size > maxKey {
		clear(fr.buf.vals)
	}
	m.work = m.work[:fr.base]
	m.buffers[fr.fn] = append(m.buffers[fr.fn], fr.buf)
	m.frames[top] = frame{}
	m.frames = m.frames[:top]
}

// run executes calls until only the first base calls are left, and returns the value of the last call that ended.
func (m *Machine) run(base int) value.Value {
	for {
		fr := &m.frames[len(m.frames)-1]
		if u := m.expired(); u != nil {
			for len(m.frames) > base {
				m.leave(unknown(u))
			}
			return unknown(u)
		}
		e := &m.work[len(m.work)-1]
		if fr.buf.marks[e.node] != fr.buf.gen {
			m.step(fr, e)
			continue
		}
		v := fr.buf.vals[e.node]
		if len(m.work)-1 > fr.base {
			m.work = m.work[:len(m.work)-1]
			continue
		}
		m.leave(v)
		if len(m.frames) == base {
			return v
		}
		m.own(v)
	}
}

// own sets the top node to a value that was computed for it, and counts the value's memory.
func (m *Machine) own(v value.Value) {
	if size := v.Size(); size > 0 {
		m.frames[len(m.frames)-1].size += size
		m.working += size
	}
	m.result(v)
}

// result sets the top node's value.
func (m *Machine) result(v value.Value) {
	fr := &m.frames[len(m.frames)-1]
	node := m.work[len(m.work)-1].node
	fr.buf.vals[node], fr.buf.marks[node] = v, fr.buf.gen
}

// get returns the value of a node in the top call, or pushes the node if it has not been computed.
func (m *Machine) get(fr *frame, node int32) (value.Value, bool) {
	if fr.buf.marks[node] == fr.buf.gen {
		return fr.buf.vals[node], true
	}
	m.work = append(m.work, entry{node: node})
	return value.Value{}, false
}

// step advances the top node: it computes the node, or pushes an operand that the node needs.
func (m *Machine) step(fr *frame, e *entry) {
	g := m.Funcs[fr.fn].Body
	n := &g.Nodes[e.node]
	switch n.Op {
	case term.Const:
		m.result(g.Consts[n.A])
	case term.Param:
		if n.B != m.Funcs[fr.fn].Owner {
			m.result(fr.outer.lookup(n.B, n.A))
			return
		}
		m.result(fr.args[n.A])
	case term.Alias:
		if v, ok := m.get(fr, n.A); ok {
			m.result(v)
		}
	case term.CaseVar:
		if v, ok := m.get(fr, n.A); ok {
			m.result(caseVariable(g, n, v))
		}
	case term.Lambda: // its operand contains bound variables
		env := &environment{owner: m.Funcs[fr.fn].Owner, args: fr.args, outer: fr.outer}
		m.result(m.lambda(n.A, env))
	case term.Quantifier:
		env := &environment{owner: m.Funcs[fr.fn].Owner, args: fr.args, outer: fr.outer}
		m.result(m.quantify(n.A, n.B == 1, env))
	case term.Ite, term.Match:
		m.stepBranch(fr, g, n)
	case term.And, term.Or, term.Implies:
		m.stepConnective(fr, e, g, n)
	default:
		m.stepStrict(fr, e, g, n)
	}
}

// stepBranch computes the first operand, and then the branch that it selects.
func (m *Machine) stepBranch(fr *frame, g *term.Graph, n *term.Node) {
	kids := g.Kids(n)
	v, ok := m.get(fr, kids[0])
	if !ok {
		return
	}
	branch := 2
	switch {
	case v.UnknownOf() != nil:
		m.result(anonymous(v))
		return
	case n.Op == term.Match:
		branch = 1 + m.caseOf(n, v)
	case v.True():
		branch = 1
	}
	if v, ok = m.get(fr, kids[branch]); ok {
		m.result(v)
	}
}

// stepConnective computes operands from left to right until one determines the result.
func (m *Machine) stepConnective(fr *frame, e *entry, g *term.Graph, n *term.Node) {
	kids := g.Kids(n)
	for int(e.next) < len(kids) {
		v, ok := m.get(fr, kids[e.next])
		if !ok {
			return
		}
		last := int(e.next) == len(kids)-1
		decides := v.P == nil && v.True() == (n.Op == term.Or)
		if n.Op == term.Implies {
			decides = v.P == nil && v.True() == last
		}
		if decides {
			m.result(value.Bool(n.Op != term.And))
			return
		}
		e.next++
	}
	args := m.operands(fr.buf.vals, kids)
	v := connect(args, n.Op == term.Or)
	if n.Op == term.Implies {
		v = implies(args)
	}
	m.result(m.derived(g, n, args, v))
}

// operands returns the values of nodes, in a slice that is valid until the next call.
func (m *Machine) operands(vals []value.Value, kids []int32) []value.Value {
	m.scratch = m.scratch[:0]
	for _, k := range kids {
		m.scratch = append(m.scratch, vals[k])
	}
	return m.scratch
}

// stepStrict computes all operands and then the node.
func (m *Machine) stepStrict(fr *frame, e *entry, g *term.Graph, n *term.Node) {
	kids := g.Kids(n)
	for ; int(e.next) < len(kids); e.next++ {
		if _, ok := m.get(fr, kids[e.next]); !ok {
			return
		}
	}
	args := m.operands(fr.buf.vals, kids)
	if v, stuck := firstUnknown(args); stuck {
		m.result(m.strict(g, n, args, v))
		return
	}
	if n.Op == term.Call {
		if v, done := m.enter(n.A, slices.Clone(args)); done {
			m.result(v)
		}
		return
	}
	if isChain(n, args) {
		m.result(m.divisions(g, n, slices.Clone(args)))
		return
	}
	v := m.settle(g, n, args, m.derived(g, n, args, m.compute(g, n, args)))
	if r, ok := v.P.(*rulePending); ok {
		if v, done := m.element(r.closure, r.index); done {
			m.result(v)
		}
		return
	}
	m.own(v)
	if u := m.outOfMemory(); u != nil {
		m.result(unknown(u))
	}
}
