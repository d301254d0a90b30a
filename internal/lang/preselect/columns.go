package preselect

import (
	"encoding/csv"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/outfile"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// TextsOf returns the texts in a list; nil if the list is unknown.
func TextsOf(v cty.Value) []string {
	if v == cty.NilVal || v.IsNull() || !v.IsWhollyKnown() {
		return nil
	}
	texts := []string{}
	for _, t := range v.AsValueSlice() {
		texts = append(texts, t.AsString())
	}
	return texts
}

// alternatives are columns from which another column can be derived.
var alternatives = map[string]string{"difficulty": "total", "statuses": "known_prefix"}

// Missing returns the columns that a module needs and a list does not contain.
func (s *Files) Missing(list *List, need []string) (missing []string) {
	if len(list.Paths) == 0 {
		return nil
	}
	for _, column := range need {
		if !slices.Contains(list.Columns, column) && !slices.Contains(list.Columns, alternatives[column]) &&
			(column != "difficulty" || len(s.History) == 0) {
			missing = append(missing, column)
		}
	}
	return missing
}

// WriteTable writes a table about a selection as CSV, if file is not empty.
func WriteTable(file string, exclusions []results.ExclusionRow, table func([]results.ExclusionRow) ([][]string,
	error)) error {
	if file == "" {
		return nil
	}
	rows, err := table(exclusions)
	if err != nil {
		return err
	}
	var text strings.Builder
	if err := csv.NewWriter(&text).WriteAll(rows); err != nil {
		return err
	}
	return outfile.WriteText(file, text.String())
}
