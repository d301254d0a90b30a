package stages

import (
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/results"
)

// EmptyTable stores a table without rows of the schema of t; ok is false if t is no type of tables.
func EmptyTable(store *cache.Store, t cty.Type) (art Artifact, ok bool, err error) {
	for _, schema := range results.Schemas() {
		if !TableType(schema.Name).Equals(t) {
			continue
		}
		header := make([]string, len(schema.Columns))
		for i, c := range schema.Columns {
			header[i] = c.Name
		}
		art, err := ImportCSV(store, strings.NewReader(strings.Join(header, ",")+"\n"), schema)
		return art, err == nil, err
	}
	return Artifact{}, false, nil
}
