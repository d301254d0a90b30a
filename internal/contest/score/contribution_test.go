package score

import "testing"

// TestVirtualIn checks that a view of the organisers' second program counts a virtual run exactly at its limit, but not
// above it.
func TestVirtualIn(t *testing.T) {
	short := 24 * Second
	b := &Benchmark{Limit: 1200 * Second}
	wall, cpu, limited := &View{Cut: "wall"}, &View{Cut: "cpu"}, &View{Cut: "wall", Limit: &short}
	run := func(w, c Time) virtual { return virtual{n: 3, wall: w, cpu: c, has: true} }
	for _, test := range []struct {
		name string
		view *View
		run  virtual
		want virtual
		in   bool
	}{
		{"short, at the limit", limited, run(short, 1300*Second), run(short, 1300*Second), true},
		{"short, above it", limited, run(short+1, 5), run(short+1, 5), false},
		{"wall, at T", wall, run(1200*Second, 5), run(1200*Second, 5), true},
		{"wall, above T", wall, run(1200*Second+1, 5), run(1200*Second+1, 5), false},
		{"CPU, at T", cpu, run(5, 1200*Second), run(5, 1200*Second), true},
		{"CPU, above T: a run of nothing", cpu, run(5, 1200*Second+1), virtual{has: true}, true},
		{"neither", &View{}, run(2000*Second, 2000*Second), run(2000*Second, 2000*Second), true},
	} {
		got, in := test.run.in(test.view, b)
		if in != test.in || in && got != test.want {
			t.Errorf("%s: %+v, %v; want %+v, %v", test.name, got, in, test.want, test.in)
		}
	}
}
