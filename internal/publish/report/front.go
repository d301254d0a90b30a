package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/words"
)

// front returns what a reader must know before the figures: facts about a track, or about the whole competition if t is
// nil.
func (s *site) front(t *track) []factLine {
	c, p := &s.m.in.Competition, &s.m.in.Provenance
	var facts []factLine
	add := func(name, text, href string) {
		if text != "" {
			facts = append(facts, factLine{Name: clean(name), Text: clean(text), Href: href})
		}
	}
	if t == nil {
		add("Edition", c.Edition, "")
		add("Organisers", strings.Join(c.Organisers, ", "), "")
		for _, r := range p.Registered {
			add(r.Name, r.Value, "")
		}
	}
	add("Rules", first(p.Rules, p.RulesURL), webAddress(p.RulesURL))
	for _, f := range p.Machine {
		add(f.Name, f.Value, "")
	}
	switch {
	case t != nil:
		add("Limits of a run", t.limitsText(), "")
	case len(s.m.tracks) == 1:
		add("Limits of a run", s.m.tracks[0].limitsText(), "")
	default:
		for _, t := range s.m.tracks {
			add("Limits of a run, "+t.title, t.limitsText(), "")
		}
	}
	return facts
}

// notes returns the organisers' messages, and the entrants that could not take part.
func (s *site) notes() (facts []factLine) {
	for _, n := range s.m.in.Competition.Notes {
		facts = append(facts, factLine{Name: "Note of " + clean(n.Name), Text: clean(n.Value)})
	}
	for _, a := range s.m.in.Provenance.Absent {
		facts = append(facts, factLine{Name: "Could not take part", Text: clean(a.Name + ": " + a.Value)})
	}
	return facts
}

// limitsText returns the track's run limits.
func (t *track) limitsText() string {
	text := t.limits.String()
	if slices.ContainsFunc(t.divisions, func(d *division) bool { return d.runs != nil && d.limits != t.limits }) {
		text = "at most " + text + "; divisions have limits of their own"
	}
	return text
}

// String formats the limits for display.
func (l limits) String() string {
	var all []string
	if l.wall > 0 {
		all = append(all, number(l.wall)+" s of wall time")
	}
	if l.memory > 0 {
		all = append(all, words.Bytes(l.memory)+" of memory")
	}
	switch {
	case l.cores == 1:
		all = append(all, "1 core")
	case l.cores > 1:
		all = append(all, fmt.Sprintf("%d cores", l.cores))
	}
	return strings.Join(all, ", ")
}

// wording contains the words for first places: while the competition is running, nobody has won yet.
type wording struct {
	Winners, Winner, Nobody, Medals, Recognised string
	tip                                         string
}

func (m *model) wording() wording {
	if m.in.Progress != nil {
		return wording{"First so far", "first so far", "nobody so far", "Places so far", "first so far",
			"first by the runs that are done"}
	}
	return wording{"Winners", "winner", "no winner", "Medals", "recognised", "wins this ranking"}
}

// winnerBadge marks a ranking's winner or current leader.
func (m *model) winnerBadge() badge {
	w := m.wording()
	return badge{w.Winner, "good", w.tip}
}
