package rules

import (
	"fmt"
	"maps"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/language"
)

// trackBlock declares one of the competition's own tracks.
type trackBlock struct {
	Name string    `hcl:"name,label"`
	Kind string    `hcl:"kind"` // kind of track, as accepted by comp.ParseTrack
	At   hcl.Range `hcl:",def_range"`
}

var trackPattern = pattern.Lazy(`^[A-Za-z][A-Za-z0-9_+-]*$`)

// addTracks adds the declared tracks to the base's.
func (r *Rules) addTracks(blocks []trackBlock) (diags hcl.Diagnostics) {
	kinds := maps.Clone(r.Kinds)
	seen := map[string]bool{}
	for _, b := range blocks {
		kind, err := comp.ParseTrack(b.Kind)
		_, known := comp.ParseTrack(b.Name)
		switch {
		case !trackPattern().MatchString(b.Name):
			diags = append(diags, oneError(&b.At, "Invalid name of a track", fmt.Sprintf("%q does not begin with a "+
				"letter and continue with letters, digits, _, + and -.", b.Name))...)
		case known == nil:
			diags = append(diags, oneError(&b.At, "Track that is known already", fmt.Sprintf("%s is a track "+
				"of smtpipe already. Remove the block, or choose another name.", b.Name))...)
		case seen[b.Name]:
			diags = append(diags, oneError(&b.At, "Track declared twice", fmt.Sprintf("There is another block for the "+
				"track %s.", b.Name))...)
		case err != nil:
			diags = append(diags, oneError(&b.At, "Unknown kind of track", fmt.Sprintf("The kind of a track is one "+
				"that smtpipe knows: %v.", err))...)
		default:
			if kinds == nil {
				kinds = comp.Kinds{}
			}
			kinds[b.Name], seen[b.Name] = kind, true
		}
	}
	r.Kinds = kinds
	return diags
}

// kindsValue returns kinds as a map of strings, or null if there are none.
func kindsValue(kinds comp.Kinds) cty.Value {
	texts := map[string]string{}
	for name, kind := range kinds {
		texts[name] = kind.String()
	}
	return mapValue(texts, cty.Map(cty.String))
}

// languageBlock declares the language of the competition's benchmarks.
type languageBlock struct {
	Name string    `hcl:"name,label"`
	Body hcl.Body  `hcl:",remain"`
	At   hcl.Range `hcl:",def_range"`
}

// readLanguage reads the language, which replaces the base's.
func (r *Rules) readLanguage(blocks []languageBlock) hcl.Diagnostics {
	for i, b := range blocks {
		l := language.Language{Name: b.Name}
		if diags := gohcl.DecodeBody(b.Body, nil, &l); diags.HasErrors() {
			return diags
		}
		_, err := l.Compile()
		switch {
		case i > 0:
			err = fmt.Errorf("there is another language, %s; a folder of rules has one", r.Language.Name)
		case !trackPattern().MatchString(b.Name):
			err = fmt.Errorf("%q does not begin with a letter and continue with letters, digits, _, + and -", b.Name)
		}
		if err != nil {
			return oneError(&b.At, "Invalid language", upperFirst(err.Error())+".")
		}
		r.Language = &l
	}
	return nil
}

// checkLanguage reports tracks whose kind requires SMT-LIB: dialogues, cores, models.
func (r *Rules) checkLanguage(tracks []trackBlock) (diags hcl.Diagnostics) {
	for _, b := range tracks {
		kind := r.Kinds[b.Name]
		if r.Language != nil && kind != 0 && kind != comp.SingleQuery && kind != comp.Parallel {
			diags = append(diags, oneError(&b.At, "Kind of track for SMT-LIB", fmt.Sprintf("Runs on benchmarks of the "+
				"language %s have one answer: the kind is single_query or parallel, and not %s. A checker of the stage "+
				"validate looks at what follows the answer.", r.Language.Name, kind))...)
		}
	}
	return diags
}
