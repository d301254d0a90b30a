package value

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestCanonicalNumbers(t *testing.T) {
	large := new(big.Int).Lsh(big.NewInt(1), 70)
	for _, row := range []struct {
		name string
		a, b Value
		same bool
	}{
		{"small integer", Int(big.NewInt(-3)), Int64(-3), true},
		{"rational that is an integer", Rat(big.NewRat(6, 2)), Int64(3), true},
		{"large", Int(large), Rat(new(big.Rat).SetInt(large)), true},
		{"fractions", Rat(big.NewRat(1, 3)), Rat(big.NewRat(2, 6)), true},
		{"signs", Rat(big.NewRat(1, 3)), Rat(big.NewRat(-1, 3)), false},
		{"vector of 64 bits", Bits(64, big.NewInt(7)), Value{N: 7}, true},
		{"texts", Value{P: Text("ab")}, Value{P: Text("ab")}, true},
		{"other text", Value{P: Text("ab")}, Value{P: Text("b")}, false},
	} {
		if got := Equal(row.a, row.b); got != row.same {
			t.Errorf("%s: equal is %v", row.name, got)
		}
		if got := string(row.a.AppendKey(nil)) == string(row.b.AppendKey(nil)); got != row.same {
			t.Errorf("%s: equal keys is %v", row.name, got)
		}
	}
}

// TestArraysAgainstMaps stores random entries in two orders and compares the arrays with Go maps. It uses an infinite
// index sort, and small finite ones for which different defaults can describe the same function.
func TestArraysAgainstMaps(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for range 4000 {
		s := NewStore()
		n := []int{0, 2, 3, 8}[r.IntN(4)]
		var domain *Domain
		keys := 6
		if n > 0 {
			domain, keys = &Domain{}, n
			for i := range n {
				domain.Values = append(domain.Values, Int64(int64(i)))
			}
		}
		build := func() (Value, map[int]int, int) {
			def := r.IntN(3)
			a, m := s.Constant(Int64(int64(def)), domain), map[int]int{}
			for range r.IntN(14) {
				i, e := r.IntN(keys), r.IntN(3)
				a = s.Store(a.P.(*Array), Int64(int64(i)), Int64(int64(e)))
				m[i] = e
			}
			return a, m, def
		}
		a, ma, da := build()
		b, mb, db := build()
		same := n > 0 || da == db // over all integers, arrays with different defaults differ
		for i := range keys {
			va, vb := da, db
			if e, ok := ma[i]; ok {
				va = e
			}
			if e, ok := mb[i]; ok {
				vb = e
			}
			same = same && va == vb
			if got, _ := s.Select(a.P.(*Array), Int64(int64(i))); got.N != uint64(va) {
				t.Fatalf("select %d: got %d, want %d", i, got.N, va)
			}
		}
		if got := Equal(a, b); got != same {
			t.Fatalf("domain %d: %v/%d and %v/%d: equal is %v, want %v", n, ma, da, mb, db, got, same)
		}
	}
}

// TestEntriesHaveOneOrder stores elements at indices whose keys contain the numbers of datatype values. The order of
// the entries must not depend on the shape of the trees, which differs from Store to Store.
func TestEntriesHaveOneOrder(t *testing.T) {
	order := func() (out []uint64) {
		s := NewStore()
		a := s.Constant(Int64(0), nil)
		for i := range 600 {
			a = s.Store(a.P.(*Array), s.Data(1, 0, []Value{Int64(int64(i))}), Int64(1))
		}
		for _, e := range a.P.(*Array).Entries() {
			out = append(out, e.Index.P.(*Data).Args[0].N)
		}
		return out
	}
	if x, y := order(), order(); !slices.Equal(x, y) {
		t.Errorf("the entries of equal arrays are in the orders %v and %v", x, y)
	}
}

func TestDataIsShared(t *testing.T) {
	s := NewStore()
	leaf := s.Data(1, 0, nil)
	x, y := leaf, leaf
	for range 100 { // builds a tree of 2^100 leaves
		x, y = s.Data(1, 1, []Value{x, x}), s.Data(1, 1, []Value{y, y})
	}
	if !Equal(x, y) {
		t.Error("equal trees differ")
	}
	if Equal(s.Data(1, 1, []Value{leaf, x}), x) {
		t.Error("different trees are equal")
	}
}

func BenchmarkStoreChain(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s := NewStore()
		a := s.Constant(Int64(0), nil)
		for i := range 1000 {
			a = s.Store(a.P.(*Array), Int64(int64(i)), Int64(1))
		}
	}
}
