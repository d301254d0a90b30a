package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"

	"github.com/smtpipe/smtpipe/internal/contest/admission"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/divisions"
)

// yearBlocks holds the blocks of year.rules.hcl.
type yearBlocks struct {
	Rules     *header          `hcl:"rules,block"`
	Seeds     []body           `hcl:"seed,block"`
	Divisions []divisionsBlock `hcl:"divisions,block"`
	Entrants  []entrantsBlock  `hcl:"entrants,block"`
	Scripts   []body           `hcl:"scripts,block"`
	Validate  []body           `hcl:"validation,block"`
	Tracks    []trackBlock     `hcl:"track,block"`
	Languages []languageBlock  `hcl:"language,block"`
}

// over decodes blocks into target, on top of the base's rules.
func over(blocks []body, target any) (diags hcl.Diagnostics) {
	for _, b := range blocks {
		diags = append(diags, gohcl.DecodeBody(b.Body, nil, target)...)
	}
	return diags
}

// body decodes a block on top of the base's rules.
type body struct {
	Body hcl.Body `hcl:",remain"`
}

// entrantsBlock is an entrants { reason "KIND" { ... } question "NAME" { ... } ... } block.
type entrantsBlock struct {
	Reasons   []reasonBlock   `hcl:"reason,block"`
	Questions []questionBlock `hcl:"question,block"`
	Body      hcl.Body        `hcl:",remain"`
}

type questionBlock struct {
	Name string    `hcl:"name,label"`
	Body hcl.Body  `hcl:",remain"`
	At   hcl.Range `hcl:",def_range"`
}

// over decodes the block on top of the base's question with that name, if any.
func (b *questionBlock) over(all []submission.Question) ([]submission.Question, hcl.Diagnostics) {
	i := slices.IndexFunc(all, func(q submission.Question) bool { return q.Name == b.Name })
	if i < 0 {
		i, all = len(all), append(all, submission.Question{Name: b.Name, Of: "every"})
	}
	q := &all[i]
	diags := gohcl.DecodeBody(b.Body, nil, q)
	switch {
	case diags.HasErrors():
	case !slices.Contains(submission.Concerns, q.Of):
		diags = oneError(&b.At, "Invalid question", fmt.Sprintf("\"of\" is one of %s, not %q.",
			strings.Join(submission.Concerns, ", "), q.Of))
	case q.Due != "" && q.Due != "first" && q.Due != "final":
		diags = oneError(&b.At, "Invalid question", fmt.Sprintf("\"due\" must be first or final, not %q.", q.Due))
	case q.Text == "" || q.Section == "":
		diags = oneError(&b.At, "Incomplete question", "A question needs a text and the rules' section.")
	}
	return all, diags
}

type reasonBlock struct {
	Kind string   `hcl:"kind,label"`
	Body hcl.Body `hcl:",remain"`
}

// entrantsOver decodes blocks on top of the base's rules. A reason keeps the settings that its block omits.
func entrantsOver(blocks []entrantsBlock, target *submission.Rules) (diags hcl.Diagnostics) {
	target.Reasons, target.Questions = maps.Clone(target.Reasons), slices.Clone(target.Questions)
	for _, b := range blocks {
		diags = append(diags, gohcl.DecodeBody(b.Body, nil, target)...)
		for _, r := range b.Reasons {
			rule, ok := target.Reasons[r.Kind]
			if !ok {
				rule = admission.Default
			}
			diags = append(diags, gohcl.DecodeBody(r.Body, nil, &rule)...)
			if target.Reasons == nil {
				target.Reasons = map[string]admission.Rule{}
			}
			target.Reasons[r.Kind] = rule
		}
		for _, q := range b.Questions {
			var more hcl.Diagnostics
			target.Questions, more = q.over(target.Questions)
			diags = append(diags, more...)
		}
	}
	return diags
}

// header is a rules { base year title document without_tracks } block.
type header struct {
	Base     *string   `hcl:"base,optional"`
	Year     *int      `hcl:"year,optional"`
	Title    *string   `hcl:"title,optional"`
	Document *string   `hcl:"document,optional"`
	Without  []string  `hcl:"without_tracks,optional"`
	Tables   []string  `hcl:"published_tracks,optional"` // tracks that appear only in tables of published results
	At       hcl.Range `hcl:",def_range"`
}

