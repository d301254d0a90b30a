package submission

import (
	"fmt"
	"strings"
	"time"
)

// Late returns the reason (problem) if a submission received on the given date, such as 2026-06-01, is too late, or a
// note otherwise. Source: the rules of every year, §4 "Deadlines"; 2008, §2.
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

// CheckDates returns an error if a deadline is not a date or the deadlines are in the wrong order.
func (r Rules) CheckDates() error {
	for _, d := range []struct{ name, date string }{{"first", r.First}, {"final", r.Final}} {
		if d.date != "" && !IsDate(d.date) {
			return fmt.Errorf("%s is a date such as \"2026-05-27\", not %q", d.name, d.date)
		}
	}
	if r.Final != "" && r.First > r.Final {
		return fmt.Errorf("the first deadline, %s, is after the final one, %s", r.First, r.Final)
	}
	return nil
}

// IsDate reports whether a text is a date such as 2026-05-27.
func IsDate(text string) bool {
	_, err := time.Parse(time.DateOnly, text)
	return err == nil
}

// Dates holds the dates, such as 2026-05-27, on which a submission's files were received.
type Dates struct {
	Entered string // date of the first file
	Updated string // date of the latest file; never before Entered
}

// Refused returns the reason why the deadlines exclude a submission, or "" if they do not.
func (r Rules) Refused(d Dates) string {
	switch {
	case r.First != "" && d.Entered > r.First:
		return fmt.Sprintf("entered on %s; new entrants were due on %s", d.Entered, r.First)
	case r.Final != "" && d.Updated > r.Final:
		return fmt.Sprintf("updated on %s; the last versions were due on %s", d.Updated, r.Final)
	}
	return ""
}

// Deadlines describes the deadlines. It returns "" if the rules set none.
func (r Rules) Deadlines() string {
	var parts []string
	if r.First != "" {
		parts = append(parts, "new entrants until "+r.First)
	}
	if r.Final != "" {
		parts = append(parts, "last versions until "+r.Final)
	}
	return strings.Join(parts, ", ")
}
