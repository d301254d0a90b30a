package runner

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// ParseTime parses "90", "1.5s", "250ms", "20min" or "1h". A bare number is in seconds, as in runexec.
func ParseTime(s string) (time.Duration, error) {
	number, unit := SplitUnit(s)
	factor, ok := map[string]float64{"": 1, "ms": 1e-3, "s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400}[unit]
	v, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || v < 0 || v*factor > 1e9 {
		return 0, fmt.Errorf("%q is not a time; write for example 90, 1.5s, 250ms, 20min or 1h", s)
	}
	return time.Duration(v * factor * 1e9), nil
}

// ParseBytes parses "1000", "100MB" or "1.5GiB". A bare number is in bytes. Units are decimal unless they contain an i.
func ParseBytes(s string) (int64, error) {
	number, unit := SplitUnit(s)
	if unit == "" {
		unit = "B"
	}
	v, err := comp.ParseSize(number + unit)
	if err != nil {
		return 0, fmt.Errorf("%q is not a size; write for example 1000, 100MB, 30GB or 2GiB", s)
	}
	return v, nil
}

// SplitUnit splits a number from its unit.
func SplitUnit(s string) (number, unit string) {
	i := strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && r != '.' })
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimSpace(s[i:])
}