// check reports required settings missing in both the year and its base.
func (h *header) check(r *Rules) hcl.Diagnostics {
	var missing []string
	if r.Year < 1900 || r.Year > 9999 {
		missing = append(missing, "year = ..., a number of four digits")
	}
	if r.Title == "" {
		missing = append(missing, `title = "..."`)
	}
	if r.Document == "" {
		missing = append(missing, `document = "...", how the rules are cited`)
	}
	if len(missing) == 0 {
		return nil
	}
	return oneError(&h.At, "Incomplete rules", fmt.Sprintf("The \"rules\" block needs %s.",
		strings.Join(missing, ", ")))
}

// divisionsBlock is a divisions { tracks like logics single_logic experimental } block. It changes the divisions that
// it names and adds new ones. If it lists experimental divisions, they replace those of its tracks.
type divisionsBlock struct {
	Tracks []string `hcl:"tracks"`
	Like   *string  `hcl:"like,optional"` // track to copy the divisions from
	// Logics maps each division to its logics, separated by spaces. An empty list removes the division.
	Logics map[string]string `hcl:"logics,optional"`
	Single []string          `hcl:"single_logic,optional"` // logics that each form a division of the same name
	// Trial lists the tracks' experimental divisions; "*" means all of them.
	Trial *[]string `hcl:"experimental,optional"`
	At    hcl.Range `hcl:",def_range"`
}

// check reports unknown tracks and divisions without a name. known reports whether a track exists.
func (d *divisionsBlock) check(known func(track string) bool) (diags hcl.Diagnostics) {
	tracks := d.Tracks
	if d.Like != nil {
		tracks = append(slices.Clone(tracks), *d.Like)
	}
	for _, track := range tracks {
		if !known(track) {
			diags = append(diags, oneError(&d.At, "Unknown track", fmt.Sprintf("There is no track %q. smtpipe knows "+
				"%v; one of the competition's own is declared with track %q { kind = ... }.", track, comp.Tracks(),
				track))...)
		}
	}
	for _, name := range append(slices.Sorted(maps.Keys(d.Logics)), d.Single...) {
		if len(strings.Fields(name)) != 1 {
			diags = append(diags, oneError(&d.At, "Invalid name of a division", fmt.Sprintf("%q is not the name of a "+
				"division: it is empty or has blanks.", name))...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(d.Logics)) {
		for l := range strings.FieldsSeq(d.Logics[name]) {
			if strings.ContainsAny(l, ",;") {
				diags = append(diags, oneError(&d.At, "Invalid name of a logic", fmt.Sprintf("The division %s has "+
					"%q. Logics are separated by blanks, as in \"LIA LRA\".", name, l))...)
			}
		}
	}
	return diags
}

func (d *divisionsBlock) apply(t *divisions.Table) {
	for _, track := range d.Tracks {
		if d.Like != nil {
			for _, of := range t.Divisions(*d.Like) {
				t.Set(trackName(track), of.Name, of.Logics)
			}
		}
		for name, logics := range d.Logics {
			var list []comp.Logic
			for l := range strings.FieldsSeq(logics) {
				list = append(list, comp.Logic(l))
			}
			t.Set(trackName(track), comp.Division(name), list)
		}
		for _, l := range slices.Sorted(slices.Values(d.Single)) {
			t.Set(trackName(track), comp.Division(l), []comp.Logic{comp.Logic(l)})
		}
		if d.Trial != nil {
			var names []comp.Division
			for _, name := range *d.Trial {
				names = append(names, comp.Division(name))
			}
			t.SetExperimental(trackName(track), names)
		}
	}
}

// checkTrial reports experimental divisions that do not exist in any of the tracks.
func (d *divisionsBlock) checkTrial(t divisions.Table) (diags hcl.Diagnostics) {
	if d.Trial == nil {
		return nil
	}
	for _, name := range *d.Trial {
		if name != string(divisions.AllDivisions) && !slices.ContainsFunc(d.Tracks, func(track string) bool {
			return slices.ContainsFunc(t.Divisions(track), func(has divisions.Division) bool {
				return string(has.Name) == name
			})
		}) {
			diags = append(diags, oneError(&d.At, "Unknown division", fmt.Sprintf("The division %q, which is to be "+
				"experimental, is in none of these tracks.", name))...)
		}
	}
	return diags
}
