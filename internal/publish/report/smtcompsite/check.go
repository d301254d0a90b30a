package smtcompsite

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/data/comp/divisions"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// check returns the errors that prevent the site from being written.
func (b *builder) check() []error {
	s := b.site
	var errs []error
	if s.ResultDate == "" {
		errs = append(errs, errors.New("the date of the results is missing; every page has it"))
	}
	if len(s.Scores) == 0 {
		errs = append(errs, errors.New("there are no scores to make pages of"))
	}
	if s.Charts && s.Runs == nil {
		errs = append(errs, errors.New("the charts need the runs: give the report the attribute verdicts"))
	}
	seen := map[string]bool{}
	once := func(err error) {
		if err != nil && !seen[err.Error()] {
			seen[err.Error()] = true
			errs = append(errs, err)
		}
	}
	for i := range s.Scores {
		r := &s.Scores[i]
		once(checkName("division", r.Division))
		if r.Logic != "" {
			once(checkName("logic", r.Logic))
		}
		once(b.checkPlace(r))
		once(checkText("solver", r.Solver))
		once(checkFinite(r.Solver, r.Correct, r.CPUS, r.WallS))
	}
	for i := range s.Recognitions {
		r := &s.Recognitions[i]
		once(checkFinite(r.Kind, r.Score, r.Time))
	}
	for _, p := range s.Participants {
		for _, text := range append([]string{p.Name, p.Website, p.ArchiveURL, p.Description}, p.Authors...) {
			once(checkText("participant", text))
		}
	}
	return errs
}

// checkPlace rejects tracks without pages, and divisions that the site's overview would not link to.
func (b *builder) checkPlace(r *results.ScoreRow) error {
	t, ok := trackNamed(r.Track)
	if !ok {
		return fmt.Errorf("the site has no pages for track %s", r.Track)
	}
	l := b.site.limits(r.Track, cmp.Or(r.Logic, r.Division))
	if wall := float64(l.WallLimitS); wall <= 0 || wall != math.Trunc(wall) || l.MemoryLimit <= 0 {
		return fmt.Errorf("the limits of track %s are not known: a page needs the wall time in whole seconds and the "+
			"memory; got %v s and %d bytes", r.Track, l.WallLimitS, l.MemoryLimit)
	}
	if !slices.ContainsFunc(b.site.Divisions.Divisions(t.name), func(x divisions.Division) bool {
		return identifier(string(x.Name)) == identifier(r.Division)
	}) {
		return fmt.Errorf("track %s has no division %s in %d", r.Track, r.Division, b.site.Year)
	}
	return nil
}

func checkName(what, name string) error {
	if !pageName().MatchString(name) {
		return fmt.Errorf("the %s %q cannot be the name of a page: only letters a to z, digits and _ + - . are allowed",
			what, name)
	}
	return nil
}

func checkText(what, text string) error {
	if !utf8.ValidString(text) {
		return fmt.Errorf("%s %q has bytes that are not UTF-8", what, text)
	}
	return nil
}

func checkFinite(of string, values ...float64) error {
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("a figure of %s is %v; it must be finite", of, v)
		}
	}
	return nil
}
