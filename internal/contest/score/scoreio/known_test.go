package scoreio

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/score/pages"
)

// TestKnownWithin checks that a difference is known only up to the declared size.
func TestKnownWithin(t *testing.T) {
	known := pages.Known{Cell: pages.Cell{View: "sequential", Columns: []string{"wall"}, Within: 0.001}}
	for _, tt := range []struct {
		got, want string
		known     bool
	}{
		{"1000", "1001", true},   // 1 of 1001 is less than 0.1 %
		{"1000", "998.9", false}, // 1.1 of 998.9 is more
		{"1001", "1000", true},
		{"nothing", "1000", false},
	} {
		d := &Difference{View: "sequential", Column: "wall", Got: tt.got, Want: tt.want}
		if covers(&known, d) != tt.known {
			t.Errorf("%s instead of %s: known is %v", tt.got, tt.want, !tt.known)
		}
	}
}
