package comp

import "testing"

func TestLibraryPath(t *testing.T) {
	for _, c := range []struct {
		name, path, logic, whole string
		ok                       bool
	}{
		{"plain", "QF_BV/a/x.smt2", "QF_BV", "QF_BV/a/x.smt2", true},
		{"here", "./ABVFPLRA/20170501-H/x.smt2", "ABVFPLRA", "ABVFPLRA/20170501-H/x.smt2", true},
		{"collection", "non-incremental/UF/x.smt2", "UF", "UF/x.smt2", true},
		{"absolute", "/incremental/QF_UFBVLIA/a/b/x.smt2", "QF_UFBVLIA", "QF_UFBVLIA/a/b/x.smt2", true},
		{"small letters", "./qf_abv/a/x.smt2", "QF_ABV", "QF_ABV/a/x.smt2", true},
		{"a logic inside a family", "QF_LIA/LRA/x.smt2", "QF_LIA", "QF_LIA/LRA/x.smt2", true},
		{"the file is not a folder", "a/b/QF_BV", "", "", false},
		{"one letter is not a logic", "a/s/x.smt2", "", "", false},
		{"prefix alone is not a logic", "QF_/x.smt2", "", "", false},
		{"empty", "", "", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			logic, whole, ok := LibraryPath(c.path)
			if string(logic) != c.logic || whole != c.whole || ok != c.ok {
				t.Errorf("LibraryPath(%q) = %q, %q, %v; want %q, %q, %v", c.path, logic, whole, ok, c.logic, c.whole,
					c.ok)
			}
		})
	}
}

// TestIsLogicName covers logics from every release since 2015 that combine theories in unusual orders.
func TestIsLogicName(t *testing.T) {
	for _, name := range []string{
		"ABV", "ABVFPLRA", "ALIA", "ANIA", "AUFBVDTNIRA", "AUFBVFPDTNIRA", "AUFFPDTLIRA", "AUFDTLIA", "BV", "BVFPLRA",
		"FP",
		"FPLRA", "LIA", "NRA", "QF_AX", "QF_AUFBVNIA", "QF_BVLRA", "QF_DT", "QF_IDL", "QF_RDL", "QF_LIRA", "QF_NIRA",
		"QF_S",
		"QF_SLIA", "QF_SNIA", "QF_EIA", "QF_UFBVDT", "QF_UFDTBV", "QF_UFDTLIRA", "QF_UFFPDTNIRA", "QF_UFIDL",
		"QF_UFLIRA",
		"UF", "UFBVDTNIRA", "UFDTBV", "UFIDL", "UFNIRA",
	} {
		if !IsLogicName(name) {
			t.Errorf("%s is not recognised as a logic", name)
		}
	}
	for _, name := range []string{"", "A", "S", "QF_", "qf_bv", "sage", "QF_XY", "LIAUF", "2018A", "QF-BV"} {
		if IsLogicName(name) {
			t.Errorf("%q is taken for a logic", name)
		}
	}
}
