package draw

import (
	"strings"
	"testing"
)

func TestTicks(t *testing.T) {
	for _, test := range []struct {
		axis Axis
		want string // dots stand for marks without a label
	}{
		{Axis{Max: 100}, "0 20 40 60 80 100"},
		{Axis{Max: 1.02}, "0 0.2 0.4 0.6 0.8 1"},
		{Axis{Max: 51}, "0 10 20 30 40 50"},
		{Axis{Max: 306}, "0 50 100 150 200 250 300"},
		{Axis{Min: 1, Max: 3, Whole: true}, "1 2 3"},
		{Axis{Min: 0.01, Max: 1, Log: true}, "0.01 ........ 0.1 ........ 1"},
		{Axis{Min: 0.3, Max: 20, Log: true}, ".. 0.5 .... 1 2 .. 5 .... 10 20"},
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
	log := Axis{Min: 0.01, Max: 100, Log: true}
	for v, want := range map[float64]float64{0.01: 0, 1: 0.5, 100: 1} {
		if got := log.norm(v); got < want-1e-12 || got > want+1e-12 {
			t.Errorf("%g is at %g, want %g", v, got, want)
		}
	}
	if got := (Axis{Min: 10, Max: 30}).norm(15); got != 0.25 {
		t.Errorf("15 of 10 to 30 is at %g", got)
	}
}
