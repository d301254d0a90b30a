package submission

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/dlclark/regexp2"
)

// Pattern is a regular expression for logic names, in Python's syntax. It must match the full name.
type Pattern struct {
	text    string
	simple  *regexp.Regexp  // nil if the expression needs a feature that Go's regexp lacks, such as look-ahead
	general *regexp2.Regexp // used if simple is nil
}

// matchLimit stops an expression that backtracks forever; matching a logic's name takes microseconds.
const matchLimit = 2 * time.Second

// NewPattern compiles a pattern.
func NewPattern(text string) (*Pattern, error) {
	whole := `\A(?:` + text + `)\z`
	if simple, err := regexp.Compile(whole); err == nil {
		return &Pattern{text: text, simple: simple}, nil
	}
	if _, err := regexp2.Compile(text, regexp2.None); err != nil {
		return nil, fmt.Errorf("%q is not a regular expression: %s", text, strings.TrimPrefix(err.Error(),
			"error parsing regexp: "))
	}
	general, err := regexp2.Compile(whole, regexp2.None)
	if err != nil {
		return nil, fmt.Errorf("%q is not a regular expression: %w", text, err)
	}
	general.MatchTimeout = matchLimit
	return &Pattern{text: text, general: general}, nil
}

// Match reports whether the pattern matches the full name. It returns an error only if matching takes too long.
func (p *Pattern) Match(name string) (bool, error) {
	if p.simple != nil {
		return p.simple.MatchString(name), nil
	}
	ok, err := p.general.MatchString(name)
	if err != nil {
		return false, fmt.Errorf("pattern %q on %s: %w", p.text, name, err)
	}
	return ok, nil
}

// String returns the pattern as written in the file.
func (p *Pattern) String() string { return p.text }
