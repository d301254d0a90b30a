package artifact

import (
	"fmt"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// Ref identifies a table, tree or blob in the store by its content's digest. It never contains the content itself.
type Ref struct {
	Schema    string       `json:"schema"` // a table's schema, or "tree" or "blob"
	Digest    cache.Digest `json:"-"`
	Rows      int64        `json:"rows,omitempty"` // number of a table's rows or a tree's files
	SizeBytes int64        `json:"size_bytes"`
}

// IsTable reports whether the artifact is a table.
func (a Ref) IsTable() bool { return a.Schema != "tree" && a.Schema != "blob" }

// Text describes the artifact, for example as "724 rows of runs/1".
func (a Ref) Text() string {
	switch a.Schema {
	case "tree":
		return fmt.Sprintf("%d files", a.Rows)
	case "blob":
		return "file"
	}
	return fmt.Sprintf("%d rows of %s", a.Rows, a.Schema)
}
