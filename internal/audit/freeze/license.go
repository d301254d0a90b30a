package freeze

import (
	"fmt"
	"strings"

	"github.com/github/go-spdx/v2/spdxexp"
)

// License is an SPDX expression, such as "CC-BY-4.0 OR MIT". The zero License means no licence.
type License struct {
	Expression string
	// AnyOf lists alternative licences from the SPDX list. It is empty for more complex expressions.
	AnyOf []string
}

// maxLicense is the maximum length of an expression, in bytes.
const maxLicense = 200

// ParseLicense parses an SPDX expression and spells its identifiers as in the SPDX list.
func ParseLicense(text string) (License, error) {
	if text == "" {
		return License{}, nil
	}
	var valid []string
	if len(text) <= maxLicense {
		valid, _ = spdxexp.ValidateAndNormalizeLicensesWithOptions([]string{text}, spdxexp.ValidateLicensesOptions{})
	}
	if len(valid) != 1 {
		return License{}, fmt.Errorf("%q is not an SPDX expression such as CC-BY-4.0 or \"CC-BY-4.0 OR MIT\"; "+
			"https://spdx.org/licenses lists the identifiers", text)
	}
	l := License{Expression: valid[0]}
	for _, id := range strings.Split(l.Expression, " OR ") {
		known, _ := spdxexp.ActiveLicense(id)
		if !known {
			l.AnyOf = nil
			break
		}
		l.AnyOf = append(l.AnyOf, id)
	}
	return l, nil
}
