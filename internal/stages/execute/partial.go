package execute

import (
	"cmp"
	"context"
	"slices"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// ExecutePartial implements stages.PartialAction: the table contains the runs that have a record.
func (act *action) ExecutePartial(ctx context.Context, env *stages.Env) ([]stages.Part, error) {
	f, err := act.open(ctx, env)
	if err != nil {
		return nil, err
	}
	missing := f.items.Missing() // in ascending order
	next := 0
	err = f.writeRuns(func(i int) bool {
		if next < len(missing) && missing[next] == i {
			next++
			return false
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	return f.parts(missing)
}

// parts counts the runs by logic.
func (f *execution) parts(missing []int) ([]stages.Part, error) {
	left, err := f.expect(missing)
	if err != nil {
		return nil, err
	}
	var parts []stages.Part
	at := map[string]int{}
	for _, p := range f.pairs {
		logic := f.scripts[p.script].Logic
		k, seen := at[logic]
		if !seen {
			k = len(parts)
			at[logic], parts = k, append(parts, stages.Part{Track: f.track, Logic: logic})
		}
		parts[k].Total++
		parts[k].Done++
	}
	for _, p := range left {
		part := &parts[at[f.scripts[f.pairs[p.item].script].Logic]]
		part.Done--
		part.LeftS += float64(p.wall)
		if f.early(p.item) {
			part.EarlyLeft++
		}
	}
	for i := range f.scripts {
		s := &f.scripts[i]
		k, entered := at[s.Logic]
		if !entered || s.ScriptSHA256 == "" {
			continue
		}
		parts[k].Benchmarks++
		if comp.InEarlySample(f.digests[i]) {
			parts[k].Early = append(parts[k].Early, s.Benchmark)
		}
	}
	slices.SortFunc(parts, func(a, b stages.Part) int { return cmp.Compare(a.Logic, b.Logic) })
	return parts, nil
}
