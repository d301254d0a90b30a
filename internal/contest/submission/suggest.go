package submission

import (
	"fmt"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/nearest"
)

// suggest returns "; did you mean X?" with the known name that was probably meant, or "".
func suggest[T ~string](wrong string, known []T) string {
	if best := nearest.Name(wrong, known); best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return ""
}

// unknown returns the error for an unknown name. known lists the existing names, which follow the suggestion.
func unknown(what, name string, names []string, known string) string {
	if similar := suggest(name, names); similar != "" {
		return fmt.Sprintf("unknown %s %q%s %s", what, name, similar, strings.ToUpper(known[:1])+known[1:])
	}
	return fmt.Sprintf("unknown %s %q; %s", what, name, known)
}
