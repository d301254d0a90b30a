package verify

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/artifact"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/table"
)

// mostRows is how many rows of a table, or files of a tree, are named that differ.
const mostRows = 10

// compareTables names the rows and columns in which a table differs from the one that was computed again.
func (v *verification) compareTables(where string, was, now stages.Artifact) {
	schema, err := results.SchemaByName(was.Schema)
	if err != nil {
		v.report.differs(where, err.Error())
		return
	}
	delivered, err := v.rows(schema, was)
	if err != nil {
		v.report.differs(where, err.Error())
		return
	}
	computed, err := v.rows(schema, now)
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
	for _, key := range computed.order {
		row, have := delivered.rows[key]
		if !have {
			report(fmt.Sprintf("row %s: it is missing in the folder", key))
			continue
		}
		for i, c := range schema.Columns {
			if should := computed.rows[key][i]; row[i] != should {
				const text = "row %s: column %s is %q, and %q follows from its inputs"
				report(fmt.Sprintf(text, key, c.Name, row[i], should))
			}
		}
	}
	for _, key := range delivered.order {
		if _, known := computed.rows[key]; !known {
			report(fmt.Sprintf("row %s: the folder has it, and it does not follow from its inputs", key))
		}
	}
	switch {
	case n == 0:
		v.report.differs(where, "the rows are the same, and the bytes of the file are not")
	case n > mostRows:
		v.report.differs(where, fmt.Sprintf("and %d more differences", n-mostRows))
	}
}

// textTable is a table as texts: rows by their primary keys.
type textTable struct {
	order []string
	rows  map[string][]string
}

func (v *verification) rows(schema *results.Schema, art stages.Artifact) (*textTable, error) {
	t := &textTable{rows: map[string][]string{}}
	add := func(row []string) {
		var key []string
		for k, text := range row {
			if schema.Columns[k].Key && text != "" {
				key = append(key, text)
			}
		}
		id := strings.Join(key, " ")
		t.order, t.rows[id] = append(t.order, id), row
	}
	var names []string
	for _, c := range schema.Columns {
		if c.Kind == table.Strings {
			return t, v.listRows(schema, art, add)
		}
		names = append(names, c.Name)
	}
	return t, artifact.EachRow(v.store, art, names, func(_ int64, columns []table.Column, i int) {
		row := make([]string, len(columns))
		for k := range columns {
			row[k] = strings.Clone(columns[k].Text(i))
		}
		add(row)
	})
}

// listRows visits the rows of a table with lists, which are joined by blanks as in CSV files. Such tables are small.
func (v *verification) listRows(schema *results.Schema, art stages.Artifact, visit func(row []string)) error {
	content, err := v.store.ReadBytes(art.Digest)
	if err != nil {
		return err
	}
	return results.EachText(bytes.NewReader(content), int64(len(content)), func(names, texts []string) {
		row := make([]string, len(schema.Columns))
		for i, name := range names {
			row[slices.IndexFunc(schema.Columns, func(c results.Column) bool { return c.Name == name })] = texts[i]
		}
		visit(row)
	})
}

// compareTrees names the files in which a tree differs from the one that was computed again.
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
			report(f.Path + ": it is missing in the folder")
		case have.Digest != f.Digest:
			report(f.Path + ": it is not what follows from its inputs")
		}
	}
	for _, f := range delivered.Files {
		if computed.Find(f.Path) == nil {
			report(f.Path + ": the folder has it, and it does not follow from its inputs")
		}
	}
	if n > mostRows {
		v.report.differs(where, fmt.Sprintf("and %d more differences", n-mostRows))
	}
}
