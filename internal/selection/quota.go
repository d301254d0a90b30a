package selection

import "fmt"

// Rounding says what becomes of half a benchmark. The rules do not.
type Rounding uint8

// The roundings. Floor is the organisers'.
const (
	Floor Rounding = iota
	Ceil
)

// ParseRounding reads floor or ceil.
func ParseRounding(s string) (Rounding, error) {
	switch s {
	case "floor":
		return Floor, nil
	case "ceil":
		return Ceil, nil
	}
	return 0, fmt.Errorf("unknown rounding %q; it must be floor or ceil", s)
}

// divide returns a/b for a >= 0 and b > 0.
func (r Rounding) divide(a, b int) int {
	if r == Ceil {
		return (a + b - 1) / b
	}
	return a / b
}

// Formula returns the number of places of a logic with n benchmarks, n >= 0.
type Formula func(n int) int

// Everything is the formula of 2015: there is no cap (SMT-COMP 2015 rules, §6 "Benchmark selection").
func Everything(n int) int { return n }

// Half returns all up to 300, 300 up to 600 and half of more (SMT-COMP 2019 rules, §6, 3; 2022 rules, §6, 4).
func Half(r Rounding) Formula {
	return func(n int) int {
		switch {
		case n <= 300:
			return n
		case n <= 600:
			return 300
		}
		return r.divide(n, 2)
	}
}

// Tenth is Half up to 1000 and 500 + (n-1000)/10 above (SMT-COMP 2026 rules, §6, 4).
func Tenth(r Rounding) Formula {
	half := Half(r)
	return func(n int) int {
		if n <= 1000 {
			return half(n)
		}
		return 500 + r.divide(n-1000, 10)
	}
}

// Ratio is the formula of the organisers' script and, with ratio 0.5, of their tool of 2024 to June 2026: all up to
// low, low while ratio*n is not above it, then ratio*n rounded down.
func Ratio(low int, ratio float64) Formula {
	return func(n int) int {
		switch share := ratio * float64(n); {
		case n <= low:
			return n
		case share <= float64(low):
			return low
		default:
			return int(share)
		}
	}
}

// FormulaOf returns the cap of a year's rules: 2015, 2019, 2022 or 2026. The rules of 2008 have slots instead
// (Select2008).
func FormulaOf(year int, r Rounding) (Formula, error) {
	switch year {
	case 2015:
		return Everything, nil
	case 2019, 2022:
		return Half(r), nil
	case 2026:
		return Tenth(r), nil
	}
	return nil, unknownYear(year)
}

// GuaranteeFrom returns the size of a logic above which its new families have a guaranteed place: "cases b and c" are
// above 300 in 2019 and 2022, "cases 4c and 4d" above 600 in 2026 (§6).
func GuaranteeFrom(year int) (int, error) {
	switch year {
	case 2015:
		return 0, nil
	case 2019, 2022:
		return 300, nil
	case 2026:
		return 600, nil
	}
	return 0, unknownYear(year)
}

func unknownYear(year int) error {
	return fmt.Errorf("no selection rules of %d; there are those of 2008, 2015, 2019, 2022 and 2026", year)
}
