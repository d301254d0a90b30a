// Package pattern compiles regular expressions on first use, so that no command waits for those of all others.
package pattern

import (
	"regexp"
	"sync"
)

// Lazy returns a function for a regular expression, which panics if the text is not one.
func Lazy(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
