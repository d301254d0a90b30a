package random_test

import (
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/base/random"
)

// choiceBounds are the lengths of the sequences for the random.choice calls in mtVectors, in order.
var choiceBounds = []int{1, 2, 3, 10, 300, 391363, 1 << 31, 1<<31 + 1, 1 << 32, 1<<40 + 7}

// mtVectors were printed by CPython 3.11.7. Each has the first four values and the 10,000th of random.getrandbits(32)
// after random.seed(seed) and, after seeding again, random.choice(range(n)) for each n in choiceBounds.
var mtVectors = []struct {
	seed    string
	first   []uint32
	at10000 uint32
	choices []int
}{
	{"0", []uint32{3626764237, 1654615998, 3255389356, 3823568514}, 3292398474, []int{0, 1, 0, 4, 261, 254766,
		1739178872, 1302718217, 4156669319, 619073466650}},
	{"1", []uint32{577090037, 2444712010, 3639700191, 3445702192}, 586364410, []int{0, 0, 1, 1, 253, 235662, 2028277857,
		1630434966, 3387541014, 1069849980556}},
	{"42", []uint32{2746317213, 478163327, 107420369, 3184935163}, 3981887252, []int{0, 0, 2, 4, 125, 117026, 599310825,
		440213415, 1812140441, 201991441006}},
	{"-42", []uint32{2746317213, 478163327, 107420369, 3184935163}, 3981887252, []int{0, 0, 2, 4, 125, 117026,
		599310825, 440213415, 1812140441, 201991441006}},
	{"912681576", []uint32{2387138922, 78304005, 3982298556, 1883467415}, 1243327000, []int{0, 1, 0, 0, 10, 280171,
		374502734, 1509020700, 861495839, 562262943964}},
	{"1057205781", []uint32{2550651164, 1211824516, 3595275263, 189939647}, 3639545292, []int{0, 0, 2, 9, 146, 38753,
		1131206618, 1686975998, 377887152, 355882981811}},
	{"4294967295", []uint32{2728839433, 2661025012, 872737089, 924893097}, 3957488064, []int{0, 0, 2, 8, 149, 316172,
		1460408326, 1636881668, 3818874696, 904078697522}},
	{"4294967296", []uint32{485306839, 1508871100, 1794561286, 4014597330}, 4233817504, []int{0, 1, 1, 0, 11, 320718,
		1423829729, 1940533316, 60122280, 752968576454}},
	{"9223372036854788153", []uint32{1308997459, 1668775168, 912389232, 665509477}, 3626056345,
		[]int{0, 1, 0, 2, 147, 125715, 28858648, 1384740523, 1662336479, 201367154013}},
	{"123456789012345678901234567890", []uint32{3124625047, 947073620, 685135262, 3525393358}, 1410623847,
		[]int{0, 0, 0, 8, 137, 391035, 484506087, 1052370538, 1573393813, 148935666715}},
}

func TestMTIsCPython(t *testing.T) {
	for _, v := range mtVectors {
		seed, _ := new(big.Int).SetString(v.seed, 10)
		m := random.NewMT(seed)
		var got []uint32
		for range v.first {
			got = append(got, m.Uint32())
		}
		if diff := cmp.Diff(v.first, got); diff != "" {
			t.Errorf("seed %s, first values (-want +got):\n%s", v.seed, diff)
		}
		for range 10000 - len(v.first) - 1 {
			m.Uint32()
		}
		if got := m.Uint32(); got != v.at10000 {
			t.Errorf("seed %s, value 10000: got %d, want %d", v.seed, got, v.at10000)
		}
	}
}

func TestMTChoiceIsCPython(t *testing.T) {
	for _, v := range mtVectors {
		seed, _ := new(big.Int).SetString(v.seed, 10)
		m := random.NewMT(seed)
		var got []int
		for _, n := range choiceBounds {
			got = append(got, m.Choice(n))
		}
		if diff := cmp.Diff(v.choices, got); diff != "" {
			t.Errorf("seed %s, choices (-want +got):\n%s", v.seed, diff)
		}
	}
}

func BenchmarkMTChoice(b *testing.B) {
	m := random.NewMT(big.NewInt(1))
	for b.Loop() {
		m.Choice(391363)
	}
}
