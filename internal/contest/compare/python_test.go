package compare

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os/exec"
	"reflect"
	"testing"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestSignedRankOfSciPy compares p-values with scipy.stats.wilcoxon.
func TestSignedRankOfSciPy(t *testing.T) {
	python := testkit.Python(t, "scipy")
	random := rand.New(rand.NewPCG(5, 6))
	var lists [][]float64
	for _, n := range []int{3, 6, 10, 25, 50, 51, 200} {
		var d []float64
		for range n {
			d = append(d, random.NormFloat64()+0.2)
		}
		lists = append(lists, d)
	}
	input, err := json.Marshal(lists)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "testdata/wilcoxon.py")
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var want []float64
	if err := json.Unmarshal(out, &want); err != nil {
		t.Fatal(err)
	}
	for i, d := range lists {
		if got, _ := signedRank(d); math.Abs(got-want[i]) > 1e-9 {
			t.Errorf("%d differences: p %v, scipy has %v", len(d), got, want[i])
		}
	}
}

// TestSampleOfPython compares a sample with one drawn by CPython's generator.
func TestSampleOfPython(t *testing.T) {
	python := testkit.Python(t, "scipy")
	var all []Benchmark
	var rows [][]string
	for i := range 150 {
		b := Benchmark{Path: fmt.Sprintf("%03d", i), Logic: []string{"QF_BV", "LIA"}[i%2], Family: fmt.Sprint(i % 7)}
		all, rows = append(all, b), append(rows, []string{b.Logic, b.Family, b.Path})
	}
	input, err := json.Marshal([]any{-26, 60, rows})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), python, "testdata/sample.py")
	cmd.Stdin = bytes.NewReader(input)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got [][]any
	for _, b := range Sample(all, 60, -26) {
		got = append(got, []any{b.Path, b.SecondFirst})
	}
	var want [][]any
	if err := json.Unmarshal(out, &want); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v: got %v, want %v", err, got, want)
	}
}
