package comp

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"
)

// sizeUnits are the units for sizes in bytes: SI units with factors of 1000, and binary units under their own names.
var sizeUnits = []struct {
	name  string
	bytes int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"B", 1},
}

// ParseSize parses a size with its unit, such as "30GB" (SI), "512MiB" or "1.5GB". It rejects a bare number, a negative
// size and a fraction of a byte.
func ParseSize(s string) (int64, error) {
	for _, u := range sizeUnits {
		digits, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		n, err := wholeProduct(strings.TrimSpace(digits), u.bytes)
		if err != nil {
			return 0, fmt.Errorf("%q %w", s, err)
		}
		return n, nil
	}
	if s != "" && strings.Trim(s, ".0123456789") == "" {
		return 0, fmt.Errorf("%q has no unit: write a size such as \"30GB\", \"512MiB\" or \"100kB\"", s)
	}
	return 0, fmt.Errorf("%q %w", s, errNoSize)
}

// wholeProduct multiplies a decimal by a unit, exactly. Its error messages continue a message that begins with the
// text.
func wholeProduct(decimal string, unit int64) (int64, error) {
	digits := strings.TrimLeft(decimal, "+-")
	if strings.Trim(digits, ".0123456789") != "" || len(digits)+1 < len(decimal) {
		return 0, errNoSize
	}
	n, ok := new(big.Rat).SetString(decimal)
	if !ok {
		return 0, errNoSize
	}
	n.Mul(n, new(big.Rat).SetInt64(unit))
	if decimal[0] == '-' || !n.IsInt() || !n.Num().IsInt64() {
		return 0, errNoWholeSize
	}
	return n.Num().Int64(), nil
}

var (
	errNoSize      = errors.New("is not a size: want a number and a unit, such as \"30GB\" or \"512MiB\"")
	errNoWholeSize = errors.New("is not a whole number of bytes from 0 to 2^63-1")
)

// ParseDuration parses a duration with its unit, such as "20m", "1h30m" or "1.5s". It rejects a bare number and a
// negative duration.
func ParseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || s == "0" {
		return 0, fmt.Errorf("%q is not a duration: want a number and a unit, such as \"20m\", \"1h30m\" or "+
			"\"1.5s\"", s)
	}
	if d < 0 {
		return 0, fmt.Errorf("duration is %q; it must be at least 0", s)
	}
	return d, nil
}

// FormatSize formats a size for display, with three digits and an SI unit, such as "1.24 GB".
func FormatSize(bytes int64) string {
	const units = "kMGTPE"
	if bytes < 1000 {
		return fmt.Sprintf("%d B", bytes)
	}
	v, i := float64(bytes)/1000, 0
	for v >= 999.5 && i < len(units)-1 {
		v /= 1000
		i++
	}
	switch {
	case v < 9.995:
		return fmt.Sprintf("%.2f %cB", v, units[i])
	case v < 99.95:
		return fmt.Sprintf("%.1f %cB", v, units[i])
	}
	return fmt.Sprintf("%.0f %cB", v, units[i])
}
