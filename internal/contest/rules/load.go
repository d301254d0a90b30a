package rules

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// maxBases limits the length of a chain of years based on each other.
const maxBases = 16

// Load reads the named rules: a built-in year, such as "2026", or a folder, such as "./2027", relative to dir. It
// reports all errors in a file together.
func Load(name, dir string) (*Rules, hcl.Diagnostics) {
	if IsBuiltin(name) {
		return builtin(name)
	}
	return load(name, dir, nil)
}

var cache sync.Map // built-in rules by name

// builtin reads a built-in year's rules, only once.
func builtin(name string) (*Rules, hcl.Diagnostics) {
	type loaded struct {
		rules *Rules
		diags hcl.Diagnostics
	}
	once, _ := cache.LoadOrStore(name, sync.OnceValue(func() loaded {
		r, diags := load(name, "", nil)
		return loaded{r, diags}
	}))
	got := once.(func() loaded)()
	return got.rules, got.diags
}

// load reads a folder and its bases. below contains the names of the folders that led to it.
func load(name, dir string, below []string) (*Rules, hcl.Diagnostics) {
	f, err := open(name, dir)
	if err != nil {
		return nil, oneError(nil, "Unknown rules", upperFirst(err.Error())+".")
	}
	file := f.path(yearFile)
	src, err := hclsource.ReadFile(f.files, yearFile, file)
	if err != nil {
		return nil, oneError(nil, "Cannot read rules", fmt.Sprintf("Reading %s: %v.", file, err))
	}
	parsed, diags := hclsource.Parse(src, file)
	files := map[string]*hcl.File{file: parsed}
	if diags.HasErrors() {
		return &Rules{Files: files}, diags
	}
	var y yearBlocks
	diags = append(diags, gohcl.DecodeBody(parsed.Body, nil, &y)...)
	if y.Rules == nil {
		if !diags.HasErrors() {
			at := parsed.Body.MissingItemRange()
			diags = oneError(&at, "Missing block", "The rules of a year need a \"rules\" block, with base, or with year, "+
				"title and document.")
		}
		return &Rules{Files: files}, diags
	}
	r, more := baseOf(y.Rules, f, append(below, f.name))
	diags = append(diags, more...)
	maps.Copy(files, r.Files)
	r.Name, r.Files, r.folders = name, files, append([]folder{f}, r.folders...)
	if !more.HasErrors() {
		diags = append(diags, r.decode(&y)...)
		diags = append(diags, r.readPublished(f)...)
	}
	return r, diags
}

// Entrants returns the rules about entrants that all years share: the consequences of each reason against an entrant.
var Entrants = sync.OnceValue(func() (r submission.Rules) {
	const name = Builtin + "modules/reasons.rules.hcl"
	src, err := ReadFile(name)
	if err != nil {
		panic(err) // the file is built in
	}
	var file struct {
		Entrants []entrantsBlock `hcl:"entrants,block"`
	}
	parsed, diags := hclsource.Parse(src, name)
	if !diags.HasErrors() {
		diags = append(gohcl.DecodeBody(parsed.Body, nil, &file), entrantsOver(file.Entrants, &r)...)
	}
	if diags.HasErrors() {
		panic(diags)
	}
	return r
})

// baseOf returns a copy of a year's base rules. Without a base, they contain only the reasons that all years share.
func baseOf(h *header, f folder, below []string) (*Rules, hcl.Diagnostics) {
	if h.Base == nil {
		return &Rules{Entrants: Entrants()}, nil
	}
	if strings.HasPrefix(f.name, Builtin) && !IsBuiltin(*h.Base) {
		return &Rules{}, oneError(&h.At, "Unknown rules", "A built-in year can only be based on another built-in year.")
	}
	dir := f.name
	next, err := open(*h.Base, dir)
	switch {
	case err != nil:
		return &Rules{}, oneError(&h.At, "Unknown rules", upperFirst(err.Error())+".")
	case slices.Contains(below, next.name):
		return &Rules{}, oneError(&h.At, "Rules based on themselves", fmt.Sprintf("%q leads back to a folder that is "+
			"based on this one.", *h.Base))
	case len(below) > maxBases:
		return &Rules{}, oneError(&h.At, "Too many bases", fmt.Sprintf("Rules can be based on other rules at most "+
			"%d levels deep.",
			maxBases))
	}
	base, diags := load(*h.Base, dir, below)
	if base == nil {
		return &Rules{}, diags
	}
	return base, diags
}

// decode applies a year's file to its base's rules.
func (r *Rules) decode(y *yearBlocks) hcl.Diagnostics {
	h := y.Rules
	if h.Year != nil {
		r.Year = *h.Year
	}
	r.Title, r.Document = or(h.Title, r.Title), or(h.Document, r.Document)
	diags := h.check(r)
	diags = append(diags, over(y.Seeds, &r.Seed)...)
	r.Entrants.First, r.Entrants.Final = "", "" // the base's values belong to another year
	diags = append(diags, entrantsOver(y.Entrants, &r.Entrants)...)
	if err := r.Entrants.CheckDates(); err != nil && len(y.Entrants) > 0 {
		at := y.Entrants[len(y.Entrants)-1].Body.MissingItemRange()
		diags = append(diags, oneError(&at, "Invalid deadline", upperFirst(err.Error())+".")...)
	}
	diags = append(diags, over(y.Scripts, &r.Scripts)...)
	diags = append(diags, over(y.Validate, &r.Validation)...)
	r.Scripts.Document = r.Document
	diags = append(diags, r.addTracks(y.Tracks)...)
	diags = append(diags, r.readLanguage(y.Languages)...)
	diags = append(diags, r.checkLanguage(y.Tracks)...)
	r.Divisions = r.Divisions.Clone()
	for _, track := range h.Without {
		if !r.Divisions.Remove(trackName(track)) {
			diags = append(diags, oneError(&h.At, "Unknown track", fmt.Sprintf("There is no track %q to leave "+
				"out; the tracks are %s.", track, strings.Join(r.Divisions.Tracks(), ", ")))...)
		}
	}
	known := func(track string) bool {
		_, own := r.Kinds[track]
		_, err := comp.ParseTrack(track)
		return own || err == nil || slices.Contains(h.Tables, track) || len(r.Divisions.Divisions(track)) > 0
	}
	for _, d := range y.Divisions {
		diags = append(diags, d.check(known)...)
		d.apply(&r.Divisions)
	}
	for _, d := range y.Divisions {
		diags = append(diags, d.checkTrial(r.Divisions)...)
	}
	if err := r.Divisions.Check(); err != nil && len(y.Divisions) > 0 {
		diags = append(diags, oneError(&y.Divisions[len(y.Divisions)-1].At, "Logic in two divisions",
			upperFirst(err.Error())+". Leave it out of one of them.")...)
	}
	return diags
}

// trackName returns the name to look up for a track name in a file.
func trackName(name string) string {
	if t, err := comp.ParseTrack(name); err == nil {
		return t.String()
	}
	return name
}

func or(s *string, other string) string {
	if s != nil {
		return *s
	}
	return other
}

func oneError(at *hcl.Range, summary, detail string) hcl.Diagnostics {
	return hcl.Diagnostics{{Severity: hcl.DiagError, Summary: summary, Detail: detail, Subject: at}}
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
