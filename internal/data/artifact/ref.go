package artifact

import (
	"fmt"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// Ref names a table, tree or blob in the store by the digest of its content. It never holds the content itself.
type Ref struct {
	Schema    string       `json:"schema"` // of a table; otherwise "tree" or "blob"
	Digest    cache.Digest `json:"-"`
	Rows      int64        `json:"rows,omitempty"` // of a table, or files of a tree
	SizeBytes int64        `json:"size_bytes"`
}

// IsTable reports whether the artifact is a table.
func (a Ref) IsTable() bool { return a.Schema != "tree" && a.Schema != "blob" }

// Text describes the artifact, such as "724 rows of runs/1".
func (a Ref) Text() string {
	switch a.Schema {
	case "tree":
		return fmt.Sprintf("%d files", a.Rows)
	case "blob":
		return "file"
	}
	return fmt.Sprintf("%d rows of %s", a.Rows, a.Schema)
}
