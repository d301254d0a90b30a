package results

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"reflect"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// EntrantColumns are the columns of a verdict that describe the entrant. The stage "verdicts" sets them.
var EntrantColumns = []string{"team", "competitive", "open_source", "new_entrant", "barred", "base_solver"}

// EntrantKinds finds the rows with equal values in the columns about the entrant and in other columns of texts. A kind
// has these values and no others.
func EntrantKinds(t *Table[VerdictRow], by ...string) (of *table.Combinations, kinds []VerdictRow, err error) {
	var columns []table.Column
	names := append(slices.Clone(by), EntrantColumns...)
	for _, name := range names {
		c, err := t.Column(name)
		if err != nil {
			return nil, nil, err
		}
		columns = append(columns, c.Coded())
	}
	of, _ = table.CombinationsOf(t.Len(), columns...) // all are coded or booleans
	kinds = make([]VerdictRow, len(of.Firsts))
	for k, i := range of.Firsts {
		row := reflect.ValueOf(&kinds[k]).Elem()
		for j, name := range names {
			field := t.schema.Column(name).Field(row)
			if columns[j].Kind() == table.Bool {
				field.SetBool(columns[j].BoolAt(int(i)))
			} else {
				field.SetString(columns[j].StringAt(int(i)))
			}
		}
	}
	return of, kinds, nil
}

// IdentifyApart returns a text that identifies what a table contains apart from some columns: tables with the same text
// differ in these columns at most.
func IdentifyApart(r io.ReaderAt, size int64, from ...string) (string, error) {
	columns, schema, err := openOurs(r, size)
	if err != nil {
		return "", err
	}
	names := slices.DeleteFunc(columns.Names(), func(name string) bool { return slices.Contains(from, name) })
	rest, err := columns.Read(names...)
	if err != nil {
		return "", err
	}
	id := sha256.New()
	fmt.Fprintf(id, "%q", append(names, schema.Name))
	err = rest.identify(id, r)
	return hex.EncodeToString(id.Sum(nil)), err
}
