package stages

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// Cost is what the runs of an instance will take. Counts and sums are -1 where nothing can be said yet; all of them are
// upper bounds unless Exact, and concern what is not in the store, apart from Runs.
type Cost struct {
	Benchmarks int64 `json:"benchmarks"`
	Solvers    int64 `json:"solvers"`
	Runs       int64 `json:"runs"`        // with those that are reused
	Reused     int64 `json:"runs_reused"` // of them with a record already
	Exact      bool  `json:"runs_exact"`  // the runs are known one by one

	CoresPerRun int64 `json:"cores_per_run"`
	Slots       int64 `json:"runs_at_one_time"`
	// Refused is why this machine cannot make the runs; empty: it can.
	Refused string `json:"refused,omitempty"`

	// If every run used up its limits.
	CPULimitS  float64 `json:"cpu_time_limit_s"`
	WallLimitS float64 `json:"wall_time_limit_s"` // with Slots runs at one time

	// As the runs that are known suggest.
	CPUTimeS  float64 `json:"cpu_time_estimate_s"`
	WallTimeS float64 `json:"wall_time_estimate_s"`
	Basis     string  `json:"estimate_basis,omitempty"` // which runs those are; empty: there is no estimate

	// Node time, where an engine gives nodes or parts of them to jobs; 0: there are none.
	NodeLimitS float64 `json:"node_time_limit_s,omitempty"`
	NodeTimeS  float64 `json:"node_time_estimate_s,omitempty"`

	DiskBytes int64 `json:"disk_estimate_bytes"`
}

// Forecast is what is known while a plan is made.
type Forecast struct {
	Store   *cache.Store
	Jobs    int   // cores that a run of the pipeline would use
	Attempt int64 // of a measured stage

	// Extent tells how many rows the table of an attribute has, at most.
	Extent func(attr string) (x Extent, known bool)
	// Latest are the outputs of the latest record of the same address; nil if there is none.
	Latest map[string]cty.Value
	// Tables gives the tables of a schema among the outputs that are known, in the order of the stages.
	Tables func(schema string) []Artifact
	// Recorded tells which items of a namespace have a record in the store.
	Recorded func(namespace string, keys []cache.Key) ([]bool, error)
}
