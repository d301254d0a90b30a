package scoreio

import (
	"sync"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/divisions"
)

// Divide defines a competition's tracks, and the division of each logic in a track. A nil Divide means the tracks of
// comp.ParseTrack and the divisions in the rows.
type Divide struct {
	Kinds comp.Kinds // the competition's own tracks

	// Of returns a logic's division in a track. It may be called concurrently.
	Of func(track, logic string) string
}

// DivideBy looks up a logic's division in own, then in the table, and otherwise uses the logic itself. kinds holds the
// competition's own tracks.
func DivideBy(table divisions.Table, own map[string]string, kinds comp.Kinds) *Divide {
	type key struct{ track, logic string }
	var mu sync.Mutex
	known := map[key]string{}
	find := func(track, logic string) string {
		if d, ok := own[logic]; ok {
			return d
		}
		if d, ok := table.Of(track, comp.Logic(logic)); ok {
			return string(d)
		}
		return logic
	}
	return &Divide{kinds, func(track, logic string) string {
		k := key{track, logic}
		mu.Lock()
		defer mu.Unlock()
		d, ok := known[k]
		if !ok {
			d = find(track, logic)
			known[key{track, string(append([]byte(nil), logic...))}] = d
		}
		return d
	}}
}
