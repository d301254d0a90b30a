package functions

import (
	"path"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
)

// Natives returns faster implementations of functions for row expressions. They must agree with the functions for every
// string.
func Natives() []rowexpr.Native {
	prefix := func(with []string) func(string) (bool, bool) {
		return func(s string) (bool, bool) { return strings.HasPrefix(s, with[0]), true }
	}
	suffix := func(with []string) func(string) (bool, bool) {
		return func(s string) (bool, bool) { return strings.HasSuffix(s, with[0]), true }
	}
	return []rowexpr.Native{
		{Func: startsWithFunc, StringBool: prefix},
		{Func: endsWithFunc, StringBool: suffix},
		{Func: globMatchFunc, StringBool: globTest, ConstFirst: true},
	}
}

// globTest prepares patterns that are the same for all rows.
func globTest(patterns []string) func(string) (bool, bool) {
	parts := strings.Split(patterns[0], "/")
	if checkGlob(patterns[0]) != nil {
		return nil // the function itself reports the error
	}
	fixed := make([]bool, len(parts)) // parts without wildcards
	deep := false
	for i, p := range parts {
		fixed[i] = !strings.ContainsAny(p, `*?[\`)
		deep = deep || p == "**"
	}
	if deep {
		return func(s string) (bool, bool) { return matchParts(parts, strings.Split(s, "/")), true }
	}
	return func(s string) (bool, bool) {
		for i, p := range parts {
			part, rest, more := strings.Cut(s, "/")
			if more != (i < len(parts)-1) {
				return false, true
			}
			if fixed[i] {
				if part != p {
					return false, true
				}
			} else if ok, err := path.Match(p, part); err != nil || !ok {
				return false, true
			}
			s = rest
		}
		return true, true
	}
}
