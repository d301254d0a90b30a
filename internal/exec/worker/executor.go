package worker

import (
	"context"
	"log/slog"

	"github.com/zclconf/go-cty/cty"
)

// Executor executes orders in some place.
type Executor interface {
	// Hello describes that place and states the useful number of concurrent runs.
	Hello() Hello
	// Execute executes an order's works. It is safe for concurrent use. It returns when each task has a result or is
	// withdrawn. It returns an error if the executor itself, Works or Take failed, or if ctx ended. Works may then
	// still be in progress elsewhere; the next order for the same works finds their results.
	Execute(ctx context.Context, o *Order) error
	// Close ends the executor. It must not be called while Execute is running.
	Close() error
}

// Kind is a kind of executor. It implements the block executor "NAME" of a pipeline.
type Kind struct {
	Name string
	Doc  string
	// Attrs are the kind's own attributes, without isolation and jobs, which all kinds support, and hardware, which all
	// kinds except Here support.
	Attrs []Attr
	// Here means that runs use the cores, programs and hardware of the driver's machine. Other kinds send the digests
	// of programs with their runs.
	Here bool
	// PerJob returns the number of concurrent runs per job, for a kind whose attribute jobs counts concurrent jobs. It
	// is nil if the attribute counts runs.
	PerJob func(h Header, settings Settings) int
	// Open starts the executor. It returns an error if the executor cannot meet the header's requirements.
	Open func(ctx context.Context, o Options) (Executor, error)
}

// Attr is an attribute in the executor block of one kind.
type Attr struct {
	Name     string
	Type     cty.Type
	Required bool // whether the value must be set, and neither empty nor null
	Doc      string
}

// Settings contains the values of attributes by name; unset values are null or missing.
type Settings map[string]cty.Value

// Has reports whether an attribute is set.
func (s Settings) Has(name string) bool {
	v, ok := s[name]
	return ok && !v.IsNull()
}

// Text returns an attribute's text, or "" if the attribute is not set.
func (s Settings) Text(name string) string {
	if !s.Has(name) {
		return ""
	}
	return s[name].AsString()
}

// Holds reports whether a Boolean attribute is set to true.
func (s Settings) Holds(name string) bool { return s.Has(name) && s[name].True() }

// List returns the strings in a list attribute.
func (s Settings) List(name string) []string {
	if !s.Has(name) {
		return nil
	}
	var all []string
	for _, v := range s[name].AsValueSlice() {
		all = append(all, v.AsString())
	}
	return all
}

// Options are the parameters for opening an executor.
type Options struct {
	Header
	Settings Settings     // values of the kind's Attrs
	Folder   string       // folder of the pipeline, for paths in settings
	State    string       // folder for files of this stage and machine that must outlive the process
	Log      *slog.Logger // receives errors that are retried
}
