package submission

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/contest/admission"
)

// Register holds the events of submissions, by file name.
type Register map[string]*Entered

// Entered is a submission's history.
type Entered struct {
	Dates
	Events []Event // events in order, without entered and updated
}

// Event is an event in a submission's history, such as its withdrawal.
type Event struct {
	Kind   string // one of the kinds below
	Date   string
	Reason string
	By     string // person who decided it
}

// The kinds of events. Events that are reasons against an entrant use the kinds defined in package admission.
const (
	enteredEvent = "entered"
	updatedEvent = "updated"
	teamEvent    = "team" // the reason column contains the team's name
)

// reasonEvents returns the events that are reasons against an entrant: those shared by all years, and the kinds that
// the rules add. Reasons that the rules detect themselves are not events.
func (r Rules) reasonEvents() []string {
	kinds := []admission.Kind{admission.Withdrawn, admission.Disqualified, admission.Late, admission.Comparison}
	found := append([]admission.Kind{admission.Portfolio, admission.NoBase, admission.Barred}, kinds...)
	var events []string
	for _, k := range kinds {
		events = append(events, string(k))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Reasons)) {
		if !slices.Contains(found, admission.Kind(name)) {
			events = append(events, name)
		}
	}
	return events
}

// The headers of the two register formats: one line per event, or one line per file with only the dates.
var (
	eventsHeader = []string{"file", "date", "event", "reason", "by"}
	datesHeader  = []string{"file", "entered", "updated"}
)

// ReadRegister reads the register of submissions: CSV with the header file,date,event,reason,by. The older format with
// the header file,entered,updated contains only dates; an empty last column means no update. All errors are reported
// together.
func (r Rules) ReadRegister(text io.Reader) (Register, error) {
	in := csv.NewReader(limits.Document.Reader(text))
	head, err := in.Read()
	if err != nil && err != io.EOF {
		return nil, err
	}
	reg := Register{}
	events := r.reasonEvents()
	add := func(record []string) error { return reg.addEvent(record, events) }
	if slices.Equal(head, datesHeader) {
		add = reg.addDates
	} else if !slices.Equal(head, eventsHeader) {
		return nil, fmt.Errorf("the first line must be %s, or %s", strings.Join(eventsHeader, ","),
			strings.Join(datesHeader, ","))
	}
	var errs []error
	for {
		record, err := in.Read()
		if err == io.EOF {
			return reg, errors.Join(append(errs, reg.complete()...)...)
		}
		if err != nil {
			return nil, errors.Join(append(errs, err)...)
		}
		if err := add(record); err != nil {
			line, _ := in.FieldPos(0)
			errs = append(errs, fmt.Errorf("line %d: %w", line, err))
		}
	}
}

// addDates adds a line in the older format.
func (reg Register) addDates(record []string) error {
	file, d := record[0], Dates{Entered: record[1], Updated: cmp.Or(record[2], record[1])}
	twice := reg[file] != nil
	reg[file] = &Entered{Dates: d}
	switch {
	case twice:
		return fmt.Errorf("%s is in an earlier line already", file)
	case !IsDate(d.Entered) || !IsDate(d.Updated):
		return errors.New("dates are written as 2026-05-27")
	}
	return nil
}

// addEvent adds a line in the format with events. reasons lists the events that are reasons.
func (reg Register) addEvent(record, reasons []string) error {
	file, date, kind, reason, by := record[0], record[1], record[2], record[3], record[4]
	if !IsDate(date) {
		return errors.New("dates are written as 2026-05-27")
	}
	if reg[file] == nil {
		reg[file] = &Entered{}
	}
	e := reg[file]
	switch {
	case kind == enteredEvent && e.Entered != "":
		return fmt.Errorf("an earlier line already enters %s", file)
	case kind == enteredEvent:
		e.Entered = date
	case kind == updatedEvent:
		e.Updated = max(e.Updated, date)
	case kind != teamEvent && !slices.Contains(reasons, kind):
		return fmt.Errorf("%q is not an event; there are %s, %s, %s, %s", kind, enteredEvent, updatedEvent,
			strings.Join(reasons, ", "), teamEvent)
	case reason == "" || by == "":
		return fmt.Errorf("%s: event %s needs reason and by (who decided)", file, kind)
	default:
		e.Events = append(e.Events, Event{kind, date, reason, by})
	}
	return nil
}

// complete checks each file's dates and fills in missing ones.
func (reg Register) complete() (errs []error) {
	for _, file := range slices.Sorted(maps.Keys(reg)) {
		e := reg[file]
		switch {
		case e.Entered == "":
			errs = append(errs, fmt.Errorf("no line records when %s was entered", file))
		case e.Updated != "" && e.Updated < e.Entered:
			errs = append(errs, fmt.Errorf("%s was updated on %s, before it was entered on %s", file, e.Updated,
				e.Entered))
		default:
			for _, ev := range e.Events {
				if ev.Kind == string(admission.Withdrawn) && ev.Date < e.Entered {
					errs = append(errs, fmt.Errorf("%s was withdrawn on %s, before it was entered on %s", file, ev.Date,
						e.Entered))
				}
			}
		}
		e.Updated = cmp.Or(e.Updated, e.Entered)
	}
	return errs
}

// Withdrawn reports whether a submission was withdrawn by the final deadline and so counts as never entered.
func (r Rules) Withdrawn(e *Entered) bool {
	return e != nil && slices.ContainsFunc(e.Events, func(ev Event) bool {
		return ev.Kind == string(admission.Withdrawn) && r.Final != "" && ev.Date <= r.Final
	})
}

// Reasons returns the register's reasons against an entrant.
func (e *Entered) Reasons() []admission.Reason {
	var all []admission.Reason
	for _, ev := range e.Events {
		if ev.Kind != teamEvent {
			all = append(all, admission.Reason{Kind: admission.Kind(ev.Kind),
				Text: fmt.Sprintf("%s on %s by %s: %s", ev.verb(), ev.Date, ev.By, ev.Reason)})
		}
	}
	return all
}

// verb describes an event in words, for use before its date.
func (ev *Event) verb() string {
	if ev.Kind == string(admission.Comparison) {
		return "added for comparison"
	}
	return ev.Kind
}

// Team returns the team that the register names, or "".
func (e *Entered) Team() string {
	for _, ev := range slices.Backward(e.Events) {
		if ev.Kind == teamEvent {
			return ev.Reason
		}
	}
	return ""
}

// Missing returns an error for each missing file that the register names, unless its withdrawal makes it count as never
// entered. The error states the line to write.
func (r Rules) Missing(reg Register, there map[string]bool) error {
	var errs []error
	for _, file := range slices.Sorted(maps.Keys(reg)) {
		if e := reg[file]; !there[file] && !r.Withdrawn(e) {
			errs = append(errs, fmt.Errorf("%s was entered on %s, and there is no such file. Put the file back, and write "+
				"what happened into the register, such as %s,DATE,withdrawn,REASON,WHO", file, e.Entered, file))
		}
	}
	return errors.Join(errs...)
}
