// Package term holds typed terms, the sort checker's result for a command's terms. The evaluator computes them.
//
// A Graph is a list of nodes in which operands precede the nodes that use them, so one pass from the front computes all
// nodes. let and annotations are resolved (Alias), and names are resolved to numbers. All occurrences of a let variable
// share one node, so a Graph is only as large as the text, even if the expanded tree would be far larger.
package term

import (
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// Node is a typed term. Graph.Kids returns its operands; Op defines the meaning of A and B.
type Node struct {
	Op    Op
	Sort  sorts.ID
	First int32 // index in Graph.Operands
	Len   int32
	A, B  int32
}

// Graph contains the nodes of one command, in post-order. Node i represents the script's term First+i.
type Graph struct {
	Nodes    []Node
	Operands []int32
	Consts   []value.Value // values of Const nodes
	Fields   []Field       // fields of CaseVar nodes
	Errors   []Error       // errors of Bad nodes
	First    int32         // TermID of node 0
	Model    bool          // the terms come from the response, not from the benchmark
	Pos      []uint32      // offset of each node's term; set only for graphs that are kept
	Refines  int32         // Owner of the function that has this body and Refines, otherwise 0
}

// Error describes why a term is ill-typed.
type Error struct {
	Pos  uint32
	Text string
}

// Field is a field of a constructor.
type Field struct{ Constructor, Index int32 }

// Kids returns the operands of n as indices into Nodes.
func (g *Graph) Kids(n *Node) []int32 { return g.Operands[n.First : n.First+n.Len] }

// Reset empties the graph for the next command and keeps its memory.
func (g *Graph) Reset() {
	g.Nodes, g.Operands, g.Consts = g.Nodes[:0], g.Operands[:0], g.Consts[:0]
	g.Fields, g.Errors = g.Fields[:0], g.Errors[:0]
}

// Func is a function or constant that is declared or defined by the benchmark or the model.
type Func struct {
	Name   string
	Params []sorts.ID
	Result sorts.ID
	Pos    uint32 // offset of its declaration or definition
	Model  bool   // Pos refers to the response
	Body   *Graph // nil for a declaration without a definition
	Root   int32  // root node in Body
	Rec    bool   // it was defined as recursive
	// Refines means that the function defines values of a theory function that the theory leaves open. In its body, the
	// name refers to the theory function.
	Refines bool
	// Abstract means that the function represents an abstract array, whose elements are unknown.
	Abstract bool
	Gone     bool  // the level of the assertion stack that contains it was popped
	Owner    int32 // Param nodes with this value as B are its parameters
}
