package worker

import (
	"context"
	"log/slog"

	"github.com/zclconf/go-cty/cty"
)

// Executor executes works somewhere.
type Executor interface {
	// Hello says where, and how many calls of Execute at one time are of use.
	Hello() Hello
	// Execute executes one work and waits for its result; many goroutines may call it. A run that failed has a result
	// with a Failure. An error means that the executor itself failed, or that ctx ended before there was a result.
	Execute(ctx context.Context, w *Work) (*Result, error)
	// Close ends the executor. No call of Execute may be going on.
	Close() error
}

// Kind is a kind of executor: what a block executor "NAME" in a pipeline means.
type Kind struct {
	Name string
	Doc  string
	// Attrs are the attributes of the block beside isolation and jobs, which all kinds have, and hardware, which all
	// kinds have that are not Here.
	Attrs []Attr
	// Here says that runs take the cores of the driver's machine, and that programs and hardware are the driver's. The
	// runs of an executor elsewhere carry the digests of their programs.
	Here bool
	// PerJob says how many runs a job executes at one time, of a kind whose attribute jobs is how many jobs there are
	// at one time; nil: it is how many runs.
	PerJob func(h Header, settings map[string]cty.Value) int
	// Open starts the executor. It fails if the runs cannot have what the header asks for.
	Open func(ctx context.Context, o Options) (Executor, error)
}

// Attr is an attribute of the block of one kind of executor.
type Attr struct {
	Name     string
	Type     cty.Type
	Required bool // it is there, and neither empty nor null
	Doc      string
}

// Options are what an executor is opened with.
type Options struct {
	Header
	// Settings are the values of the kind's Attrs by name, null where none was given.
	Settings map[string]cty.Value
	Folder   string       // of the pipeline, for paths in settings
	State    string       // a folder for what must outlive the process, of this stage and machine only
	Log      *slog.Logger // of what goes wrong and is tried again
}
