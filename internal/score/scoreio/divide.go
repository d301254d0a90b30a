package scoreio

import (
	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/comp/divisions"
)

// Divide says which tracks there are, and the division of a logic in a track. nil: the tracks that comp.ParseTrack
// knows, and the divisions that the rows have.
type Divide struct {
	kinds comp.Kinds

	// Of gives the division of a logic in a track.
	Of func(track, logic string) string
}

// DivideBy returns the division of a logic as own says, as the table says, or else the logic itself. kinds are the
// tracks of the competition's own.
func DivideBy(table divisions.Table, own map[string]string, kinds comp.Kinds) *Divide {
	type key struct{ track, logic string }
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
		d, ok := known[k]
		if !ok {
			d = find(track, logic)
			known[key{track, string(append([]byte(nil), logic...))}] = d
		}
		return d
	}}
}
