// Package term holds typed terms: the sort checker's result for a command's terms, which the evaluator computes.
//
// A Graph is a list of nodes in which operands come before the nodes that use them, so one pass from the front computes
// all of them; let and annotations are resolved (Alias), and names are resolved to numbers. Occurrences of a let
// variable are one node, so a Graph is as large as the text, whatever the tree behind its sharing would be.
package term

import (
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// Node is one typed term. Its operands are Graph.Kids(node); the Op defines the meaning of A and B.
type Node struct {
	Op    Op
	Sort  sorts.ID
	First int32 // of Graph.Operands
	Len   int32
	A, B  int32
}

// Graph holds the nodes of one command, in post-order. Node i represents the term First+i of the script.
type Graph struct {
	Nodes    []Node
	Operands []int32
	Consts   []value.Value // of Const nodes
	Errors   []Error       // of Bad nodes
	First    int32         // TermID of node 0
	Model    bool          // the terms are from the response, not from the benchmark
	Pos      []uint32      // offsets of the nodes' terms; only for graphs that are kept
	Refines  int32         // for the body of a function with Refines: its Owner, otherwise 0
}

// Error reports why a term is ill-typed.
type Error struct {
	Pos  uint32
	Text string
}

// Kids returns the operands of n as indices into Nodes.
func (g *Graph) Kids(n *Node) []int32 { return g.Operands[n.First : n.First+n.Len] }

// Reset empties the graph for the next command, keeping its memory.
func (g *Graph) Reset() {
	g.Nodes, g.Operands, g.Consts, g.Errors = g.Nodes[:0], g.Operands[:0], g.Consts[:0], g.Errors[:0]
}

// Func is a function or constant that the benchmark declares or defines, or that only the model defines.
type Func struct {
	Name   string
	Params []sorts.ID
	Result sorts.ID
	Pos    uint32 // of its declaration or definition
	Model  bool   // Pos is in the response
	Body   *Graph // nil if it is declared without a definition
	Root   int32  // node of Body
	Rec    bool   // it may call itself
	// Refines means that the function defines the values that a theory leaves open for another function. In its body,
	// the name means the theory's function.
	Refines bool
	// Abstract means that it represents an abstract array, whose values are unknown.
	Abstract bool
	Gone     bool  // its level of the assertion stack was popped
	Owner    int32 // Param nodes with this B are its parameters
}
