package stages

import (
	"errors"
	"fmt"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/data/results"
)

// CheckPublished returns an error unless values of a type can be written to a path: a table to a file with the
// extension of a known format, a tree to a folder, a blob to any file, and a value without artifacts as JSON. A dynamic
// type is accepted, because it is not known yet.
func CheckPublished(t cty.Type, name string) error {
	switch {
	case t == cty.DynamicPseudoType, t.Equals(BlobType):
		return nil
	case t.Equals(TreeType):
		if _, err := results.FormatOf(name); err == nil {
			return fmt.Errorf("%q is the name of a file, and a tree is written as a folder; write for example \"site\"",
				name)
		}
		return nil
	case IsArtifact(t):
		_, err := results.FormatOf(name)
		return err
	case HoldsCapsule(t):
		return errors.New("a value with tables, trees or files in it cannot be written to one place; write an output " +
			"with for_each, which gives each a path of its own")
	}
	if format, err := results.FormatOf(name); err == nil && format != results.JSON {
		return fmt.Errorf("a value that is not a table is written as JSON, but the name %q says otherwise; end it "+
			"in .json", name)
	}
	return nil
}

// HoldsCapsule reports whether values of a type contain artifacts or files.
func HoldsCapsule(t cty.Type) bool {
	switch {
	case t.IsCollectionType():
		return HoldsCapsule(t.ElementType())
	case t.IsTupleType():
		for _, e := range t.TupleElementTypes() {
			if HoldsCapsule(e) {
				return true
			}
		}
	case t.IsObjectType():
		for _, e := range t.AttributeTypes() {
			if HoldsCapsule(e) {
				return true
			}
		}
	}
	return t.IsCapsuleType()
}
