package stages

import (
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// Cost is the expected cost of an instance's runs. Unknown counts and sums are -1. All are upper bounds unless Exact is
// set. Except for Runs, they count only runs that are not in the store.
type Cost struct {
	Benchmarks int64 `json:"benchmarks"`
	Solvers    int64 `json:"solvers"`
	Runs       int64 `json:"runs"`        // including reused runs
	Reused     int64 `json:"runs_reused"` // runs that have a record
	Exact      bool  `json:"runs_exact"`  // each run is known individually

	CoresPerRun int64 `json:"cores_per_run"`
	Slots       int64 `json:"runs_at_one_time"`
	// Refused is the reason why this machine cannot execute the runs, or empty.
	Refused string `json:"refused,omitempty"`

	Times
	// Basis names the known runs that the estimate is based on. It is empty if there is no estimate.
	Basis string `json:"estimate_basis,omitempty"`

	// NodeLimitS and NodeTimeS are node times on an engine that assigns nodes or parts of nodes to jobs; otherwise 0.
	NodeLimitS float64 `json:"node_time_limit_s,omitempty"`
	NodeTimeS  float64 `json:"node_time_estimate_s,omitempty"`

	DiskBytes int64 `json:"disk_estimate_bytes"`
}

// Times holds the times that runs may take.
type Times struct {
	// CPULimitS and WallLimitS are the times if every run reaches its limits.
	CPULimitS  float64 `json:"cpu_time_limit_s"`
	WallLimitS float64 `json:"wall_time_limit_s"` // with Slots concurrent runs

	// CPUTimeS and WallTimeS are estimated from known runs.
	CPUTimeS  float64 `json:"cpu_time_estimate_s"`
	WallTimeS float64 `json:"wall_time_estimate_s"`
}

// Forecast holds the facts that are known during planning.
type Forecast struct {
	Store   *cache.Store
	Jobs    int    // cores that executing the pipeline would use
	Attempt int64  // attempt number of a measured stage
	Repeat  string // the same as Env.Repeat

	// Extent returns an upper bound on the rows of an attribute's table.
	Extent func(attr string) (x Extent, known bool)
	// Latest holds the outputs from the latest record for the same address; nil if there is none.
	Latest map[string]cty.Value
	// Tables returns the known output tables that have a schema, in stage order.
	Tables func(schema string) []Artifact
	// Recorded reports which items of a namespace have a record in the store.
	Recorded func(namespace string, keys []cache.Key) ([]bool, error)
}
