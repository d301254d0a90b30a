package verify

import (
	"errors"
	"fmt"

	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/diff"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// mostRows is the maximum number of differing table rows or tree files to list.
const mostRows = 10

// compareTables reports the rows and columns that differ between a table and the recomputed one.
func (v *verification) compareTables(where string, was, now stages.Artifact) {
	delivered, err := v.store.ReadBytes(was.Digest)
	computed, again := v.store.ReadBytes(now.Digest)
	var all []diff.Difference
	if err = errors.Join(err, again); err == nil {
		all, err = results.Changes(delivered, computed)
	}
	if err != nil {
		v.report.differs(where, err.Error())
		return
	}
	if len(all) == 0 {
		v.report.differs(where, "the rows are equal, but the bytes of the file are not")
	}
	v.list(where, all, func(d *diff.Difference) (what, differs string) {
		return "row " + d.Row(" "), fmt.Sprintf("column %s is %q, but its inputs produce %q", d.Column, d.From, d.To)
	})
}

// compareTrees reports the files that differ between a tree and the recomputed one.
func (v *verification) compareTrees(where string, was, now stages.Artifact) {
	var files [2]map[string]string
	for i, art := range []stages.Artifact{was, now} {
		tree, err := artifact.ReadTree(v.store, art)
		if err != nil {
			v.report.differs(where, err.Error())
			return
		}
		files[i] = map[string]string{}
		for _, f := range tree.Files {
			files[i][f.Path] = f.Digest.String()
		}
	}
	v.list(where, diff.Figures(files[0], files[1], diff.Exactly), func(d *diff.Difference) (what, differs string) {
		return d.What, "it differs from what its inputs produce"
	})
}

// list reports the first differences. text names what differs, and says how if both sides have it.
func (v *verification) list(where string, all []diff.Difference, text func(*diff.Difference) (what, differs string)) {
	for i := range all[:min(len(all), mostRows)] {
		d := &all[i]
		what, how := text(d)
		switch {
		case d.Column != "":
		case d.From == diff.Nothing:
			how = "it is missing from the folder"
		case d.To == diff.Nothing:
			how = "it is in the folder, but does not follow from its inputs"
		}
		v.report.differs(where, what+": "+how)
	}
	if n := len(all) - mostRows; n > 0 {
		v.report.differs(where, fmt.Sprintf("and %d more differences", n))
	}
}
