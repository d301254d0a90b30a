package worker

import (
	"context"
	"log/slog"

	"github.com/zclconf/go-cty/cty"
)

// Executor executes orders somewhere.
type Executor interface {
	// Hello returns a description of the place, and the useful number of concurrent runs.
	Hello() Hello
	// Execute executes an order's works. It is safe for concurrent use. It returns when each task has a result or is
	// withdrawn. An error means that the executor itself, Works or Take failed, or that ctx ended. Works may then still
	// be in progress elsewhere, and the next order for the same works finds them.
	Execute(ctx context.Context, o *Order) error
	// Close ends the executor. No call of Execute may be in progress.
	Close() error
}

// Kind is a kind of executor. It implements the block executor "NAME" in a pipeline.
type Kind struct {
	Name string
	Doc  string
	// Attrs are the block's attributes, without isolation and jobs, which all kinds have, and without hardware, which
	// all kinds except Here have.
	Attrs []Attr
	// Here means that runs use the cores, programs and hardware of the driver's machine. The runs of other executors
	// carry their programs' digests.
	Here bool
	// PerJob returns a job's number of concurrent runs, for a kind with an attribute jobs that counts concurrent jobs.
	// It is nil if the attribute counts runs.
	PerJob func(h Header, settings map[string]cty.Value) int
	// Open starts the executor. It fails if it cannot provide what the header requires.
	Open func(ctx context.Context, o Options) (Executor, error)
}

// Attr is an attribute in the block of one kind of executor.
type Attr struct {
	Name     string
	Type     cty.Type
	Required bool // must be set to a value that is neither empty nor null
	Doc      string
}

// Options holds the parameters for opening an executor.
type Options struct {
	Header
	// Settings holds the values of the kind's Attrs by name, or null if not set.
	Settings map[string]cty.Value
	Folder   string       // the pipeline's folder, for paths in settings
	State    string       // a folder for this stage and machine, for files that must outlive the process
	Log      *slog.Logger // for errors that are retried
}
