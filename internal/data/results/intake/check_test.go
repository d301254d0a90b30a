package intake

import "testing"

// TestRunsCounted counts runs of solvers with codes below 64, which are bits, and of others.
func TestRunsCounted(t *testing.T) {
	n := &names{first: make([]benchmark, 2), more: map[[2]int32]int{}}
	for want := 1; want <= 3; want++ {
		for _, solver := range []int32{0, 1, 63, 64, 65, 128} {
			for b := range int32(2) {
				if got := n.runs(b, solver); got != want {
					t.Errorf("run %d of solver %d on benchmark %d is counted as %d", want, solver, b, got)
				}
			}
		}
	}
}
