package stages

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/results"
)

// Extent is how many rows a table has, at most: what a plan can say of a table that does not exist yet.
type Extent struct {
	Rows int64
	// Logics gives the rows of each logic, at most, with their sum not below that of the rows; nil if it is not known. It
	// may read a table, so it is called only where it matters. The function itself may be nil.
	Logics func() map[string]int64
}

// ByLogic gives the rows of each logic, at most; nil if they are not known.
func (x *Extent) ByLogic() map[string]int64 {
	if x.Logics == nil {
		return nil
	}
	return x.Logics()
}

// CountLogics counts the rows of a table in the store by their column logic; nil if it has none, or cannot be read.
func CountLogics(store *cache.Store, art Artifact) map[string]int64 {
	data, err := store.ReadBytes(art.Digest)
	if err != nil {
		return nil
	}
	columns, err := results.OpenColumns(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil
	}
	reader, err := columns.Read("logic")
	if err != nil {
		return nil
	}
	counts := map[string]int64{}
	for {
		batch, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return counts
		}
		if err != nil {
			return nil
		}
		for i := range batch.Rows {
			logic := batch.Columns[0].Text(i)
			if _, seen := counts[logic]; !seen {
				logic = strings.Clone(logic) // or the batch's memory would be kept with it
			}
			counts[logic]++
		}
	}
}
