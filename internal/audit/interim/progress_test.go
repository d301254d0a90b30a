package interim

import "testing"

// TestAtOnce compares the average number of concurrent runs with values computed by hand.
func TestAtOnce(t *testing.T) {
	for _, test := range []struct {
		name string
		made spans
		want float64
	}{
		{"none", nil, 0},
		{"one", spans{{100, 110}}, 1},
		{"two all the time", spans{{100, 150}, {100, 120}, {120, 150}}, 2},
		{"with a pause", spans{{100, 110}, {190, 200}}, 0.2},
		{"what ended more than an hour before the last does not count", spans{{0, 1000}, {0, 1000}, {6400, 10000}}, 1},
		{"what goes into the last hour counts from there on", spans{{0, 10000}, {0, 8200}}, 1.5},
		{"less than a second", spans{{100, 100.25}, {100, 100.25}}, 0.5},
	} {
		if got := test.made.atOnce(); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
