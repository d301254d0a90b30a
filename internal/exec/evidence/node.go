package evidence

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// Stage holds the nodes that executed one stage's runs for a driver on another machine.
type Stage struct {
	Address string `json:"stage"`
	Nodes   []Node `json:"nodes"` // sorted by name
}

// Node is what a stage's drivers noticed about one node.
type Node struct {
	Name      string `json:"node"` // empty: not known
	Hardware  string `json:"hardware,omitempty"`
	Runs      int64  `json:"runs"`
	Throttled int64  `json:"throttled_runs"`   // slowed by the kernel or the processor
	Failed    int64  `json:"failures"`         // the machine's failures, and work that only this node could not execute
	Lost      int64  `json:"lost_jobs"`        // jobs or workers that ended during runs
	NoRun     int64  `json:"jobs_without_run"` // jobs or workers that ended before the first run
	// ReferencesS is how long the reference work took at the start of the latest jobs, in CPU-seconds.
	ReferencesS []float64 `json:"references_s,omitempty"`
	Excluded    string    `json:"excluded,omitempty"`
	Last        string    `json:"last_problem,omitempty"`
}

// maxReferences is the number of reference times that are kept.
const maxReferences = 100

// AddReference records how long the reference work took at the start of a job.
func (n *Node) AddReference(seconds float64) {
	n.ReferencesS = append(n.ReferencesS, seconds)
	n.ReferencesS = n.ReferencesS[max(0, len(n.ReferencesS)-maxReferences):]
}

// Reference returns the median of the reference times, and the difference between the longest and the shortest as a
// share of it. Both are zero without measurements.
func (n *Node) Reference() (medianS, spread float64) {
	if len(n.ReferencesS) == 0 {
		return 0, 0
	}
	sorted := slices.Sorted(slices.Values(n.ReferencesS))
	medianS = sorted[len(sorted)/2]
	return medianS, (sorted[len(sorted)-1] - sorted[0]) / medianS
}

// Trouble reports whether anything went wrong on the node.
func (n *Node) Trouble() bool { return n.Failed+n.Lost+n.NoRun > 0 || n.Excluded != "" }

// nodesName is the set of items that holds the nodes of stages.
const nodesName = "nodes"

func nodesKey(address string) cache.Key {
	k := cache.NewKeyWriter("nodes/1")
	k.String("stage", address)
	return k.Key()
}

// FindNodes returns a stage's nodes.
func FindNodes(store *cache.Store, address string) ([]Node, error) {
	items, err := store.Items(nodesName)
	if err != nil {
		return nil, err
	}
	var all []Node
	if record, ok, err := items.Get(nodesKey(address)); err != nil || !ok || json.Unmarshal(record, &all) != nil {
		return nil, err // of another version
	}
	return all, nil
}

// PutNodes stores a stage's nodes and replaces earlier ones.
func PutNodes(store *cache.Store, address string, all []Node) error {
	for i := range all {
		all[i].clean()
	}
	slices.SortFunc(all, func(a, b Node) int {
		return cmp.Or(len(a.Name)-len(b.Name), strings.Compare(a.Name,
			b.Name))
	})
	record, err := json.Marshal(all)
	if err != nil {
		return err
	}
	items, err := store.Items(nodesName)
	if err != nil {
		return err
	}
	return items.Put(nodesKey(address), record)
}

// clean removes characters that cannot be shown. The names come from workers.
func (n *Node) clean() {
	n.Name, n.Hardware, n.Excluded, n.Last = clean(n.Name), clean(n.Hardware), clean(n.Excluded), clean(n.Last)
}
