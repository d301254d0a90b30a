package config

import (
	"fmt"
	"strings"
)

// oneOf lists names in words: "a", "b" or "c". It truncates a long list.
func oneOf(names []string) string {
	const most = 12
	rest := ""
	if len(names) > most {
		rest = fmt.Sprintf(" and %d more", len(names)-most)
		names = names[:most]
	}
	var w strings.Builder
	for i, n := range names {
		switch {
		case i == 0:
		case i == len(names)-1 && rest == "":
			w.WriteString(" or ")
		default:
			w.WriteString(", ")
		}
		fmt.Fprintf(&w, "%q", n)
	}
	return w.String() + rest
}
