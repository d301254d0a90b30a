package rules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// scoringFolder returns the folder that contains the year's rule set: its own, its base's, and so on.
func (r *Rules) scoringFolder() (folder, bool) {
	i := slices.IndexFunc(r.folders, func(f folder) bool { return f.has(scoringFile) })
	if i < 0 {
		return folder{}, false
	}
	return r.folders[i], true
}

// ScoringSource returns the text of the year's rule set and its file name.
func (r *Rules) ScoringSource() (src []byte, file string, err error) {
	f, ok := r.scoringFolder()
	if !ok {
		return nil, "", fmt.Errorf("neither the rules %s nor the rules they are based on have a "+
			"file %s", r.Name, scoringFile)
	}
	src, err = hclsource.ReadFile(f.files, scoringFile, f.path(scoringFile))
	return src, f.path(scoringFile), err
}

// Scoring returns the year's rule set, with the year's name and divisions. It is never nil.
func (r *Rules) Scoring() (*score.RuleSet, hcl.Diagnostics) {
	src, file, err := r.ScoringSource()
	if err != nil {
		return &score.RuleSet{}, oneError(nil, "No rule set", upperFirst(err.Error())+".")
	}
	rs, diags := parseScoring(string(src), file, r.Kinds)
	return r.own(rs), diags
}

// own returns a copy of a rule set with the name, year and divisions of the rules.
func (r *Rules) own(rs *score.RuleSet) *score.RuleSet {
	c := *rs
	c.Name, c.Year, c.Title, c.Divisions = r.Name, r.Year, r.Title, r.Divisions
	return &c
}

// scoringText is a rule set's text, its file name, and the competition's own tracks.
type scoringText struct{ file, text, kinds string }

type parsedScoring struct {
	rs    *score.RuleSet
	diags hcl.Diagnostics
}

var parsedScorings sync.Map // parsed rule sets by scoringText

// parseScoring parses each rule set only once, because a pipeline has a stage for every track, and a plan visits each
// of them twice. Tests have checked the built-in rule sets.
func parseScoring(text, file string, kinds comp.Kinds) (*score.RuleSet, hcl.Diagnostics) {
	of := scoringText{file, text, fmt.Sprint(kinds)}
	once, _ := parsedScorings.LoadOrStore(of, sync.OnceValue(func() parsedScoring {
		parse := score.Parse
		if strings.HasPrefix(file, Builtin) {
			parse = score.Decode
		}
		rs, diags := parse([]byte(text), file, kinds)
		hclsource.Attach(diags, &hcl.File{Bytes: []byte(text)})
		return parsedScoring{rs, diags}
	}))
	got := once.(func() parsedScoring)()
	return got.rs, got.diags
}

// FindScoring reads the named rule set: a built-in year, a rules folder, or a file, relative to dir. r holds the rules
// that the rule set belongs to. For a file, these are the rules of the year that it names, or nil if that year is not
// built in. rs is nil if the rule set was not found.
func FindScoring(name, dir string) (rs *score.RuleSet, r *Rules, diags hcl.Diagnostics) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, name)
	}
	info, err := os.Stat(path)
	if IsBuiltin(name) || !strings.HasSuffix(name, ".hcl") && (err != nil || info.IsDir()) {
		if r, diags = Load(name, dir); diags.HasErrors() {
			return nil, r, diags
		}
		rs, diags = r.Scoring()
		return rs, r, diags
	}
	src, err := limits.HCL.ReadFile(path)
	if err != nil {
		return nil, nil, oneError(nil, "Cannot read the rule set", upperFirst(err.Error())+".")
	}
	return ParseScoring(src, name, nil)
}

// ParseScoring parses a rule set file for a competition whose own tracks are in kinds. If the rule set names a built-in
// year, it uses that year's divisions.
func ParseScoring(src []byte, name string, kinds comp.Kinds) (*score.RuleSet, *Rules, hcl.Diagnostics) {
	parsed, diags := parseScoring(string(src), name, kinds)
	year := strconv.Itoa(parsed.Year)
	if diags.HasErrors() || !IsBuiltin(year) {
		return parsed, nil, diags
	}
	r, more := builtin(year)
	rs := *parsed
	rs.Divisions = r.Divisions
	return &rs, r, append(slices.Clone(diags), more...)
}

// eachScoring calls do once for each built-in rule set, with the year whose folder contains it.
func eachScoring(do func(r *Rules, rs *score.RuleSet)) {
	for _, name := range Names() {
		r, diags := builtin(name)
		if diags.HasErrors() || len(r.folders) == 0 || !r.folders[0].has(scoringFile) {
			continue
		}
		if rs, diags := r.Scoring(); !diags.HasErrors() {
			do(r, rs)
		}
	}
}

// Readings returns the distinct readings of all built-in rule sets, by name.
var Readings = sync.OnceValue(func() []score.Reading {
	var all []score.Reading
	eachScoring(func(_ *Rules, rs *score.RuleSet) {
		for _, r := range rs.Readings {
			if !slices.ContainsFunc(all, func(o score.Reading) bool { return o.Name == r.Name }) {
				all = append(all, r)
			}
		}
	})
	slices.SortFunc(all, func(a, b score.Reading) int { return strings.Compare(a.Name, b.Name) })
	return all
})

// ElsewhereOnly returns a sentence if a reading or practice switch exists only in other rule sets; otherwise, it
// returns "".
func ElsewhereOnly(rs *score.RuleSet, name string) string {
	if rs.Has(name) {
		return ""
	}
	for _, year := range Names() {
		if r, diags := builtin(year); !diags.HasErrors() && r.Published.NoSwitch[name] != "" {
			return fmt.Sprintf("%s changes nothing in the scoring: %s", name, r.Published.NoSwitch[name])
		}
	}
	why := ""
	eachScoring(func(r *Rules, other *score.RuleSet) {
		if why == "" && other.Has(name) {
			why = fmt.Sprintf("%s has no part in rule set %s (rule set %s has it); it is left out", name, rs.Name, r.Name)
		}
	})
	return why
}

// Sources returns the rule files that were read, for diagnostics, by their names in source ranges. It returns none for
// nil rules.
func (r *Rules) Sources() map[string]*hcl.File {
	if r == nil {
		return map[string]*hcl.File{}
	}
	return r.Files
}
