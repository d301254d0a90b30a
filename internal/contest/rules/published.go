package rules

import (
	"fmt"
	"strconv"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/pages"
)

// publishedFile describes the published results and how the organisers computed them.
const publishedFile = "published.rules.hcl"

// readPublished applies a folder's publishedFile to the base's published results.
func (r *Rules) readPublished(f folder) hcl.Diagnostics {
	r.Published.Known = nil // the inherited ones are the base year's
	if !f.has(publishedFile) {
		return nil
	}
	file := f.path(publishedFile)
	src, err := hclsource.ReadFile(f.files, publishedFile, file)
	if err != nil {
		return oneError(nil, "Cannot read rules", fmt.Sprintf("Reading %s: %v.", file, err))
	}
	parsed, diags := hclsource.Parse(src, file)
	r.Files[file] = parsed
	if diags.HasErrors() {
		return diags
	}
	year, more := r.Published.Extend(parsed.Body)
	r.Published = year
	return append(diags, more...)
}

// PublishedOf returns the facts known about a year's published results, and the rule set behind them. It serves folders
// of results, whose year is a number.
func PublishedOf(year int) (pages.Year, *score.RuleSet, error) {
	name := strconv.Itoa(year)
	if !IsBuiltin(name) {
		return pages.Year{}, nil, fmt.Errorf("no rules are known to cover the published tables of %d", year)
	}
	r, diags := builtin(name)
	if diags.HasErrors() {
		return pages.Year{}, nil, diags
	}
	rs, diags := r.Scoring()
	if diags.HasErrors() {
		return pages.Year{}, nil, diags
	}
	if len(r.PublishedReadings()) == 0 {
		return pages.Year{}, nil, fmt.Errorf("how the published tables of %d came about is not known", year)
	}
	return r.Published, rs, nil
}
