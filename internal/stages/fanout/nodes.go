package fanout

import (
	"cmp"
	"slices"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// originsName is the set of items that records which node executed each run, by the run's key.
const originsName = "origins"

// noteOrigin records which node executed a task.
func (f *Fanout) noteOrigin(k int, results []*worker.Result) error {
	if f.Site.Kind.Here {
		return nil
	}
	f.Site.node(results[0].Host, func(n *evidence.Node) {
		for _, r := range results {
			if n.Runs++; r.Record.Flags.Has(runner.FlagThrottled) {
				n.Throttled++
			}
		}
	})
	origins, err := f.Env.Store.Items(originsName)
	if err != nil {
		return err
	}
	return origins.Put(f.Key(k), []byte(results[0].Host))
}

// Without removes the keys of runs that a node executed from the keys with records.
func Without(store *cache.Store, node string, keys []cache.Key, have []bool) error {
	origins, err := store.Items(originsName)
	if err != nil {
		return err
	}
	for i, k := range keys {
		if !have[i] {
			continue
		}
		host, ok, err := origins.Get(k)
		if err != nil {
			return err
		}
		have[i] = !ok || string(host) != node
	}
	return nil
}

// Forget forgets the items that a node executed, and returns their number.
func Forget(store *cache.Store, items stages.Items, n int, node string) (forgotten int, err error) {
	keys, others := make([]cache.Key, n), slices.Repeat([]bool{true}, n)
	for i := range n {
		keys[i] = items.Key(i)
	}
	if err := Without(store, node, keys, others); err != nil {
		return 0, err
	}
	missing := slices.Clone(items.Missing())
	for i := range n {
		if _, none := slices.BinarySearch(missing, i); !none && !others[i] {
			items.Forget(i)
			forgotten++
		}
	}
	return forgotten, nil
}

// node updates what is known about a node. Only remote executors have nodes.
func (s *Site) node(name string, change func(n *evidence.Node)) {
	if s.Kind.Here {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.nodes, func(n evidence.Node) bool { return n.Name == name })
	if i < 0 {
		i = len(s.nodes)
		s.nodes = append(s.nodes, evidence.Node{Name: name})
	}
	change(&s.nodes[i])
	s.changed = true
}

// noteHello notes that a remote worker has connected.
func (s *Site) noteHello(h worker.Hello) {
	s.noteMachine(h)
	s.node(h.Host, func(n *evidence.Node) {
		if n.Hardware = h.Hardware; h.ReferenceS > 0 {
			n.AddReference(h.ReferenceS)
		}
	})
}

// noteEvent counts a node's event.
func (s *Site) noteEvent(e worker.Event) {
	s.node(e.Node, func(n *evidence.Node) {
		switch n.Last = cmp.Or(e.Text, n.Last); e.Kind {
		case worker.Lost:
			n.Lost++
		case worker.NoRun:
			n.NoRun++
		case worker.Failed:
			n.Failed++
		case worker.Excluded:
			n.Excluded = e.Text
		case worker.Admitted:
			n.Excluded = ""
		}
	})
}

// keepNodes stores the nodes if they have changed since they were last stored.
func (s *Site) keepNodes() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.changed {
		return
	}
	if err := evidence.PutNodes(s.env.Store, s.env.Address, s.nodes); err != nil {
		s.Log.Warn("the nodes cannot be noted in the store", "error", err)
		return
	}
	s.changed = false
}
