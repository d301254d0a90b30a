package submissions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/contest/admission"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// readRegister reads the register, which records what happened to the submissions.
func (act *action) readRegister(a *stages.Args) error {
	list, ok := a.File("received")
	if !ok {
		return nil
	}
	f, err := os.Open(list.Path)
	if err == nil {
		defer f.Close()
		act.register, err = act.rules.ReadRegister(f)
	}
	return invalidList(a, "received", "Invalid register", list, err)
}

// readDrawn reads the seed's record and compares it with the opening value.
func (act *action) readDrawn(a *stages.Args) error {
	if a.Has("opening") {
		n := a.Int("opening")
		act.opening = &n
	}
	record, ok := a.File("drawn")
	if !ok {
		return nil
	}
	f, err := os.Open(record.Path)
	if err == nil {
		defer f.Close()
		act.drawn, err = submission.ReadDrawn(f)
	}
	if err == nil && act.opening != nil && *act.opening != act.drawn.Opening {
		err = fmt.Errorf("the seed %d was drawn with the opening value %d, and it is %d now", act.drawn.Seed,
			act.drawn.Opening, *act.opening)
	}
	return invalidList(a, "drawn", "The seed is drawn already", record, err)
}

func invalidList(a *stages.Args, attr, summary string, list stages.File, err error) error {
	if err == nil {
		return nil
	}
	return a.Invalid(attr, summary, fmt.Sprintf("%s: %s.", list.Name, strings.ReplaceAll(err.Error(), "\n", "; ")))
}

// registered adds the register's entries to the submissions, and omits submissions that were withdrawn in time.
func (act *action) registered(all []*submission.Submission, entries []submission.Entry,
	invalid []unread) ([]*submission.Submission, []submission.Entry, error) {
	there := map[string]bool{}
	for _, u := range invalid {
		there[filepath.Base(u.file.Name)] = true
	}
	var kept []*submission.Submission
	for _, s := range all {
		file := filepath.Base(s.File)
		e := act.register[file]
		there[file] = true
		if act.rules.Withdrawn(e) {
			continue
		}
		kept = append(kept, s)
		if e == nil {
			continue
		}
		s.Against = append(s.Against, e.Reasons()...)
		if _, given := act.teams[s.Name]; !given && e.Team() != "" {
			act.teams[s.Name] = e.Team()
		}
	}
	entries = slices.DeleteFunc(entries, func(e submission.Entry) bool { return !slices.Contains(kept, e.Submission) })
	if err := act.rules.Missing(act.register, there); err != nil {
		return nil, nil, &stages.DataError{Attr: "received", Err: err}
	}
	return kept, entries, nil
}

// checkDeadlines rejects late competitive submissions unless the register says that they are late or for comparison. It
// warns about other late submissions and about submissions without dates.
func (act *action) checkDeadlines(env *stages.Env, all []*submission.Submission) error {
	deadlines := act.rules.Deadlines()
	if deadlines == "" {
		return nil
	}
	if act.register == nil {
		env.Log.Warn(fmt.Sprintf("the deadlines (%s) are not checked: the list received does not say when the files "+
			"came in", deadlines))
		return nil
	}
	var errs []error
	var unknown []string
	for _, s := range all {
		file := filepath.Base(s.File)
		e := act.register[file]
		if e == nil {
			unknown = append(unknown, file)
			continue
		}
		decided := slices.ContainsFunc(s.Against, func(r admission.Reason) bool {
			return r.Kind == admission.Late || r.Kind == admission.Comparison
		})
		switch late := act.rules.Refused(e.Dates); {
		case late == "":
		case s.Competitive && !decided:
			errs = append(errs, fmt.Errorf("%s: %s. Record in the register that it is late or takes part only for "+
				"comparison, such as %s,DATE,late,REASON,WHO", s.File, late, file))
		default:
			env.Log.Warn(fmt.Sprintf("%s: %s; it does not compete", s.File, late))
		}
	}
	if len(unknown) > 0 {
		env.Log.Warn(fmt.Sprintf("the deadlines (%s) are not checked for %s, because received has no dates "+
			"for it", deadlines,
			strings.Join(unknown, ", ")))
	}
	return errors.Join(errs...)
}

// numbers returns the numbers for the seed: the recorded ones, if the seed has been drawn and no number has changed. A
// file that is not a valid submission keeps its number.
func (act *action) numbers(all []*submission.Submission, entries []submission.Entry,
	invalid []unread) ([]submission.Number, error) {
	now, err := act.rules.Seeds(all, entries)
	if err != nil || act.drawn == nil {
		return now, err
	}
	for _, u := range invalid {
		for _, n := range act.drawn.Numbers {
			if n.File == filepath.Base(u.file.Name) {
				now = append(now, n)
			}
		}
	}
	if err := act.drawn.Changes(now); err != nil {
		return nil, &stages.DataError{Attr: "drawn", Err: err, Remedy: fmt.Sprintf("The seed %d is drawn. Undo the "+
			"change; the register (received) says what happened to an entrant. To draw another seed, remove the record.",
			act.drawn.Seed)}
	}
	return act.drawn.Numbers, nil
}

// Drawing is an action that knows the numbers for the competition's seed.
type Drawing interface {
	// Draw returns the numbers that would now enter the seed, the number added to them, and the source that the seed
	// was drawn from; nil if not given or not drawn. Every file must be a valid submission.
	Draw(ctx context.Context) (now []submission.Number, opening *int64, drawn *submission.Drawn, err error)
}

// Draw implements Drawing.
func (act *action) Draw(context.Context) ([]submission.Number, *int64, *submission.Drawn, error) {
	catalog, err := Catalog(act.table, act.kinds)
	if err != nil {
		return nil, nil, nil, err
	}
	all, entries, invalid := readFiles(act.files, catalog, act.parser(), func() {})
	var errs []error
	for _, u := range invalid {
		errs = append(errs, u.problem(act.attr))
	}
	all, entries, err = act.registered(all, entries, invalid)
	if err := errors.Join(append(errs, err)...); err != nil {
		return nil, nil, nil, err
	}
	now, err := act.rules.Seeds(all, entries)
	return now, act.opening, act.drawn, err
}
