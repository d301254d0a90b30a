package stages

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// Env is what an action may use while it executes. The engine makes one for every execution.
type Env struct {
	Store    *cache.Store
	Address  string // of the instance
	Folder   string // the pipeline's folder, for paths in it
	Temp     string // an empty folder of its own, removed afterwards
	Jobs     int    // cores of the machine that may be used
	Cores    *Cores // taken by work that keeps cores busy, so that concurrent stages share them
	Attempt  int64  // of a measured stage: which attempt this is, from 0
	Progress Progress
	Log      *slog.Logger
	Items    ItemSource
	Anywhere bool // runs are measured here, whatever machine their keys name: only for comparison, not to be kept
	// Distrusted means that the pipeline and its programs come from strangers: programs are executed in full isolation
	// or not at all.
	Distrusted bool
	Repeat     string // runs of this node are executed again; empty: none
	Healing    bool   // content of the store is lost or damaged: blobs of a record may be missing
	Machine    *Machine
	Version    string       // of smtpipe
	Decoded    *table.Cache // tables that this process has decoded, by digest

	// Latest holds the outputs of the latest record of the same address; nil if there is none. Tables returns the
	// tables of a schema among the known outputs. Both serve estimates and must not change a result.
	Latest map[string]cty.Value
	Tables func(schema string) []Artifact

	outputs map[string]cty.Value
	kind    *Kind
	absent  []cache.Absent
}

// NewEnv prepares the outputs of an execution of kind; the caller fills in the fields.
func NewEnv(kind *Kind) *Env {
	return &Env{
		Jobs:     1,
		Cores:    NewCores(1),
		Progress: Silent{},
		Machine:  &Machine{},
		Decoded:  &table.Cache{},
		Tables:   func(string) []Artifact { return nil },
		Log:      slog.New(slog.DiscardHandler),
		kind:     kind,
		outputs:  map[string]cty.Value{},
	}
}

// Progress receives the progress of an execution. It may be called from many goroutines.
type Progress interface {
	// Start announces the number of things and their unit, such as "benchmarks". A total of -1 means unknown. bytes is
	// set if the things are bytes.
	Start(total int64, unit string, bytes bool)
	// Add says that n more are done. class groups them for display, such as sat; it may be empty.
	Add(n int64, class string)
	// Fail reports that one item is done and failed, with the cause and a line or two about it.
	Fail(item, cause, detail string)
	// Expect sets how many core-seconds the whole work will take, and on how many cores it runs. Without it, progress
	// is measured by the number of things.
	Expect(coreSeconds float64, cores int)
	// Worked reports finished work that was expected to take the given core-seconds.
	Worked(coreSeconds float64)
	// Note describes in a few words what happens elsewhere, such as "jobs: 3 queued". It replaces the previous note.
	Note(text string)
}

// Silent is a Progress that discards everything.
type Silent struct{}

// Start does nothing.
func (Silent) Start(int64, string, bool) {}

// Add does nothing.
func (Silent) Add(int64, string) {}

// Fail does nothing.
func (Silent) Fail(string, string, string) {}

// Expect does nothing.
func (Silent) Expect(float64, int) {}

// Worked does nothing.
func (Silent) Worked(float64) {}

// Note does nothing.
func (Silent) Note(string) {}

// ItemSource opens the records of a fan-out's items.
type ItemSource interface {
	// Open finds which of n items have a record in the store. namespace separates items of one sort from others. unit
	// names them, such as "runs". key returns the key of item i; it is called from many goroutines.
	Open(ctx context.Context, namespace, unit string, n int, key func(i int) cache.Key) (Items, error)
}

