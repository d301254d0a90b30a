package cache

import (
	"errors"
	"fmt"
)

// CorruptError reports that stored content differs from what was written. The store treats such content as absent, and
// it is computed or fetched again.
type CorruptError struct {
	What string
	Why  string
}

func (e *CorruptError) Error() string { return fmt.Sprintf("the %s is damaged: %s", e.What, e.Why) }

// MissingError reports that a blob is not in the store.
type MissingError struct{ Digest Digest }

func (e *MissingError) Error() string { return fmt.Sprintf("blob %s is not in the store", e.Digest) }

// IsLost reports whether content in the store is missing or damaged.
func IsLost(err error) bool {
	_, missing := errors.AsType[*MissingError](err)
	_, corrupt := errors.AsType[*CorruptError](err)
	return missing || corrupt
}
