package sorts

import "testing"

func TestInternAndString(t *testing.T) {
	tab := NewTable()
	a := tab.Array(tab.BitVec(8), RealID)
	if b := tab.Array(tab.BitVec(8), RealID); a != b {
		t.Error("equal sorts have different IDs")
	}
	if tab.BitVec(8) == tab.BitVec(9) {
		t.Error("different sorts have one ID")
	}
	if got, want := tab.String(a), "(Array (_ BitVec 8) Real)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// list declares (declare-datatypes ((List 1)) ((par (T) ((nil) (cons (head T) (tail (List T))))))).
func list(tab *Table) (generic ID) {
	tab.Datatypes = append(tab.Datatypes, Declaration{Name: "List", Arity: 1})
	param := tab.Intern(Sort{Kind: Param, N: 0})
	generic = tab.Intern(Sort{Kind: Datatype, Args: []ID{param}})
	tab.Datatypes[0].Constructors = []Constructor{
		{Name: "nil"},
		{Name: "cons", Fields: []Field{{"head", param}, {"tail", generic}}},
	}
	return generic
}

func TestParametricDatatype(t *testing.T) {
	tab := NewTable()
	generic := list(tab)
	ints := tab.Subst(generic, []ID{IntID})
	cons := tab.Constructors(ints)[1]
	if cons.Fields[0].Sort != IntID || cons.Fields[1].Sort != ints {
		t.Errorf("fields of (List Int) are %v", cons.Fields)
	}
	args := make([]ID, 1)
	if !tab.Match(generic, ints, args) || args[0] != IntID {
		t.Errorf("match gave %v", args)
	}
	if tab.Match(generic, IntID, make([]ID, 1)) {
		t.Error("Int is a List")
	}
}

// TestIrregular uses a datatype whose only field contains another instance of it, and so on without end.
func TestIrregular(t *testing.T) {
	tab := NewTable()
	tab.Datatypes = append(tab.Datatypes, Declaration{Name: "N", Arity: 1})
	param := tab.Intern(Sort{Kind: Param, N: 0})
	next := tab.Intern(Sort{Kind: Datatype, Args: []ID{tab.Array(param, param)}})
	tab.Datatypes[0].Constructors = []Constructor{{Name: "c", Fields: []Field{{"f", next}}}}
	if n, finite := tab.Cardinality(tab.Intern(Sort{Kind: Datatype, Args: []ID{BoolID}})); finite {
		t.Errorf("got %d values", n)
	}
}

func TestDepth(t *testing.T) {
	tab := NewTable()
	generic := list(tab)
	nested := tab.Array(IntID, tab.Array(IntID, BoolID))
	for id, want := range map[ID]int{IntID: 1, tab.BitVec(3): 1, nested: 3, generic: 2,
		tab.Subst(generic, []ID{nested}): 4} {
		if got := tab.Depth(id); got != want {
			t.Errorf("%s: got %d, want %d", tab.String(id), got, want)
		}
	}
}

func TestCardinality(t *testing.T) {
	tab := NewTable()
	generic := list(tab)
	tab.Datatypes = append(tab.Datatypes, Declaration{Name: "Pair", Constructors: []Constructor{
		{Name: "none"}, {Name: "pair", Fields: []Field{{"a", BoolID}, {"b", tab.BitVec(2)}}},
	}})
	pair := tab.Intern(Sort{Kind: Datatype, Decl: 1})
	for _, row := range []struct {
		name   string
		id     ID
		want   uint64
		finite bool
	}{
		{"Bool", BoolID, 2, true},
		{"Int", IntID, 0, false},
		{"four bits", tab.BitVec(4), 16, true},
		{"64 bits", tab.BitVec(64), 0, false},
		{"(_ FloatingPoint 2 3): 32 patterns, 6 of them NaN", tab.Float(2, 3), 27, true},
		{"functions from 4 to 2", tab.Array(tab.BitVec(2), BoolID), 16, true},
		{"1 + 2*4", pair, 9, true},
		{"lists", tab.Subst(generic, []ID{BoolID}), 0, false},
	} {
		got, finite := tab.Cardinality(row.id)
		if finite != row.finite || (finite && got != row.want) {
			t.Errorf("%s: got %d %v", row.name, got, finite)
		}
	}
}

// TestSharedParts uses sorts whose trees have 2^100 leaves.
func TestSharedParts(t *testing.T) {
	tab := NewTable()
	generic, open, ints := tab.Intern(Sort{Kind: Param, N: 0}), OpenID, IntID
	for range 100 {
		generic, open, ints = tab.Array(generic, generic), tab.Array(open, open), tab.Array(ints, ints)
	}
	if s, ok := tab.Unify(open, ints); !ok || s != ints {
		t.Errorf("unify gave %d, %v, want %d", s, ok, ints)
	}
	if s := tab.Subst(generic, []ID{IntID}); s != ints {
		t.Errorf("subst gave %d, want %d", s, ints)
	}
	if args := make([]ID, 1); !tab.Match(generic, ints, args) || args[0] != IntID {
		t.Errorf("match gave %v", args)
	}
}
