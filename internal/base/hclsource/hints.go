package hclsource

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// hints lists the corrections to suggest, by the unexpected text at an error's position.
var hints = []struct{ at, hint string }{
	{"==", ""},
	{"=", " Values are compared with ==; a single = gives an attribute its value."},
	{"and", " Both conditions: write a && b."},
	{"or", " One of the conditions: write a || b."},
	{"not", " To negate, write !a."},
	{"in", " Write contains(LIST, VALUE)."},
	{"is", " Values are compared with ==."},
	{"&", " Both conditions: write a && b."},
	{"|", " One of the conditions: write a || b."},
	{"then", " Write CONDITION ? VALUE : OTHER."},
	{";", " Each attribute has a line of its own, without a semicolon."},
}

// addHints adds suggestions to syntax errors. If a quote is missing, it drops all later errors, which only follow from
// it.
func addHints(diags hcl.Diagnostics, src []byte) hcl.Diagnostics {
	const openString = "Invalid multi-line string"
	if i := slices.IndexFunc(diags, func(d *hcl.Diagnostic) bool { return d.Summary == openString }); i >= 0 {
		diags = diags[:i+1]
		diags[i].Summary, diags[i].Detail = "Quote missing", `The text has no closing " on its line. A text of several `+
			`lines is written with \n, or between <<EOT and EOT.`
	}
	for _, d := range diags {
		if d.Subject == nil || d.Subject.Start.Byte > len(src) {
			continue
		}
		rest := string(src[d.Subject.Start.Byte:])
		switch {
		case d.Summary == "Invalid block definition" && strings.Contains(d.Detail, "delimited by"):
			d.Detail += " Write { at the end of the line of the header, and } after the block."
		case d.Summary == "Argument or block definition required" && strings.HasPrefix(rest, "{"):
			d.Detail += " A block has a single { after its name and labels; take this one out, or write a name before it."
		default:
			d.Detail += hintAt(rest)
		}
	}
	return diags
}

func hintAt(rest string) string {
	for _, h := range hints {
		after, found := strings.CutPrefix(rest, h.at)
		word := h.at[0] >= 'a' && h.at[0] <= 'z'
		if found && (!word || strings.HasPrefix(after, " ") || strings.HasPrefix(after, "(")) {
			return h.hint
		}
	}
	return ""
}
