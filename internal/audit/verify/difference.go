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
	var changes []diff.Difference
	if err = errors.Join(err, again); err == nil {
		changes, err = results.Changes(delivered, computed)
	}
	if err != nil {
		v.report.differs(where, err.Error())
		return
	}
	for _, c := range changes[:min(len(changes), mostRows)] {
		row := "row " + c.Row(" ")
		switch {
		case c.Column != "":
			const text = "%s: column %s is %q, but its inputs produce %q"
			v.report.differs(where, fmt.Sprintf(text, row, c.Column, c.From, c.To))
		case c.From == diff.Nothing:
			v.report.differs(where, row+": it is missing from the folder")
		default:
			v.report.differs(where, row+": it is in the folder, but does not follow from its inputs")
		}
	}
	switch n := len(changes); {
	case n == 0:
		v.report.differs(where, "the rows are equal, but the bytes of the file are not")
	case n > mostRows:
		v.report.differs(where, fmt.Sprintf("and %d more differences", n-mostRows))
	}
}

// compareTrees reports the files that differ between a tree and the recomputed one.
func (v *verification) compareTrees(where string, was, now stages.Artifact) {
	delivered, err := artifact.ReadTree(v.store, was)
	if err != nil {
		v.report.differs(where, err.Error())
		return
	}
	computed, err := artifact.ReadTree(v.store, now)
	if err != nil {
		v.report.differs(where, err.Error())
		return
	}
	n := 0
	report := func(what string) {
		if n++; n <= mostRows {
			v.report.differs(where, what)
		}
	}
	for _, f := range computed.Files {
		switch have := delivered.Find(f.Path); {
		case have == nil:
			report(f.Path + ": it is missing from the folder")
		case have.Digest != f.Digest:
			report(f.Path + ": it differs from what its inputs produce")
		}
	}
	for _, f := range delivered.Files {
		if computed.Find(f.Path) == nil {
			report(f.Path + ": it is in the folder, but does not follow from its inputs")
		}
	}
	if n > mostRows {
		v.report.differs(where, fmt.Sprintf("and %d more differences", n-mostRows))
	}
}
