package random_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/base/random"
)

// glibcVectors were printed by a C program that calls srandom(seed) and then random() 10,000 times. It was linked with
// the GNU C library 2.36 on x86-64 (Debian 12). Seeds from 2^31 on are negative as signed words.
var glibcVectors = []struct {
	seed    uint32
	first   []int32
	at10000 int32
}{
	{seed: 0, first: []int32{1804289383, 846930886, 1681692777, 1714636915, 1957747793, 424238335, 719885386,
		1649760492}, at10000: 1908609430},
	{seed: 1, first: []int32{1804289383, 846930886, 1681692777, 1714636915, 1957747793, 424238335, 719885386,
		1649760492}, at10000: 1908609430},
	{seed: 2, first: []int32{1505335290, 1738766719, 190686788, 260874575, 747983061, 906156498, 1502820864, 142559277},
		at10000: 404926418},
	{seed: 42, first: []int32{71876166, 708592740, 1483128881, 907283241, 442951012, 537146758, 1366999021, 1854614940},
		at10000: 48510282},
	{seed: 22731074, first: []int32{481154150, 1697022320, 900445503, 1834022937, 870429106, 1463980276, 741493983,
		212453379}, at10000: 2076481350},
	{seed: 1 << 30, first: []int32{1410089939, 933358663, 809127911, 822580274, 2020299041, 1248417040, 855150905,
		786113084}, at10000: 249177744},
	{seed: 1<<31 - 1, first: []int32{1065668062, 2142264300, 1066566375, 1064012770, 2141034222, 1065509725, 2135810236,
		2139491828}, at10000: 1070115311},
	{seed: 1 << 31, first: []int32{1336741213, 1210407648, 1447044896, 337392383, 82502902, 538660432, 1313908778,
		370221063}, at10000: 30485069},
	{seed: 3948761623, first: []int32{531884741, 1195957716, 1055971743, 74092957, 310844337, 329620898, 227655365,
		195382237}, at10000: 1415187528},
	{seed: 1<<32 - 1, first: []int32{254925627, 1205188300, 366127624, 1401405153, 76053476, 1604170158, 1302235366,
		362229243}, at10000: 1100600380},
}

func TestGlibcIsTheCLibrary(t *testing.T) {
	for _, v := range glibcVectors {
		g := random.NewGlibc(v.seed)
		var got []int32
		for range v.first {
			got = append(got, g.Next())
		}
		if diff := cmp.Diff(v.first, got); diff != "" {
			t.Errorf("seed %d, first values (-want +got):\n%s", v.seed, diff)
		}
		for range 10000 - len(v.first) - 1 {
			g.Next()
		}
		if got := g.Next(); got != v.at10000 {
			t.Errorf("seed %d, value 10000: got %d, want %d", v.seed, got, v.at10000)
		}
	}
}

// TestBelowIsTheStreamModuloN checks the documented method. It reduces the stream's values modulo n, skipping those at
// or above the largest multiple of n that is at most 2^31.
func TestBelowIsTheStreamModuloN(t *testing.T) {
	for _, n := range []int{2, 3, 10, 1000, 1<<30 + 1, 1<<31 - 1, 1 << 31} {
		stream, g := random.NewGlibc(7), random.NewGlibc(7)
		limit := int64(1<<31) / int64(n) * int64(n)
		for i := range 1000 {
			value := int64(stream.Next())
			for value >= limit {
				value = int64(stream.Next())
			}
			if got, want := g.Below(n), int(value%int64(n)); got != want {
				t.Fatalf("draw %d below %d: got %d, want %d", i, n, got, want)
			}
		}
	}
	g, untouched := random.NewGlibc(7), random.NewGlibc(7)
	if got := g.Below(1); got != 0 {
		t.Errorf("below 1: got %d", got)
	}
	if g.Next() != untouched.Next() {
		t.Error("a draw below 1 advanced the stream")
	}
}

func TestBelowRefusesBadBounds(t *testing.T) {
	for _, n := range []int{-1, 0, 1<<31 + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Below(%d) did not panic", n)
				}
			}()
			random.NewGlibc(1).Below(n)
		}()
	}
}

func TestSample(t *testing.T) {
	for _, c := range []struct {
		name  string
		n, k  int
		draws int
	}{
		{"nothing of nothing", 0, 0, 0},
		{"nothing", 5, 0, 0},
		{"everything", 5, 5, 0},
		{"one", 5, 1, 1},
		{"all but one", 1000, 999, 999},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, reference := random.NewGlibc(99), random.NewGlibc(99)
			got := g.Sample(c.n, c.k)
			if len(got) != c.k || !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != c.k {
				t.Errorf("Sample(%d, %d) = %v: not %d distinct ascending numbers", c.n, c.k, got, c.k)
			}
			for i := range c.draws {
				reference.Below(c.n - i)
			}
			if g.Next() != reference.Next() {
				t.Errorf("Sample(%d, %d) did not make %d draws", c.n, c.k, c.draws)
			}
		})
	}
}

// TestSampleIsUniform counts each of the 10 subsets of 2 out of 5 over many seeds. With 9 degrees of freedom,
// chi-square exceeds 27.88 once in 1000 experiments. The seeds are fixed, so the test is deterministic.
func TestSampleIsUniform(t *testing.T) {
	const rounds = 20000
	count := map[[2]int]int{}
	for seed := range uint32(rounds) {
		s := random.NewGlibc(seed+1).Sample(5, 2)
		count[[2]int{s[0], s[1]}]++
	}
	if len(count) != 10 {
		t.Fatalf("got %d subsets, want 10: %v", len(count), count)
	}
	expected, chi2 := float64(rounds)/10, 0.0
	for _, c := range count {
		chi2 += (float64(c) - expected) * (float64(c) - expected) / expected
	}
	if chi2 > 27.88 {
		t.Errorf("chi-square %.2f over 9 degrees of freedom: %v", chi2, count)
	}
}

func BenchmarkGlibcNext(b *testing.B) {
	g := random.NewGlibc(1)
	b.SetBytes(4)
	for b.Loop() {
		g.Next()
	}
}
