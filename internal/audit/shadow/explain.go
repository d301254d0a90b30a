package shadow

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/published"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/publish/report/smtcompsite"
)

// Progress receives the current step: step done of total steps.
type Progress func(what string, done, total int)

// trial is one way that the published figures may have been computed.
type trial struct {
	name, text string
	readings   score.Readings
	options    []string // page options that are toggled
	other      bool     // whether the other state of the inputs is used
}

// Other is another state of the submissions, such as that of another date, that may explain the published figures.
type Other struct {
	Name, Text string
	Year       func() (*published.Year, error) // returns the data including runs; called only if something differs
}

// kind returns the kind of cause that the trial represents.
func (t *trial) kind() string {
	if t.other {
		return ByInput
	}
	return ByPractice
}

// target is a result that can be recomputed with other readings and compared again.
type target struct {
	name    string
	parts   []*Part
	base    score.Readings
	rules   *score.RuleSet
	options bool // whether page options have an effect
	// compare computes the target and compares it, and sets the parts' numbers of compared figures.
	compare func(ctx context.Context, t *trial) ([]found, error)
	// entered reports whether a solver entered a division or logic; nil if unknown.
	entered func(entrant) bool
	other   *Other // nil if the inputs have only one state
}

// maxPairs is the maximum number of readings, among those that affect an open difference, to try in pairs. For large
// tracks, not all of these pairs are tried: only as many as compute maxFigures together, but at least minPairs.
const (
	maxPairs   = 8
	minPairs   = 4
	maxFigures = 200_000
)

// run compares the target and explains the differences: by facts known in the year's rules, by gaps in the inputs, and
// by each alternative reading and practice switch, alone and in pairs. A reading explains the differences that it
// resolves if it causes no new ones. A reading that cannot be computed explains nothing, and is mentioned if
// differences remain.
func (t *target) run(ctx context.Context, progress Progress) error {
	progress("comparing "+t.name, 0, 0)
	base, err := t.compare(ctx, &trial{readings: t.base})
	if err != nil {
		return err
	}
	s := search{target: t, known: places(base), progress: progress}
	s.open = s.settle(base)
	figures := map[*Part]int{} // numbers for the published figures: trials change Compared
	for _, p := range t.parts {
		figures[p] = p.Compared
	}
	if len(s.open) > 0 {
		if err := s.alone(ctx); err != nil {
			return err
		}
		total := 0
		for _, n := range figures {
			total += n
		}
		if err := s.together(ctx, max(minPairs, maxFigures/max(total, 1))); err != nil {
			return err
		}
	}
	for _, f := range s.open {
		if len(f.part.Open) == 0 {
			f.part.Hints = append(f.part.Hints, s.refused...)
		}
		f.part.Open = append(f.part.Open, f.Difference)
	}
	for p, n := range figures {
		p.Compared = n
	}
	return nil
}

// search searches for explanations of differences.
type search struct {
	*target
	known    map[place]string // computed values at all differences, whether explained or not
	open     []found
	touching []touch  // trials that change an open difference
	refused  []string // trials that cannot be computed, with reasons; also says if trials were omitted
	progress Progress
}

// touch is a trial with the open differences that it changes.
type touch struct {
	*trial
	moved map[place]bool
}

// common returns the number of open differences that both trials change.
func (s *search) common(a, b touch) (n int) {
	for _, f := range s.open {
		if at := (place{f.part, f.Place}); a.moved[at] && b.moved[at] {
			n++
		}
	}
	return n
}

// place is a location in a part.
type place struct {
	part *Part
	at   string
}

func places(list []found) map[place]string {
	out := map[place]string{}
	for _, f := range list {
		out[place{f.part, f.Place}] = f.Made
	}
	return out
}

// settle records the causes that need no search and returns the remaining differences.
func (s *search) settle(list []found) (open []found) {
	strangers := map[string]bool{} // solvers that did not enter although they are published
	for _, f := range list {
		if s.stranger(f) {
			strangers[f.entrant.solver] = true
		}
	}
	for _, f := range list {
		named := strings.Trim(f.Published, `"`) // name of the winner or of the second place
		if s.stranger(f) {
			named = f.entrant.solver
		}
		switch {
		case f.known != "":
			f.part.cause(ByYear, f.known, "", f.Difference)
		case f.missing:
			f.part.cause(ByInput, "not computed", "the files do not say what it would be computed from", f.Difference)
		case strangers[named]:
			f.part.cause(ByInput, "no entry of "+named, "it has neither a submission that enters this nor a "+
				"run", f.Difference)
		default:
			open = append(open, f)
		}
	}
	return open
}

// stranger reports whether a line belongs to a solver that did not enter according to the inputs.
func (s *search) stranger(f found) bool {
	return s.entered != nil && f.entrant.solver != "" && f.Made == text(nil) && !s.entered(f.entrant)
}

// trials returns a trial for each alternative value of a reading or switch, and for each page option.
func (t *target) trials() []*trial {
	var all []*trial
	if t.other != nil {
		all = append(all, &trial{name: t.other.Name, text: t.other.Text, readings: t.base, other: true})
	}
	for _, p := range t.rules.Practices {
		rd, word := copyOf(t.base), "on"
		if rd.Practice[p.ID] {
			word = "off"
		}
		rd.Practice[p.ID] = !rd.Practice[p.ID]
		all = append(all, &trial{name: strings.TrimSpace(p.Cite + " " + p.ID + "=" + word), text: p.Doc, readings: rd})
	}
	for _, r := range t.rules.Readings {
		now, given := t.base.Values[r.Name]
		for i, v := range r.Values {
			if v == now || !given && i == 0 {
				continue
			}
			rd := copyOf(t.base)
			rd.Values[r.Name] = v
			name := strings.TrimSpace(r.Cite + " " + r.Name + "=" + v)
			all = append(all, &trial{name: name, text: r.Doc, readings: rd})
		}
	}
	if t.options {
		for _, name := range smtcompsite.OptionNames() {
			all = append(all, &trial{name: "option " + name + " of the pages turned", readings: t.base,
				options: []string{name}})
		}
	}
	return all
}

