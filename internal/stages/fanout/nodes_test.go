package fanout

import (
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// TestNodes checks that events are counted per node, and that the next driver continues counting.
func TestNodes(t *testing.T) {
	store, err := cache.Open(t.TempDir(), cache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	const address = "stage.execute.x"
	for run := range 3 {
		s := &Site{env: &stages.Env{Store: store, Address: address, Progress: stages.Silent{}}}
		s.Kind, s.Log = &worker.Kind{}, slog.Default()
		if s.nodes, err = evidence.FindNodes(store, address); err != nil {
			t.Fatal(err)
		}
		for _, e := range []worker.Event{
			{Node: "n10", Kind: worker.Lost, Text: "NODE_FAIL"}, {Node: "n2", Kind: worker.NoRun, Text: "no folder"},
			{Node: "n2", Kind: worker.Excluded, Text: "no\nfolder"}, {Node: "n2", Kind: worker.Failed,
				Text: "fork\x1b"},
		} {
			s.noteEvent(e)
		}
		s.noteHello(worker.Hello{Host: "n10", Hardware: "Xeon", ReferenceS: float64(run)})
		s.node("n10", func(n *evidence.Node) { n.Runs += 3 })
		s.keepNodes()
	}
	got, err := evidence.FindNodes(store, address)
	want := []evidence.Node{{Name: "n2", NoRun: 3, Failed: 3, Excluded: "no folder", Last: "fork"},
		{Name: "n10", Hardware: "Xeon", Runs: 9, Lost: 3,
			ReferencesS: []float64{1, 2}, Last: "NODE_FAIL"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v; (-want +got)\n%s", err, diff)
	}
	if other, err := evidence.FindNodes(store, "stage.execute.y"); err != nil || other != nil {
		t.Errorf("another stage has %v, error %v", other, err)
	}
}
