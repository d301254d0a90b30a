// Package words formats counts, sizes and times for people.
package words

import (
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Count returns a count with its noun, such as "1 problem" or "2 problems".
func Count(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// Many returns a count with its noun and thousands separators, such as "658,873 runs".
func Many(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return Thousands(n) + " " + word + "s"
}

// Are returns a count with its noun and verb, such as "1 stage is" or "2 stages are".
func Are(n int, word string) string {
	if n == 1 {
		return Count(n, word) + " is"
	}
	return Count(n, word) + " are"
}

// Some joins the first names, up to most, and appends the number of the rest, such as "a, b and 3 more".
func Some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// OneOf quotes names and joins them with commas and "or". It truncates a long list.
func OneOf(names []string) string {
	const most = 12
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	last := len(quoted) - 1
	if last < 1 || last >= most {
		return Some(quoted, most)
	}
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

// Hours formats a time in the largest suitable unit: seconds, hours, or years.
func Hours(s float64) string {
	const hour, year = 3600.0, 365.25 * 24 * 3600
	switch {
	case s < 120:
		return fmt.Sprintf("%.3g s", s)
	case s < 2*hour:
		return fmt.Sprintf("%.3g min", s/60)
	case s < 100*hour:
		return fmt.Sprintf("%.3g h", s/hour)
	case s < year:
		return Thousands(int64(s/hour+0.5)) + " h"
	}
	return fmt.Sprintf("%s h (%.3g years)", Thousands(int64(s/hour+0.5)), s/year)
}

// Bytes formats a size in SI units.
func Bytes(n int64) string {
	x, unit := float64(n), 0
	units := []string{"B", "kB", "MB", "GB", "TB", "PB"}
	for math.Abs(x) >= 999.5 && unit < len(units)-1 {
		x /= 1000
		unit++
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.3g %s", x, units[unit])
}

// Thousands formats a count with commas.
func Thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// ShellLine quotes a command for a shell.
func ShellLine(words []string) string {
	var quoted []string
	for _, w := range words {
		quoted = append(quoted, Shell(w))
	}
	return strings.Join(quoted, " ")
}

// Shell quotes a word for a shell.
func Shell(w string) string {
	if w == "" || strings.ContainsAny(w, " '\"$&;()*?[]{}#~!<>|\\`\t\n") {
		return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return w
}

// OneLine formats a value without line breaks.
func OneLine(s string) string {
	return strings.NewReplacer("\r\n", `\n`, "\n", `\n`, "\r", `\n`).Replace(s)
}

// Inert replaces the control characters in a text, other than tabs and line breaks. Solvers and strangers' files choose
// such texts, which could command the terminal.
func Inert(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\t' && r != '\n' {
			return utf8.RuneError
		}
		return r
	}, s)
}
