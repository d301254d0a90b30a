package evidence

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
)

// Stage contains the nodes that executed a stage's runs for a driver on another machine.
type Stage struct {
	Address string `json:"stage"`
	Nodes   []Node `json:"nodes"` // sorted by name
}

// Node summarises what a stage's drivers observed about a node.
type Node struct {
	Name      string `json:"node"` // name of the node; empty if unknown
	Hardware  string `json:"hardware,omitempty"`
	Runs      int64  `json:"runs"`
	Throttled int64  `json:"throttled_runs"`   // number of runs slowed by the kernel or the processor
	Failed    int64  `json:"failures"`         // machine failures, and works that failed only on this node
	Lost      int64  `json:"lost_jobs"`        // number of jobs or workers that ended during runs
	NoRun     int64  `json:"jobs_without_run"` // number of jobs or workers that ended before their first run
	// ReferencesS contains the times of the reference work at the start of the latest jobs, in CPU-seconds.
	ReferencesS []float64 `json:"references_s,omitempty"`
	Excluded    string    `json:"excluded,omitempty"`
	Last        string    `json:"last_problem,omitempty"`
}

// maxReferences is the maximum number of reference times to keep.
const maxReferences = 100

// AddReference records the time of the reference work at the start of a job.
func (n *Node) AddReference(seconds float64) {
	n.ReferencesS = append(n.ReferencesS, seconds)
	n.ReferencesS = n.ReferencesS[max(0, len(n.ReferencesS)-maxReferences):]
}

// Reference returns the median of the reference times, and the difference between the longest and the shortest divided
// by the median. Without measurements, both are zero.
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

// nodesName is the item namespace for the nodes of stages.
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
		return nil, err // written by another version
	}
	return all, nil
}

// PutNodes stores a stage's nodes, replacing earlier ones.
func PutNodes(store *cache.Store, address string, all []Node) error {
	for i := range all {
		all[i].clean()
	}
	slices.SortFunc(all, func(a, b Node) int {
		return cmp.Or(len(a.Name)-len(b.Name), strings.Compare(a.Name, b.Name))
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

// clean removes unprintable characters. The names come from workers.
func (n *Node) clean() {
	n.Name, n.Hardware, n.Excluded, n.Last = clean(n.Name), clean(n.Hardware), clean(n.Excluded), clean(n.Last)
}
