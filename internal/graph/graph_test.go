package graph

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func build(t *testing.T, n int, edges [][2]int) *Graph {
	t.Helper()
	g, err := New(n)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range edges {
		g.Need(e[0], e[1])
	}
	return g
}

func TestSort(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		n     int
		edges [][2]int // a node, then the nodes that it needs
		want  []int
	}{
		{"no edges keep the order", 4, nil, []int{0, 1, 2, 3}},
		{"a chain declared backwards", 3, [][2]int{{0, 1}, {1, 2}}, []int{2, 1, 0}},
		{"a diamond", 4, [][2]int{{1, 0}, {2, 0}, {3, 1}, {3, 2}}, []int{0, 1, 2, 3}},
		{"an edge said twice", 2, [][2]int{{0, 1}, {0, 1}}, []int{1, 0}},
		{"independent parts by waves", 4, [][2]int{{0, 3}}, []int{1, 2, 3, 0}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for range 20 { // an order that depended on map iteration would vary
				got, err := build(t, tt.n, tt.edges).Sort()
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Fatalf("Sort of %v (-want +got):\n%s", tt.edges, diff)
				}
			}
		})
	}
}

func TestCycles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		n     int
		edges [][2]int
		want  [][]int
	}{
		{"a node that needs itself", 2, [][2]int{{1, 1}}, [][]int{{1}}},
		{"two nodes", 3, [][2]int{{1, 2}, {2, 1}}, [][]int{{1, 2}}},
		{"the shortest way round", 4, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {1, 0}}, [][]int{{0, 1}}},
		{"two cycles, a node below them", 6, [][2]int{{4, 3}, {3, 4}, {1, 0}, {0, 1}, {5, 0}, {5, 3}},
			[][]int{{0, 1}, {3, 4}}},
		{"three nodes", 3, [][2]int{{0, 2}, {2, 1}, {1, 0}}, [][]int{{0, 2, 1}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := build(t, tt.n, tt.edges).Sort()
			cycle, ok := errors.AsType[*CycleError](err)
			if !ok {
				t.Fatalf("Sort of %v: error %v, want a CycleError", tt.edges, err)
			}
			if diff := cmp.Diff(tt.want, cycle.Cycles); diff != "" {
				t.Errorf("cycles of %v (-want +got):\n%s", tt.edges, diff)
			}
		})
	}
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	if _, err := New(MaxNodes + 1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("New(%d): %v, want ErrTooLarge", MaxNodes+1, err)
	}
}

func TestReach(t *testing.T) {
	t.Parallel()
	// 0 and 1 are stages, 2 is a local that needs both, 3 is a local that needs 2, 4 is a stage that needs 3, and 5 is
	// a stage that needs 4.
	g := build(t, 6, [][2]int{{2, 0}, {2, 1}, {3, 2}, {4, 3}, {5, 4}})
	order, err := g.Sort()
	if err != nil {
		t.Fatal(err)
	}
	stage := map[int]bool{0: true, 1: true, 4: true, 5: true}
	got := g.Reach(order, func(v int) bool { return stage[v] })
	want := [][]int{nil, nil, {0, 1}, {0, 1}, {0, 1}, {4}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Reach (-want +got):\n%s", diff)
	}
}

func BenchmarkSort(b *testing.B) {
	const n = 500
	for b.Loop() {
		g, _ := New(n)
		for v := 1; v < n; v++ {
			g.Need(v, v-1)
			g.Need(v, v/2)
		}
		if _, err := g.Sort(); err != nil {
			b.Fatal(err)
		}
	}
}
