package execute

import (
	"context"

	"github.com/smtpipe/smtpipe/internal/stages"
)

// ExecutePartial implements stages.PartialAction: the table has the runs that have a record.
func (act *action) ExecutePartial(ctx context.Context, env *stages.Env) (done, total int64, err error) {
	f, err := act.open(ctx, env)
	if err != nil {
		return 0, 0, err
	}
	missing := f.items.Missing() // ascending
	next := 0
	err = f.writeRuns(func(i int) bool {
		if next < len(missing) && missing[next] == i {
			next++
			return false
		}
		return true
	})
	total = int64(len(f.pairs))
	return total - int64(len(missing)), total, err
}
