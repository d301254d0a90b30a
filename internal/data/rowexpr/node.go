package rowexpr

import (
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
)

// op is the kind of a node.
type op uint8

const (
	opConst    op = iota // val; an outer value or a literal
	opColumn             // name: "b.logic" or "n"
	opRow                // name: a row variable as a whole
	opUnary              // name is the operator
	opBinary             // name is the operator
	opCond               // args: condition, true, false
	opCall               // name, fn, args
	opInline             // args: the arguments, then the body of the function
	opTemplate           // args: the parts
	opLocal              // name: a variable of a for expression or splat, by its position
	opGet                // args: source; name is the rest of the traversal in canonical form
	opIndex              // args: collection, key
	opTuple              // args
	opObject             // args: key, value, key, value
	opFor                // args: collection, value, then key and condition or nil; name holds the rest
	opSplat              // args: source, each
	opError              // name: the error that evaluation reports; only if HCL must never evaluate it
)

// node is an expression after folding: outer values are constants, and names of locals and parameters are gone.
type node struct {
	op   op
	name string
	typ  cty.Type // DynamicPseudoType if unknown before the rows are
	val  cty.Value
	args []*node
	fn   function.Function
	// called is the name of fn if it is one of the pipeline's functions.
	called string
	// words lists the possible texts of a column; empty means any.
	words []string
	// secret is set for constants with a mark, such as sensitive. They are represented by their digest.
	secret bool
	// of is a value with the type, for unknown rows. It is the nil value if only evaluating the whole syntax determines
	// it.
	of cty.Value
	// src is the syntax that HCL evaluates for this node in the context of a row. It is nil if it contains names that
	// exist only within a function or a for expression.
	src hclsyntax.Expression

	nodes int // see count; 0: not yet counted
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

// has reports whether any node is of the kind.
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
