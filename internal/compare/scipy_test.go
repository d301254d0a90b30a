package compare

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestSignedRankOfSciPy compares p-values with those of scipy.stats.wilcoxon.
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
