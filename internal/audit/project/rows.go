package project

import (
	"bytes"
	"errors"
	"reflect"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/rowexpr"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// maxRows is the number of rows that rows() returns by default. As a value in the language, a row takes a few kB.
const maxRows = 100_000

// RowsFunc returns a stored table's rows as a list of objects. It exists only in the console, because stages receive
// tables, not rows.
func RowsFunc(store *cache.Store) function.Function {
	return function.New(&function.Spec{
		Params:   []function.Parameter{{Name: "table", Type: cty.DynamicPseudoType}},
		VarParam: &function.Parameter{Name: "limit", Type: cty.Number},
		Type:     function.StaticReturnType(cty.DynamicPseudoType),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			art, ok := stages.ArtifactOf(args[0])
			if !ok || art.Schema == "tree" || art.Schema == "blob" {
				return cty.NilVal, function.NewArgErrorf(0, "want a table, such as stage.score.main.scores, got a %s",
					args[0].Type().FriendlyName())
			}
			limit := int64(maxRows)
			switch {
			case len(args) > 2:
				return cty.NilVal, errors.New("rows takes a table and, optionally, a number of rows")
			case len(args) == 2:
				limit, _ = args[1].AsBigFloat().Int64()
			case art.Rows > limit:
				return cty.NilVal, function.NewArgErrorf(0,
					"the table has %d rows; say how many, as rows(TABLE, 1000), or use \"smtpipe show --format csv\"",
					art.Rows)
			}
			return readRows(store, art, limit)
		},
	})
}

// errRowLimit stops reading a table at the row limit.
var errRowLimit = errors.New("enough rows")

func readRows(store *cache.Store, art stages.Artifact, limit int64) (cty.Value, error) {
	schema, err := results.SchemaByName(art.Schema)
	if err != nil {
		return cty.NilVal, err
	}
	data, err := store.ReadBytes(art.Digest)
	if err != nil {
		return cty.NilVal, err
	}
	rows := []cty.Value{}
	err = results.Each(bytes.NewReader(data), int64(len(data)), func(row reflect.Value) error {
		if int64(len(rows)) >= limit {
			return errRowLimit
		}
		fields := map[string]cty.Value{}
		for _, c := range schema.Columns {
			fields[c.Name] = cell(c.Field(row))
		}
		rows = append(rows, cty.ObjectVal(fields))
		return nil
	})
	if err != nil && !errors.Is(err, errRowLimit) {
		return cty.NilVal, err
	}
	return cty.TupleVal(rows), nil
}

func cell(v reflect.Value) cty.Value {
	switch v.Kind() {
	case reflect.String:
		return cty.StringVal(v.String())
	case reflect.Int64:
		return cty.NumberIntVal(v.Int())
	case reflect.Float64:
		return cty.NumberFloatVal(v.Float())
	case reflect.Bool:
		return cty.BoolVal(v.Bool())
	}
	return rowexpr.TextList(v.Interface().([]string))
}
