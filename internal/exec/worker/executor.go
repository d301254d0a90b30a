package worker

import (
	"context"
	"log/slog"

	"github.com/zclconf/go-cty/cty"
)

// Executor executes orders somewhere.
type Executor interface {
	// Hello returns the place, and the useful number of concurrent runs.
	Hello() Hello
	// Execute executes the works of an order; many goroutines may call it. It returns when each task has a result or is
	// withdrawn. An error means that the executor itself failed, that Works or Take did, or that ctx ended. Works may
	// then still be in progress elsewhere, and the next order of the same works finds them.
	Execute(ctx context.Context, o *Order) error
	// Close ends the executor. No call of Execute may be going on.
	Close() error
}

// Kind is a kind of executor, the meaning of a block executor "NAME" in a pipeline.
type Kind struct {
	Name string
	Doc  string
	// Attrs are the attributes of the block, without isolation and jobs, which all kinds have, and hardware, which all
	// kinds except Here have.
	Attrs []Attr
	// Here means that runs take the cores of the driver's machine, and use its programs and hardware. The runs of an
	// executor elsewhere carry the digests of their programs.
	Here bool
	// PerJob returns the number of concurrent runs of a job, for a kind whose attribute jobs is the number of
	// concurrent jobs; nil if it is the number of runs.
	PerJob func(h Header, settings map[string]cty.Value) int
	// Open starts the executor. It fails if the runs cannot have what the header requires.
	Open func(ctx context.Context, o Options) (Executor, error)
}

// Attr is an attribute of the block of one kind of executor.
type Attr struct {
	Name     string
	Type     cty.Type
	Required bool // it is given, and neither empty nor null
	Doc      string
}

// Options holds the parameters for opening an executor.
type Options struct {
	Header
	// Settings holds the values of the kind's Attrs by name, null if not given.
	Settings map[string]cty.Value
	Folder   string       // of the pipeline, for paths in settings
	State    string       // a folder of this stage and machine for files that must outlive the process
	Log      *slog.Logger // for errors that are retried
}
