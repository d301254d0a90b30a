package scramble

import (
	"context"
	"fmt"
	"strconv"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// maxScript is the maximum output size of a "command" block's program.
const maxScript = 1 << 28

// transform writes the scripts of the benchmarks in todo with the program.
func (act *action) transform(ctx context.Context, env *stages.Env, rows []results.BenchmarkRow, digests []cache.Digest,
	todo []int, items stages.Items, scripts []results.ScriptRow) error {
	// First store the benchmarks themselves, which may be in archives.
	err := act.make(ctx, env, rows, digests, todo, func(int, results.ScriptRow) error { return nil })
	if err != nil {
		return err
	}
	for _, i := range todo {
		items.Forget(i)
	}
	err = fanout.Each(ctx, env, act.tool.Place, act.tool.Limits, "command", items,
		func(i int) string { return rows[i].Path },
		func(i int, site *fanout.Site, id string) (*worker.Work, []byte, error) {
			content, err := env.Store.ReadBytes(digests[i])
			if err != nil {
				return nil, nil, err
			}
			w, err := act.tool.Work(id, site, [][]byte{content}, strconv.FormatInt(act.seed, 10))
			if err == nil {
				w.About = &worker.About{Benchmark: rows[i].Path, Logic: rows[i].Logic, Solver: "command",
					Track: act.kind.String()}
			}
			return w, nil, err
		},
		func(i int, r *worker.Result) ([]byte, error) {
			return act.record(env, newRow(&rows[i], act.track), r)
		})
	if err != nil {
		return err
	}
	for _, i := range todo {
		record, err := items.Record(i)
		if err == nil {
			err = decode(record, &scripts[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// record stores a script that the program printed, and returns its record.
func (act *action) record(env *stages.Env, row results.ScriptRow, r *worker.Result) ([]byte, error) {
	rec := r.Record
	switch {
	case rec.Ending != comp.Exited:
		row.Problem = fmt.Sprintf("the program %s was ended: %s", act.tool.Program.Name, rec.Ending)
	case rec.ExitCode != 0:
		row.Problem = fmt.Sprintf("program %s failed with exit code %d: %.200s", act.tool.Program.Name,
			rec.ExitCode, rec.Stderr.Bytes())
	case rec.Flags.Has(runner.FlagTruncated):
		row.Problem = fmt.Sprintf("program %s printed more than %d bytes", act.tool.Program.Name, maxScript)
	}
	if row.Problem != "" {
		env.Progress.Fail(row.Benchmark, "rejected by the command", row.Problem)
		return encode(&row), nil
	}
	script := rec.Stdout.Bytes()
	d, err := env.Store.PutBytes(script)
	row.ScriptSHA256, row.SizeBytes = d.String(), int64(len(script))
	return encode(&row), err
}
