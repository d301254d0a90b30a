package submission

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// Late returns why a submission that was received at a date, such as 2026-06-01, is too late (problem), or a note if it
// is not. Source: the rules of every year, §4 "Deadlines"; 2008, §2.
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

// CheckDates returns an error for a deadline that is not a date, or deadlines in the wrong order.
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

// Dates holds the dates on which a submission file was received, such as 2026-05-27.
type Dates struct {
	Entered string // first
	Updated string // last; it is never before Entered
}

// datesHeader is the first line of a list of dates.
var datesHeader = []string{"file", "entered", "updated"}

// ReadDates reads the list of dates on which submission files were received, CSV with the header file,entered,updated.
// Without a date in the last column there was no update. It returns the dates by name of the file; all errors are
// reported at once.
func ReadDates(r io.Reader) (map[string]Dates, error) {
	in := csv.NewReader(r)
	head, err := in.Read()
	if err != nil && err != io.EOF {
		return nil, err
	}
	if !slices.Equal(head, datesHeader) {
		return nil, fmt.Errorf("the first line must be %s", strings.Join(datesHeader, ","))
	}
	dates := map[string]Dates{}
	var errs []error
	for {
		record, err := in.Read()
		if err == io.EOF {
			return dates, errors.Join(errs...)
		}
		if err != nil {
			return nil, errors.Join(append(errs, err)...)
		}
		line, _ := in.FieldPos(0)
		file, d := record[0], Dates{Entered: record[1], Updated: cmp.Or(record[2], record[1])}
		_, twice := dates[file]
		switch {
		case twice:
			errs = append(errs, fmt.Errorf("line %d: %s is in an earlier line already", line, file))
		case !IsDate(d.Entered) || !IsDate(d.Updated):
			errs = append(errs, fmt.Errorf("line %d: dates are written as 2026-05-27", line))
		case d.Updated < d.Entered:
			errs = append(errs, fmt.Errorf("line %d: %s was updated on %s, before it was entered on %s", line, file,
				d.Updated, d.Entered))
		}
		dates[file] = d
	}
}

// Refused returns why the deadlines keep a submission out, or nothing if they do not.
func (r Rules) Refused(d Dates) string {
	switch {
	case r.First != "" && d.Entered > r.First:
		return fmt.Sprintf("entered on %s; new entrants were due on %s", d.Entered, r.First)
	case r.Final != "" && d.Updated > r.Final:
		return fmt.Sprintf("updated on %s; the last versions were due on %s", d.Updated, r.Final)
	}
	return ""
}

// Deadlines describes the deadlines, or returns nothing if the rules have none.
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
