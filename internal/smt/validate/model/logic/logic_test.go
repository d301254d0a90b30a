package logic

import "testing"

func TestParse(t *testing.T) {
	for _, row := range []struct {
		name string
		want Logic // without the name
		ok   bool
	}{
		{"QF_BV", Logic{BV: true}, true},
		{"LIA", Logic{Quantifiers: true, Ints: true, Arithmetic: Linear}, true},
		{"QF_RDL", Logic{Reals: true, Arithmetic: Difference}, true},
		{"QF_AX", Logic{Arrays: AllArrays, FreeSorts: true}, true},
		{"QF_ABVFPLRA", Logic{Arrays: AllArrays, BV: true, FP: true, Reals: true, Arithmetic: Linear}, true},
		{"AUFDTNIRA", Logic{Quantifiers: true, Arrays: AllArrays, UF: true, FreeSorts: true, DT: true, Ints: true,
			Reals: true, Arithmetic: Nonlinear}, true},
		{"QF_SLIA", Logic{Texts: true, Ints: true, Arithmetic: Linear}, true},
		{"QF_AUFBV", Logic{Arrays: BitVecArrays, UF: true, FreeSorts: true, BV: true}, true},
		{"QF_ALL", Logic{All: true}, true},
		{"ALL", Logic{All: true, Quantifiers: true}, true},
		{"QF_", Logic{}, false},
		{"QF_LIABV", Logic{}, false},
		{"HORN", Logic{}, false},
	} {
		got, ok := Parse(row.name)
		row.want.Name = row.name
		if ok != row.ok || (ok && *got != row.want) {
			t.Errorf("%s: got %+v, %v", row.name, got, ok)
		}
	}
}
