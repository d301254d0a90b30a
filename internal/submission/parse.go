package submission

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/limits"
)

// Parse reads a submission file. file is its name for messages. Of a file with problems it returns a nil submission and
// the error is of type Problems with all of them. The names of tracks, divisions and logics, which are the year's, are
// checked by Expand.
func Parse(file string, data []byte) (*Submission, error) { return whole(parse(file, data, false)) }

// ParseEarlier is Parse that also accepts the files of 2024 and 2025: a participation may name a repository of a cloud
// image in place of archive and command, and a derived solver may have any name.
func ParseEarlier(file string, data []byte) (*Submission, error) {
	return whole(parse(file, data, true))
}

// Read is Parse that also returns the readable part of a file with problems, so that the rest can also be checked. It
// is nil if there is none, for example because the file is not JSON.
func Read(file string, data []byte) (*Submission, Problems) { return parse(file, data, false) }

func whole(s *Submission, problems Problems) (*Submission, error) {
	if len(problems) > 0 {
		return nil, problems
	}
	return s, nil
}

func parse(file string, data []byte, earlier bool) (*Submission, Problems) {
	d := &decoder{file: file, lines: linesOf(data), earlier: earlier, bad: map[string]bool{},
		places: map[string]Problem{}}
	var root *node
	err := limits.Submission.CheckJSON(data, file)
	if err == nil {
		root, err = parseTree(data)
	}
	if err != nil {
		offset := 0
		if s, ok := errors.AsType[*syntaxError](err); ok {
			offset = s.offset
		}
		d.report(&node{offset: offset}, "%v", err)
		return nil, d.problems
	}
	s := d.submission(root)
	if s != nil {
		s.Warnings, s.slips, s.places = d.warnings, d.slips, d.places
	}
	d.problems.Sort()
	return s, d.problems
}

func (d *decoder) submission(root *node) *Submission {
	o, ok := d.object(root)
	if !ok {
		return nil
	}
	s := &Submission{
		File:              d.file,
		Name:              d.text(o.required("name")),
		Contributors:      list(d, o.required("contributors"), 1, d.contributor),
		Contacts:          list(d, o.required("contacts"), 1, d.contact),
		Archive:           d.archive(o.nullable("archive")),
		Command:           d.command(o.nullable("command")),
		Website:           d.url(o.required("website")),
		SystemDescription: d.url(o.required("system_description")),
		Type:              d.solverType(o.required("solver_type")),
		Participations:    list(d, o.required("participations"), 0, d.participation),
		Seed:              d.seed(o.nullable("seed")),
		Competitive:       d.flag(o.optional("competitive"), true),
		Final:             d.flag(o.optional("final"), false),
	}
	o.refuseOthers()
	d.checkComplete(s)
	if s.Final {
		d.checkFinal(o, s)
	}
	if name := o.value("name"); name != nil {
		d.checkName(name, s)
	}
	d.places[""] = d.place(root)
	for _, field := range []string{"name", "solver_type", "seed", "system_description"} {
		if n := o.value(field); n != nil {
			d.places[n.pointer] = d.place(n)
		}
	}
	if s.Competitive && s.Seed == nil && !d.failed("/seed") {
		d.warn(root, "there is no seed: a solver that competes must give an integer before the competition's seed is "+
			"made")
	}
	if len(s.Participations) == 0 && !d.failed("/participations") && o.value("participations") != nil {
		d.warn(o.value("participations"), "there is no participation: the solver enters nothing")
	}
	return s
}

// checkName holds that a derived tool is named BASE-NAME (SMT-COMP 2026 rules, §4 "Derived Tool").
func (d *decoder) checkName(n *node, s *Submission) {
	if s.Type != Derived || s.Name == "" || d.earlier {
		return
	}
	if base, own, ok := strings.Cut(s.Name, "-"); !ok || strings.TrimSpace(base) == "" || strings.TrimSpace(own) == "" {
		d.report(n, "a derived solver must be named after its base solver, such as \"BASE-NAME\", not %q", s.Name)
	}
}

// checkComplete checks that every participation has an archive and a command, its own or the submission's, or else an
// image in the cloud.
func (d *decoder) checkComplete(s *Submission) {
	for i, p := range s.Participations {
		if p.AWSRepository != "" {
			continue
		}
		own := fmt.Sprintf("/participations/%d", i)
		for _, part := range []struct {
			name    string
			missing bool
		}{{"archive", s.Archive == nil && p.Archive == nil}, {"command", s.Command == nil && p.Command == nil}} {
			if part.missing && !d.failed("/"+part.name) && !d.failed(own+"/"+part.name) {
				problem := d.places[own]
				problem.Text = fmt.Sprintf("%s is missing: neither the submission nor this participation has one; "+
					"add it to either", part.name)
				d.add(problem)
			}
		}
	}
}

// participation decodes one element of participations.
func (d *decoder) participation(n *node) Participation {
	var p Participation
	o, ok := d.object(n)
	if !ok {
		return p
	}
	tracks := o.required("tracks")
	p.Tracks = list(d, tracks, 0, d.text)
	if len(p.Tracks) == 0 && tracks != nil && !d.failed(tracks.pointer) {
		d.warn(tracks, "there is no track: the participation enters nothing")
	}
	if logics := o.optional("logics"); logics != nil {
		if pattern, ok := logics.value.(string); ok {
			p.Pattern = d.pattern(logics, pattern)
		} else if _, ok := logics.value.([]*node); !ok {
			d.report(logics, "must be an array of logics or a regular expression for their names, not %s",
				logics.describe())
		} else {
			p.Logics = list(d, logics, 0, func(n *node) comp.Logic { return comp.Logic(d.text(n)) })
		}
	}
	p.Divisions = list(d, o.optional("divisions"), 0, func(n *node) comp.Division { return comp.Division(d.text(n)) })
	p.Archive = d.archive(o.nullable("archive"))
	p.Command = d.command(o.nullable("command"))
	p.Experimental = d.flag(o.optional("experimental"), false)
	if d.earlier {
		p.AWSRepository = d.url(o.nullable("aws_repository"))
	}
	o.refuseOthers()
	return p
}

func (d *decoder) solverType(n *node) SolverType {
	types := []string{string(Wrapped), string(Derived), string(Standalone), string(Portfolio)}
	name := d.text(n)
	if name != "" && !slices.Contains(types, name) {
		d.report(n, "unknown solver type %q; it must be one of %s, with these capitals", name,
			strings.Join(types, ", "))
	}
	return SolverType(name)
}

func (d *decoder) pattern(n *node, text string) *Pattern {
	d.checkTyped(n, text)
	p, err := NewPattern(text)
	if err != nil {
		d.report(n, "%v", err)
	}
	return p
}

// checkFinal holds that a final submission's archives are on Zenodo.
func (d *decoder) checkFinal(o *fields, s *Submission) {
	check := func(a *Archive, n *node) {
		if a != nil && a.URL != "" && !d.failed(n.pointer+"/url") && hostOf(a.URL) != zenodoHost {
			d.report(n, "the host of the archive of a final submission must be %s, not %q; upload the archive there",
				zenodoHost, hostOf(a.URL))
		}
	}
	check(s.Archive, o.value("archive"))
	list := o.value("participations")
	if list == nil {
		return
	}
	items, _ := list.value.([]*node)
	for i, p := range s.Participations {
		members, _ := items[i].value.([]member)
		for _, m := range members {
			if m.name == "archive" {
				check(p.Archive, m.value)
			}
		}
	}
}

// zenodoHost is where final submissions must be (SMT-COMP 2026 rules, §4 "SMT Solver Submission").
const zenodoHost = "zenodo.org"
