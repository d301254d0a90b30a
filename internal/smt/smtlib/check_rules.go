package smtlib

import (
	"fmt"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// ScriptRules contains the restrictions that a competition's rules place on scripts. Tracks are named as in package
// comp. The fields correspond to the "scripts" block of a year's rules.
type ScriptRules struct {
	// Document and Section form the citation of the rules, such as "SMT-COMP 2026 rules" and "§5.1".
	Document string
	Section  string `hcl:"section,optional"`

	Tracks   []string `hcl:"tracks,optional"`    // tracks with scripts
	Version1 bool     `hcl:"version_1,optional"` // scripts are in SMT-LIB 1.2, without further restrictions

	InfoAnywhere          bool     `hcl:"set_info_anywhere,optional"`       // the scrambler removes set-info
	OptionSecond          bool     `hcl:"option_second,optional"`           // the track's option comes second
	PrintSuccessFree      bool     `hcl:"print_success_free,optional"`      // :print-success may have either value
	Datatypes             bool     `hcl:"datatypes,optional"`               // datatypes may be declared
	DefineSort            []string `hcl:"define_sort,optional"`             // tracks that allow it, or nil for all
	DefinedSortParameters bool     `hcl:"defined_sort_parameters,optional"` // define-sort may have parameters
	AssertFirst           bool     `hcl:"assert_first,optional"`            // incremental scripts must assert before check-sat

	// Options maps each track to the option that its scripts must set. A script with the option for models, cores or
	// proofs must also contain the corresponding query.
	Options map[string]string `hcl:"options,optional"`

	// Headings holds the paragraph headings that differ from the current ones. Items holds the numbers of numbered
	// paragraphs, and IncrementalItems the numbers that differ for the incremental track.
	Headings         map[string]string `hcl:"headings,optional"`
	Items            map[string]int    `hcl:"items,optional"`
	IncrementalItems map[string]int    `hcl:"incremental_items,optional"`
}

// Covers returns an error if the rules do not include the track.
func (r *ScriptRules) Covers(track comp.Track) error {
	if slices.Contains(r.Tracks, track.String()) {
		return nil
	}
	return fmt.Errorf("%s: there is no track %v; the tracks are %v", r.Document, track, r.Tracks)
}

// sortsDefined reports whether a track allows define-sort.
func (r *ScriptRules) sortsDefined(track comp.Track) bool {
	return r.DefineSort == nil || slices.Contains(r.DefineSort, track.String())
}

// option returns the option that a track's scripts must set to true, or "".
func (r *ScriptRules) option(track comp.Track) string { return r.Options[track.String()] }

// question returns the command that must follow the check-sat in a track, or CmdNone.
func (r *ScriptRules) question(track comp.Track) CommandKind {
	switch r.option(track) {
	case ":produce-models":
		return CmdGetModel
	case ":produce-unsat-cores":
		return CmdGetUnsatCore
	case ":produce-proofs":
		return CmdGetProof
	}
	return CmdNone
}

// place returns the citation of a rule: the document, and the heading of the paragraph, with its number if the document
// numbers paragraphs.
func (r *ScriptRules) place(rule string, track comp.Track) string {
	item := r.Items[rule]
	if n, ok := r.IncrementalItems[rule]; ok && track == comp.Incremental {
		item = n
	}
	if heading, ok := r.Headings[rule]; ok {
		rule = heading
	}
	if item > 0 {
		return fmt.Sprintf("%s, %s, %d. (%s)", r.Document, r.Section, item, rule)
	}
	return fmt.Sprintf("%s, %s (%s)", r.Document, r.Section, rule)
}

// checkV1 accepts any benchmark in version 1.2, as the rules of 2008 require.
func (r *ScriptRules) checkV1(src []byte) ([]Violation, error) {
	info, err := Inspect(src)
	if err != nil {
		return nil, err
	}
	if !info.Version1 {
		return []Violation{{
			Position: Position{Offset: 0, Line: 1, Column: 1},
			Rule:     r.Document + ", " + r.Section,
			Message:  "the formula is not in the format of SMT-LIB 1.2, (benchmark ...)",
		}}, nil
	}
	return nil, nil
}
