package interim

import (
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// TestHeatsOf uses a year's pipeline, where several heat stages precede a track's scores. Only the stages with the
// track's benchmarks count.
func TestHeatsOf(t *testing.T) {
	heat := func(addr, group string, benchmarks ...string) heats {
		h := heats{addr: addr, Groups: map[string]results.SelectionRow{group: {}}, benchmarks: map[string]bool{}}
		for _, b := range benchmarks {
			h.benchmarks[b] = true
		}
		return h
	}
	found := []heats{heat("first", "D", "a", "b", "c"), heat("later", "D", "c", "d"), heat("logics", "L", "e")}
	for _, tt := range []struct {
		benchmarks, want string
	}{
		{"a b", "first"}, {"c d", "later"}, {"c", "in the heats of both first and later"},
		{"a d", "from several stages"}, {"x", "or from none"}, {"e", "it has no group D"},
	} {
		h, err := HeatsWith(found, "score", &score.Points{Division: &score.DivisionResult{Name: "D"},
			Benchmarks: strings.Fields(tt.benchmarks)})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = h.addr
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.benchmarks, got, tt.want)
		}
	}
}
