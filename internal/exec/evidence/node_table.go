package evidence

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/cache"
)

// WriteNodes writes a table of the stages' nodes if anything went wrong on any of them.
func WriteNodes(w io.Writer, store *cache.Store, addresses []string) error {
	for _, address := range addresses {
		nodes, err := FindNodes(store, address)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(nodes, func(n Node) bool { return n.Trouble() }) {
			continue
		}
		fmt.Fprintf(w, "Nodes used by %s since its first execution:\n", address)
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		fmt.Fprintln(t, "  node\truns\tfailures\tlost jobs\tjobs without run\tlast problem")
		for i := range nodes {
			n := &nodes[i]
			last := n.Last
			if n.Excluded != "" {
				last = "excluded: " + n.Excluded
			}
			fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\n", cmp.Or(n.Name, "not known"), words.Thousands(n.Runs),
				words.Thousands(n.Failed),
				words.Thousands(n.Lost), words.Thousands(n.NoRun), last)
		}
		if err := t.Flush(); err != nil {
			return err
		}
	}
	return nil
}
