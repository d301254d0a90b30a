package smtlib

import (
	"fmt"

	"github.com/smtpipe/smtpipe/internal/comp"
)

// place returns the place of a rule in §5.1: the heading of its paragraph, and before that its number where the rules
// number them.
func (c *checker) place(rule string) string {
	switch {
	case c.rules.year == 2019 && rule == ruleOption:
		rule = "set-option :print-success ..."
	case c.rules.year == 2015:
		if item := items2015(rule, c.track); item > 0 {
			return fmt.Sprintf(", %d. (%s)", item, rule)
		}
	}
	return " (" + rule + ")"
}

// items2015 returns the number of a rule in the list of 2015, or 0 for what stands before it.
func items2015(rule string, track comp.Track) int {
	switch rule {
	case ruleOption:
		return byTrack(track, 1, 2)
	case "set-logic ...":
		return 3
	case "set-info ...":
		return 4
	case "check-sat":
		return byTrack(track, 5, 6)
	case "exit":
		return 7
	case "assert ...":
		return 8
	case "declare-sort ...":
		return 9
	case "no other commands":
		return 11
	case ":named":
		return 12
	}
	return 0
}

// byTrack returns the number of a rule that there is once for the main track and once for the application track.
func byTrack(track comp.Track, main, application int) int {
	if track == comp.Incremental {
		return application
	}
	return main
}