// Items are the records of the items of one fan-out. A record survives the process soon after Put, within a tenth of a
// second, even if the execution as a whole fails. Items is safe for concurrent use.
type Items interface {
	// Missing returns the numbers of the items without a record, ascending.
	Missing() []int
	// Key returns the key of an item.
	Key(i int) cache.Key
	// Record returns the record of an item that has one. The caller must not change it.
	Record(i int) ([]byte, error)
	// Put stores the record of an item that has none. If another stage has stored one in the meantime, that record
	// stays.
	Put(i int, record []byte) error
	// Recorded reports whether an item has a record by now, even if it had none before.
	Recorded(i int) bool
	// Forget drops the record of an item, because content that it refers to is lost. It is called before any Put, by
	// one goroutine.
	Forget(i int)
	// Close makes all records durable.
	Close() error
}

// SetTable writes rows as the table output name. It is a function because methods cannot have type parameters.
func SetTable[Row any](env *Env, name string, rows []Row) error {
	art, err := artifact.WriteTable(env.Store, rows)
	if err != nil {
		return fmt.Errorf("output %s: %w", name, err)
	}
	return env.Set(name, ArtifactVal(art))
}

// SetColumns writes a table that is given by its columns as the output name.
func SetColumns[Row any](env *Env, name string, t *results.Table[Row]) (artifact.Ref, error) {
	digest, size, err := env.Store.Write(t.Write)
	if err != nil {
		return artifact.Ref{}, fmt.Errorf("output %s: %w", name, err)
	}
	art := artifact.Ref{Schema: results.SchemaOf[Row]().Name, Digest: digest, Rows: int64(t.Len()), SizeBytes: size}
	return art, env.Set(name, ArtifactVal(art))
}

// Set sets an output to a value of its declared type.
func (e *Env) Set(name string, v cty.Value) error {
	out := e.kind.Output(name)
	if out == nil {
		return fmt.Errorf("stage %s has no output %q", e.kind.Name, name)
	}
	if !v.Type().Equals(out.Type) {
		return fmt.Errorf("output %s of stage %s is a %s, want a %s", name, e.kind.Name, v.Type().FriendlyName(),
			out.Type.FriendlyName())
	}
	e.outputs[name] = v
	return nil
}

// Exclude notes that an entrant cannot take part, for a reason of its own. The stage continues with the others. A
// failure caused by the machine must be an error of the stage instead, so that it is retried.
func (e *Env) Exclude(entrant string, reason error) {
	e.absent = append(e.absent, cache.Absent{Entrant: entrant, Reason: reason.Error()})
	e.Log.Warn(fmt.Sprintf("%s cannot take part: %v", entrant, reason))
}

// Absent returns the entrants that were excluded.
func (e *Env) Absent() []cache.Absent { return e.absent }

// Finish returns all outputs, or an error that names the first that was not set.
func (e *Env) Finish() (map[string]cty.Value, error) {
	for _, out := range e.kind.Outputs {
		if _, ok := e.outputs[out.Name]; !ok {
			return nil, fmt.Errorf("stage %s did not set its output %q", e.kind.Name, out.Name)
		}
	}
	return e.outputs, nil
}

// Each calls do for the numbers 0 to n-1, concurrently on all cores, and takes one core for each call. It returns the
// first error, after all calls in progress have returned.
func (e *Env) Each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	return e.EachRun(ctx, n, e.Jobs, 1, do)
}

// EachRun is Each for calls that take several cores, at most workers of them concurrently.
func (e *Env) EachRun(ctx context.Context, n, workers, cores int, do func(ctx context.Context, i int) error) error {
	group, inner := errgroup.WithContext(ctx)
	group.SetLimit(max(workers, 1))
	for i := range n {
		if inner.Err() != nil {
			break
		}
		group.Go(func() error {
			release, err := e.Reserve(inner, cores)
			if err != nil {
				return err
			}
			defer release()
			return do(inner, i)
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// Reserve waits for cores of this machine, which the stages share.
func (e *Env) Reserve(ctx context.Context, cores int) (release func(), err error) {
	weight := int64(min(max(cores, 1), e.Jobs))
	if err := e.Cores.Acquire(ctx, weight); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { e.Cores.Release(weight) }, nil
}
