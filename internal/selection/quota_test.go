package selection_test

import (
	"testing"

	"github.com/smtpipe/smtpipe/internal/selection"
)

// TestFormulas has hand-computed values at every edge of the rules' cases.
func TestFormulas(t *testing.T) {
	for _, c := range []struct {
		name    string
		formula selection.Formula
		n, want int
	}{
		{"everything", selection.Everything, 123456, 123456},
		{"half, 0", selection.Half(selection.Floor), 0, 0},
		{"half, 300", selection.Half(selection.Floor), 300, 300},
		{"half, 301", selection.Half(selection.Floor), 301, 300},
		{"half, 600", selection.Half(selection.Floor), 600, 300},
		{"half, 601 down", selection.Half(selection.Floor), 601, 300},
		{"half, 601 up", selection.Half(selection.Ceil), 601, 301},
		{"half, 14382", selection.Half(selection.Floor), 14382, 7191}, // QF_BV, model validation 2019
		{"tenth, 600", selection.Tenth(selection.Floor), 600, 300},
		{"tenth, 999 down", selection.Tenth(selection.Floor), 999, 499},
		{"tenth, 999 up", selection.Tenth(selection.Ceil), 999, 500},
		{"tenth, 1000", selection.Tenth(selection.Floor), 1000, 500},
		{"tenth, 1009 down", selection.Tenth(selection.Floor), 1009, 500},
		{"tenth, 1009 up", selection.Tenth(selection.Ceil), 1009, 501},
		{"tenth, 46195", selection.Tenth(selection.Floor), 46195, 5019}, // 500 + 45195/10 = 5019.5
		{"ratio 0.4, 300", selection.Ratio(300, 0.4), 300, 300},
		{"ratio 0.4, 750", selection.Ratio(300, 0.4), 750, 300},      // 0.4*750 = 300
		{"ratio 0.4, 752", selection.Ratio(300, 0.4), 752, 300},      // 300.8
		{"ratio 0.4, 14382", selection.Ratio(300, 0.4), 14382, 5752}, // QF_BV, model validation 2020
		{"ratio 0.25, 600", selection.Ratio(150, 0.25), 600, 150},
		{"ratio 0.25, 605", selection.Ratio(150, 0.25), 605, 151},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.formula(c.n); got != c.want {
				t.Errorf("n = %d: got %d, want %d", c.n, got, c.want)
			}
		})
	}
}

func TestUnknownYears(t *testing.T) {
	if _, err := selection.FormulaOf(2008, selection.Floor); err == nil {
		t.Error("2008 has slots, not a formula")
	}
	if _, err := selection.GuaranteeFrom(2020); err == nil {
		t.Error("2020 has no rules here")
	}
	if _, err := selection.ParseRounding("half-up"); err == nil {
		t.Error("half-up is no rounding here")
	}
}