func copyOf(rd score.Readings) score.Readings {
	out := score.Readings{Values: map[string]string{}, Practice: map[string]bool{}}
	maps.Copy(out.Values, rd.Values)
	maps.Copy(out.Practice, rd.Practice)
	return out
}

// try repeats the comparison under a trial. gone tells which open differences the trial resolves; moved, which ones
// change; and broken, how many new differences it causes. A trial that cannot be computed resolves none. An error means
// that the command has ended.
func (s *search) try(ctx context.Context, t *trial) (gone []bool, moved map[place]bool, broken int, err error) {
	gone, moved = make([]bool, len(s.open)), map[place]bool{}
	list, err := s.compare(ctx, t)
	if err != nil {
		why, _, _ := strings.Cut(err.Error(), "\n")
		s.refused = append(s.refused, t.name+" could not be tried: "+why)
		return gone, moved, 0, ctx.Err()
	}
	now := places(list)
	for i, f := range s.open {
		made, differs := now[place{f.part, f.Place}]
		gone[i] = !differs
		if made != f.Made {
			moved[place{f.part, f.Place}] = true
		}
	}
	for at := range now {
		if _, before := s.known[at]; !before {
			broken++
		}
	}
	return gone, moved, broken, nil
}

// alone tries each reading separately.
func (s *search) alone(ctx context.Context) error {
	trials := s.trials()
	by := make([][]*trial, len(s.open))
	for i, t := range trials {
		s.progress("explaining the differences of "+s.name, i, len(trials))
		gone, moved, broken, err := s.try(ctx, t)
		if err != nil {
			return err
		}
		s.note(t, gone, broken, by)
		if len(moved) > 0 && len(t.options) == 0 && len(s.touching) < maxPairs {
			s.touching = append(s.touching, touch{t, moved})
		}
	}
	s.explain(by)
	if len(s.open) == 0 {
		return nil
	}
	t := &trial{name: "the literal rules", text: "every practice switch is off, and every reading is the first",
		readings: copyOf(score.Readings{})}
	by = make([][]*trial, len(s.open))
	gone, _, broken, err := s.try(ctx, t)
	if err != nil {
		return err
	}
	s.note(t, gone, broken, by)
	s.explain(by)
	return nil
}

// together tries pairs of readings for differences that no single reading explains. most limits the number of pairs.
// The pairs in which both readings change the most differences come first.
func (s *search) together(ctx context.Context, most int) error {
	var pairs [][2]touch
	for i, a := range s.touching {
		for _, b := range s.touching[i+1:] {
			if s.common(a, b) > 0 {
				pairs = append(pairs, [2]touch{a, b})
			}
		}
	}
	slices.SortStableFunc(pairs, func(x, y [2]touch) int {
		return s.common(y[0], y[1]) - s.common(x[0], x[1])
	})
	if len(pairs) > most {
		s.refused = append(s.refused, fmt.Sprintf("%d of %d pairs of readings were tried, since there are so many figures", most,
			len(pairs)))
		pairs = pairs[:most]
	}
	by := make([][]*trial, len(s.open))
	for i, p := range pairs {
		a, b := p[0], p[1]
		s.progress("explaining the differences of "+s.name+" together", i, len(pairs))
		t := &trial{name: a.name + " with " + b.name, text: strings.TrimSpace(a.text + " " + b.text),
			readings: both(s.base, a.readings, b.readings), other: a.other || b.other}
		gone, _, broken, err := s.try(ctx, t)
		if err != nil {
			return err
		}
		if broken == 0 { // pairs that cause new differences are no better than single readings
			s.note(t, gone, broken, by)
		}
	}
	s.explain(by)
	return nil
}

// both returns base with the changes made by both a and b.
func both(base, a, b score.Readings) score.Readings {
	out := copyOf(a)
	for name, v := range b.Values {
		if base.Values[name] != v {
			out.Values[name] = v
		}
	}
	for name, on := range b.Practice {
		if base.Practice[name] != on {
			out.Practice[name] = on
		}
	}
	return out
}

// note records which differences a trial explains, or a hint if it resolves some but causes new ones.
func (s *search) note(t *trial, gone []bool, broken int, by [][]*trial) {
	agree := map[*Part]int{}
	for i, f := range s.open {
		switch {
		case gone[i] && broken == 0:
			by[i] = append(by[i], t)
		case gone[i]:
			agree[f.part]++
		}
	}
	for _, p := range slices.SortedFunc(maps.Keys(agree), func(a, b *Part) int {
		return strings.Compare(a.Kind+a.Track, b.Kind+b.Track)
	}) {
		p.Hints = append(p.Hints, fmt.Sprintf("with %s, %d would agree, and %s of all parts would differ anew", t.name,
			agree[p], words.Count(broken, "figure")))
	}
}

// explain records the causes of the explained differences and leaves the other differences open. Several trials that
// each explain a difference form a single cause.
func (s *search) explain(by [][]*trial) {
	var open []found
	for i, f := range s.open {
		switch len(by[i]) {
		case 0:
			open = append(open, f)
		case 1:
			f.part.cause(by[i][0].kind(), by[i][0].name, by[i][0].text, f.Difference)
		default:
			var names []string
			for _, t := range by[i] {
				names = append(names, t.name)
			}
			f.part.cause(by[i][0].kind(), strings.Join(names, ", or "), "each of them alone", f.Difference)
		}
	}
	s.open = open
}
