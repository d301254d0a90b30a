package scoreio

import (
	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/comp/divisions"
)

// Divide gives the division of a logic in a track.
type Divide func(track, logic string) string

// DivideBy returns the division of a logic as own says, as the table says, or else the logic itself.
func DivideBy(table divisions.Table, own map[string]string) Divide {
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
	return func(track, logic string) string {
		k := key{track, logic}
		d, ok := known[k]
		if !ok {
			d = find(track, logic)
			known[key{track, string(append([]byte(nil), logic...))}] = d
		}
		return d
	}
}
