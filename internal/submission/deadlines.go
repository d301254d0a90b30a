package submission

import (
	"fmt"
	"time"
)

// Late says why a submission that was received at a date, as 2026-06-01, comes too late (problem), or what is to be
// known of it if it does not (note). Source: the rules of every year, §4 "Deadlines"; 2008, §2.
func (r Rules) Late(received string) (problem, note string) {
	switch {
	case r.Final != "" && received > r.Final:
		return fmt.Sprintf("received on %s; the last versions were due on %s", received, r.Final), ""
	case r.First != "" && received > r.First:
		return "", fmt.Sprintf("received on %s: it can update a solver that was entered by %s, but not enter a new one",
			received, r.First)
	}
	return "", ""
}

// CheckDates returns an error for a deadline that is no date, or deadlines in the wrong order.
func (r Rules) CheckDates() error {
	for _, d := range []struct{ name, date string }{{"first", r.First}, {"final", r.Final}} {
		if d.date != "" && !IsDate(d.date) {
			return fmt.Errorf("%s is a date as \"2026-05-27\", not %q", d.name, d.date)
		}
	}
	if r.Final != "" && r.First > r.Final {
		return fmt.Errorf("the first deadline, %s, is after the final one, %s", r.First, r.Final)
	}
	return nil
}

// IsDate reports whether a text is a date as 2026-05-27.
func IsDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}
