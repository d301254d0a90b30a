package polars_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/base/random/polars"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// vectors are outputs of polars 0.20.30 (rand 0.8) and 1.39.3 (rand 0.9).
type vectors struct {
	Sample []struct {
		N, Len         int
		Seed           uint64
		Method         string
		Rand08, Rand09 []int
	}
	Shuffle []struct {
		Len            int
		Seed           uint64
		Rand08, Rand09 []int
	}
}

// TestVectors compares with all recorded polars outputs, in both flavours.
func TestVectors(t *testing.T) {
	raw, err := os.ReadFile(testkit.Shared(t, "reference", "polars_vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all vectors
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Sample) != 200 || len(all.Shuffle) != 24 {
		t.Fatalf("%d samples and %d shuffles, want 200 and 24", len(all.Sample), len(all.Shuffle))
	}
	methods := map[string]int{}
	for _, v := range all.Sample {
		methods[v.Method]++
		for f, want := range map[polars.Flavour][]int{polars.Rand08: v.Rand08, polars.Rand09: v.Rand09} {
			if got := f.Sample(v.Len, v.N, v.Seed); !slices.Equal(got, want) {
				t.Errorf("%v: %d of %d (%s), seed %d: %s", f, v.N, v.Len, v.Method, v.Seed, cmp.Diff(want, got))
			}
		}
	}
	t.Log("samples by method:", methods)
	for _, v := range all.Shuffle {
		for f, want := range map[polars.Flavour][]int{polars.Rand08: v.Rand08, polars.Rand09: v.Rand09} {
			if got := f.Shuffle(v.Len, v.Seed); !slices.Equal(got, want) {
				t.Errorf("%v: shuffle of %d, seed %d: %s", f, v.Len, v.Seed, cmp.Diff(want, got))
			}
		}
	}
}

// TestProperties checks what polars guarantees for any length and number: distinct positions within the list, all of
// them if all are requested, and a shuffle that is a permutation.
func TestProperties(t *testing.T) {
	for _, f := range []polars.Flavour{polars.Rand08, polars.Rand09} {
		for _, n := range []int{1, 2, 11, 12, 49, 50, 500, 70_000, 600_000} {
			for _, k := range []int{0, 1, 5, 11, 12, 49, 50, 162, 163, 2000} {
				if k > n {
					continue
				}
				got := slices.Sorted(slices.Values(f.Sample(n, k, uint64(n+k))))
				if len(got) != k || len(slices.Compact(got)) != k || k > 0 && (got[0] < 0 || got[k-1] >= n) {
					t.Errorf("%v: %d of %d are not different places of the list: %v", f, k, n, got)
				}
			}
			all := f.Sample(n, n, 7)
			if !slices.IsSorted(all) || len(all) != n {
				t.Errorf("%v: all of %d are not taken in their order", f, n)
			}
			shuffled := f.Shuffle(n, 7)
			if n > 2 && slices.Equal(shuffled, all) {
				t.Errorf("%v: the shuffle of %d changed nothing", f, n)
			}
			slices.Sort(shuffled)
			if !slices.Equal(shuffled, all) {
				t.Errorf("%v: the shuffle of %d is not a permutation", f, n)
			}
		}
	}
}

// TestOutOfRange checks that invalid arguments cause a panic instead of a wrong sample.
func TestOutOfRange(t *testing.T) {
	for name, do := range map[string]func(){
		"more than there are": func() { polars.Rand08.Sample(3, 4, 1) },
		"negative number":     func() { polars.Rand09.Sample(3, -1, 1) },
		"too long a list":     func() { polars.Rand09.Sample(1<<32, 1, 1) },
		"negative length":     func() { polars.Rand09.Shuffle(-1, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			do()
		})
	}
}

func TestParseFlavour(t *testing.T) {
	for _, f := range []polars.Flavour{polars.Rand08, polars.Rand09} {
		if got, err := polars.ParseFlavour(f.String()); got != f || err != nil {
			t.Errorf("%v is read as %v, %v", f, got, err)
		}
	}
	for _, s := range []string{"", "rand-1.0", "polars"} {
		if _, err := polars.ParseFlavour(s); err == nil {
			t.Errorf("%q is taken for a flavour", s)
		}
	}
}
