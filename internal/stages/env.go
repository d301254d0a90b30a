package stages

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/zclconf/go-cty/cty"
	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
)

// Env provides what an action may use during an execution. The engine creates one for each execution.
type Env struct {
	Store    *cache.Store
	Address  string // the instance's address
	Folder   string // the pipeline's folder, which its relative paths start from
	Temp     string // an empty folder for this execution, removed afterwards
	Jobs     int    // number of the machine's cores that may be used
	Cores    *Cores // acquired by CPU-bound work, because concurrent stages share them
	Attempt  int64  // attempt number of a measured stage, from 0
	Progress Progress
	Log      *slog.Logger
	Items    ItemSource
	// Anywhere means that runs are measured here even if their keys name another machine. The results are compared and
	// then discarded.
	Anywhere bool
	// Distrusted means that the pipeline and its programs come from untrusted sources: programs are executed in full
	// isolation or not at all.
	Distrusted bool
	Repeat     string // the node whose runs are executed again, or empty
	Healing    bool   // the store has lost or damaged content, so a record's blobs may be missing
	Recheck    bool   // the results are compared with recorded ones, so nothing of earlier executions may be reused
	Machine    *Machine
	Version    string       // smtpipe's version
	Decoded    *table.Cache // tables that this process has already decoded, by digest

	// Latest holds the outputs from the latest record for the same address; nil if there is none. Tables returns the
	// known output tables that have a schema. Both are only for estimates; results must not depend on them.
	Latest map[string]cty.Value
	Tables func(schema string) []Artifact

	mu      sync.Mutex // guards outputs
	outputs map[string]cty.Value
	kind    *Kind
	absent  []cache.Absent
}

// NewEnv prepares the outputs of an execution of kind. The caller sets the fields.
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
	// Start announces the number of items and their unit, such as "benchmarks". A total of -1 means unknown. bytes is
	// set if the items are bytes.
	Start(total int64, unit string, bytes bool)
	// Add reports that n more items are done. class, such as sat, groups them for display and may be empty.
	Add(n int64, class string)
	// Fail reports that an item failed, with the cause and a line or two about it. The item counts as done.
	Fail(item, cause, detail string)
	// Expect sets the core-seconds that the whole work is expected to take, and the number of cores that it uses.
	// Without Expect, the number of items measures progress.
	Expect(coreSeconds float64, cores int)
	// Worked reports that work expected to take the given core-seconds is finished.
	Worked(coreSeconds float64)
	// Note describes briefly what happens on other machines, such as "jobs: 3 queued". It replaces the previous note.
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
	// Open finds which of n items have a record in the store. namespace separates items with different purposes. unit
	// is their unit for display, such as "runs". key returns the key of item i; it is called from many goroutines.
	Open(ctx context.Context, namespace, unit string, n int, key func(i int) cache.Key) (Items, error)
}

// Items are the records of one fan-out's items. A record becomes durable within a tenth of a second after Put, even if
// the execution fails later. Items is safe for concurrent use.
type Items interface {
	// Missing returns the numbers of the items without a record, in ascending order.
	Missing() []int
	// Key returns an item's key.
	Key(i int) cache.Key
	// Record returns the item's record, which must exist. The caller must not change it.
	Record(i int) ([]byte, error)
	// Put stores the record of an item that had none. If another stage has stored a record in the meantime, that record
	// stays.
	Put(i int, record []byte) error
	// Recorded reports whether an item has a record now, including records stored after Open.
	Recorded(i int) bool
	// Forget drops an item's record because content that it refers to is lost. One goroutine calls it, before any Put.
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

// SetColumns writes a table, given as columns, as the output name.
func SetColumns[Row any](env *Env, name string, t *results.Table[Row]) error {
	_, err := WriteColumns(env, name, t)
	return err
}

// WriteColumns is like SetColumns, and returns where the table is stored.
func WriteColumns[Row any](env *Env, name string, t *results.Table[Row]) (artifact.Ref, error) {
	digest, size, err := env.Store.Write(t.Write)
	if err != nil {
		return artifact.Ref{}, fmt.Errorf("output %s: %w", name, err)
	}
	art := artifact.Ref{Schema: results.SchemaOf[Row]().Name, Digest: digest, Rows: int64(t.Len()), SizeBytes: size}
	return art, env.Set(name, ArtifactVal(art))
}

// SetAll calls functions that set outputs, concurrently. It returns the error of the first one, in order, that fails.
func (e *Env) SetAll(ctx context.Context, set ...func() error) error {
	errs := make([]error, len(set))
	err := e.Each(ctx, len(set), func(_ context.Context, i int) error {
		errs[i] = set[i]() // returning it would make the error that is reported depend on chance
		return nil
	})
	return cmp.Or(err, cmp.Or(errs...))
}

// Set sets an output to a value of its declared type. It may be called concurrently.
func (e *Env) Set(name string, v cty.Value) error {
	out := e.kind.Output(name)
	if out == nil {
		return fmt.Errorf("stage %s has no output %q", e.kind.Name, name)
	}
	if !v.Type().Equals(out.Type) {
		return fmt.Errorf("output %s of stage %s is a %s, want a %s", name, e.kind.Name, v.Type().FriendlyName(),
			out.Type.FriendlyName())
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.outputs[name] = v
	return nil
}

// Exclude records that an entrant cannot take part, for a reason that lies with the entrant. The stage continues with
// the other entrants. For a failure caused by the machine, the stage must return an error instead, because it should be
// retried.
func (e *Env) Exclude(entrant string, reason error) {
	e.absent = append(e.absent, cache.Absent{Entrant: entrant, Reason: reason.Error()})
	e.Log.Warn(fmt.Sprintf("%s cannot take part: %v", entrant, reason))
}

// Absent returns the entrants that were excluded.
func (e *Env) Absent() []cache.Absent { return e.absent }

// Finish returns all outputs, or an error that names the first output that was not set.
func (e *Env) Finish() (map[string]cty.Value, error) {
	for _, out := range e.kind.Outputs {
		if _, ok := e.outputs[out.Name]; !ok {
			return nil, fmt.Errorf("stage %s did not set its output %q", e.kind.Name, out.Name)
		}
	}
	return e.outputs, nil
}

// Each calls do for the numbers 0 to n-1, concurrently on all cores, and acquires one core for each call. After all
// calls in progress have returned, it returns the first error.
func (e *Env) Each(ctx context.Context, n int, do func(ctx context.Context, i int) error) error {
	return e.EachRun(ctx, n, e.Jobs, 1, do)
}

// EachRun is like Each for calls that need several cores. At most workers calls run concurrently.
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

// Reserve waits for cores of this machine, which all stages share.
func (e *Env) Reserve(ctx context.Context, cores int) (release func(), err error) {
	weight := int64(min(max(cores, 1), e.Jobs))
	if err := e.Cores.Acquire(ctx, weight); err != nil {
		return nil, context.Cause(ctx)
	}
	return func() { e.Cores.Release(weight) }, nil
}
