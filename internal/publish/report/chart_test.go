package report

import (
	"strings"
	"testing"
)

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		axis axis
		want string // dots stand for marks without a label
	}{
		{axis{max: 100}, "0 20 40 60 80 100"},
		{axis{max: 1.02}, "0 0.2 0.4 0.6 0.8 1"},
		{axis{max: 51}, "0 10 20 30 40 50"},
		{axis{max: 306}, "0 50 100 150 200 250 300"},
		{axis{min: 0.01, max: 1, log: true}, "0.01 ........ 0.1 ........ 1"},
		{axis{min: 0.3, max: 20, log: true}, ".. 0.5 .... 1 2 .. 5 .... 10 20"},
	} {
		var got strings.Builder
		for _, tick := range test.axis.ticks() {
			switch {
			case tick.label == "":
				got.WriteString(".")
			default:
				got.WriteString(" " + tick.label + " ")
			}
		}
		if text := strings.ReplaceAll(strings.TrimSpace(got.String()), "  ", " "); text != test.want {
			t.Errorf("%v: %q, want %q", test.axis, text, test.want)
		}
	}
}

func TestNorm(t *testing.T) {
	log := axis{min: 0.01, max: 100, log: true}
	for v, want := range map[float64]float64{0.01: 0, 1: 0.5, 100: 1} {
		if got := log.norm(v); got < want-1e-12 || got > want+1e-12 {
			t.Errorf("%g is at %g, want %g", v, got, want)
		}
	}
	if got := (axis{min: 10, max: 30}).norm(15); got != 0.25 {
		t.Errorf("15 of 10 to 30 is at %g", got)
	}
}
