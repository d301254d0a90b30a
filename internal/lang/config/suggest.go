package config

import (
	"fmt"
	"strings"
)

// oneOf lists names for people: "a", "b" or "c". A long list is truncated.
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
