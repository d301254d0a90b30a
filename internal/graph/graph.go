// Package graph keeps a pipeline's declarations as a directed graph, based on dominikbraun/graph. Nodes are numbered in
// declaration order, and edges lead from each node to the nodes that need it. The package provides a stable topological
// order and reports cycles as paths.
//
// It knows nothing about HCL, stages or bytes. None of the orders that it returns depends on map iteration.
package graph

import (
	"errors"
	"fmt"
	"slices"

	dgraph "github.com/dominikbraun/graph"
)

// MaxNodes limits the size of a graph. Only a pipeline that wrongly represents items as nodes can exceed it.
const MaxNodes = 5000

// Graph is a directed graph over the nodes 0 to n-1. The zero value is not usable; see New.
type Graph struct {
	n    int
	deps [][]int // nodes that each node needs, ascending, without duplicates
}

// ErrTooLarge reports that a graph has more than MaxNodes nodes.
var ErrTooLarge = errors.New("too many nodes")

// New returns a graph of n nodes without edges. If n is too large, it returns an error that wraps ErrTooLarge.
func New(n int) (*Graph, error) {
	if n > MaxNodes {
		return nil, fmt.Errorf("%w: %d, at most %d are possible", ErrTooLarge, n, MaxNodes)
	}
	return &Graph{n: n, deps: make([][]int, n)}, nil
}

// Len returns the number of nodes.
func (g *Graph) Len() int { return g.n }

// Need records that node needs dep. Repeating it has no effect. A node that needs itself is a cycle.
func (g *Graph) Need(node, dep int) {
	at, found := slices.BinarySearch(g.deps[node], dep)
	if !found {
		g.deps[node] = slices.Insert(g.deps[node], at, dep)
	}
}

// Deps returns the nodes that a node needs, in ascending order. The caller must not change the result.
func (g *Graph) Deps(node int) []int { return g.deps[node] }

// CycleError holds one cycle for each group of nodes that need each other, ordered by their first nodes.
type CycleError struct {
	// Cycles are paths: each node needs the next one, and the last one needs the first. A path starts with its lowest
	// node and is a shortest cycle through that node.
	Cycles [][]int
}

func (e *CycleError) Error() string { return fmt.Sprintf("the graph has %d cycles", len(e.Cycles)) }

// Sort orders the nodes so that each follows all nodes that it needs. Within each wave of Kahn's algorithm, nodes are
// in ascending order. Sort takes quadratic time. Its error is a *CycleError.
func (g *Graph) Sort() ([]int, error) {
	lib := dgraph.New(dgraph.IntHash, dgraph.Directed())
	for v := range g.n {
		if err := lib.AddVertex(v); err != nil {
			return nil, fmt.Errorf("add node %d: %w", v, err)
		}
	}
	for v, deps := range g.deps {
		for _, d := range deps {
			if err := lib.AddEdge(d, v); err != nil {
				return nil, fmt.Errorf("add edge %d to %d: %w", d, v, err)
			}
		}
	}
	order, err := dgraph.StableTopologicalSort(lib, func(a, b int) bool { return a < b })
	if err != nil {
		return nil, &CycleError{Cycles: g.cycles()} // the only error that a directed graph in memory can return
	}
	return order, nil
}

// cycles finds one cycle in each group of nodes that need each other. Only errors need it; it takes quadratic time.
func (g *Graph) cycles() [][]int {
	var cycles [][]int
	covered := make([]bool, g.n)
	for v := range g.n {
		if covered[v] {
			continue
		}
		path, reached := g.cycleThrough(v)
		if path == nil {
			continue
		}
		cycles = append(cycles, path)
		for w := range reached {
			if _, back := g.cycleThrough(w); back[v] {
				covered[w] = true
			}
		}
	}
	return cycles
}

// cycleThrough searches breadth-first from v until it reaches v again. It returns a shortest cycle through v, or nil if
// there is none, and all nodes that v needs directly or indirectly.
func (g *Graph) cycleThrough(v int) (path []int, reached map[int]bool) {
	reached = map[int]bool{}
	from := map[int]int{} // the node from which each node was first reached
	queue := []int{v}
	for len(queue) > 0 {
		w := queue[0]
		queue = queue[1:]
		for _, d := range g.deps[w] {
			if d == v && path == nil {
				path = []int{w}
				for path[0] != v {
					path = slices.Insert(path, 0, from[path[0]])
				}
			}
			if !reached[d] {
				reached[d] = true
				from[d] = w
				queue = append(queue, d)
			}
		}
	}
	return path, reached
}

// Reach returns, for each node, the marked nodes that it needs directly or through unmarked nodes, in ascending order.
// order must be a topological order of the graph.
func (g *Graph) Reach(order []int, marked func(node int) bool) [][]int {
	reach := make([][]int, g.n)
	for _, v := range order {
		var all []int
		for _, d := range g.deps[v] {
			if marked(d) {
				all = append(all, d)
			} else {
				all = append(all, reach[d]...)
			}
		}
		slices.Sort(all)
		reach[v] = slices.Compact(all)
	}
	return reach
}
