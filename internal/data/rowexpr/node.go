package rowexpr

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// op is a node's kind.
type op uint8

const (
	opConst    op = iota // val: an outer value or a literal
	opColumn             // name: "b.logic" or "n"
	opRow                // name: a row variable as a whole
	opUnary              // name: the operator
	opBinary             // name: the operator
	opCond               // args: condition, true, false
	opCall               // name, fn, args
	opInline             // args: the arguments, then the function's body
	opTemplate           // args: the parts
	opLocal              // name: a variable of a for expression or splat, identified by position
	opGet                // args: source; name: the rest of the traversal in canonical form
	opIndex              // args: collection, key
	opTuple              // args: the elements
	opObject             // args: key, value, key, value
	opFor                // args: collection, value, then key and condition or nil; name: the rest
	opSplat              // args: source, each
	opError              // name: the error that evaluation reports; used only if HCL must never evaluate the node
)

// node is a folded expression: outer values are constants, and names of locals and parameters are resolved.
type node struct {
	op   op
	name string
	typ  cty.Type // DynamicPseudoType if the type depends on the rows
	val  cty.Value
	args []*node
	fn   function.Function
	// called is fn's name if fn is one of the pipeline's functions.
	called string
	// words lists a column's possible texts; empty means any.
	words []string
	// secret is set for a constant with a mark, such as sensitive. The constant is represented by its digest.
	secret bool
	// of is a value of the type, for unknown rows. It is cty.NilVal if the type is known only after the whole syntax is
	// evaluated.
	of cty.Value
	// src is the syntax that HCL evaluates for this node in a row's context. It is nil if the syntax contains names
	// that exist only within a function or a for expression.
	src hclsyntax.Expression

	nodes int // cached result of count; 0 if not counted yet
}

// count returns the number of nodes in the tree, counting shared parts at each occurrence.
func (n *node) count() int {
	if n == nil {
		return 0
	}
	if n.nodes == 0 {
		n.nodes = 1
		for _, arg := range n.args {
			n.nodes = min(n.nodes+arg.count(), maxNodes+1)
		}
	}
	return n.nodes
}

// walk visits the nodes depth first.
func (n *node) walk(visit func(*node)) {
	if n == nil {
		return
	}
	visit(n)
	for _, a := range n.args {
		a.walk(visit)
	}
}

// has reports whether the tree contains a node of the given kind.
func (n *node) has(form op) bool {
	found := false
	n.walk(func(m *node) { found = found || m.op == form })
	return found
}

var operators = map[*hclsyntax.Operation]string{
	hclsyntax.OpLogicalOr:          "||",
	hclsyntax.OpLogicalAnd:         "&&",
	hclsyntax.OpLogicalNot:         "!",
	hclsyntax.OpEqual:              "==",
	hclsyntax.OpNotEqual:           "!=",
	hclsyntax.OpGreaterThan:        ">",
	hclsyntax.OpGreaterThanOrEqual: ">=",
	hclsyntax.OpLessThan:           "<",
	hclsyntax.OpLessThanOrEqual:    "<=",
	hclsyntax.OpAdd:                "+",
	hclsyntax.OpSubtract:           "-",
	hclsyntax.OpMultiply:           "*",
	hclsyntax.OpDivide:             "/",
	hclsyntax.OpModulo:             "%",
	hclsyntax.OpNegate:             "-",
}
