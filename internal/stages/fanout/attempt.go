package fanout

import (
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// killedName is the set of items that keeps the first attempts at repeated tasks, by task key. An entry is emptied when
// its task has a record.
const killedName = "killed"

// again reports whether a task must be repeated because an unexplained SIGKILL ended its only attempt. It keeps that
// attempt, even for the next driver, and passes it on with the results of the next attempt.
func (f *Fanout) again(k int, results []*worker.Result) (first string, again bool, err error) {
	killed, err := f.Env.Store.Items(killedName)
	if err != nil {
		return "", false, err
	}
	kept, ok, err := killed.Get(f.Key(k))
	if err != nil {
		return "", false, err
	}
	if ok && len(kept) > 0 && Speaks(f.Env.Store, kept) {
		before, err := run.Decode(kept)
		// An executor may read the first attempt twice from where its worker left it.
		return string(kept), slices.ContainsFunc(results, func(r *worker.Result) bool {
			return r.Record.Started.Unix() == before.Started && r.Record.WallTimeS == before.WallTimeS &&
				r.Record.CPUTimeS == before.CPUTimeS
		}), err
	}
	i := slices.IndexFunc(results, func(r *worker.Result) bool {
		return r.Record.Ending == comp.Signalled && r.Record.Flags.Has(runner.FlagForeignKill)
	})
	if i < 0 || !f.RetryKilled {
		return "", false, nil
	}
	f.Env.Log.Warn("a SIGKILL that smtpipe did not send ended a run; it is executed once more", "run",
		f.Name(k))
	r, err := Keep(f.Env, results[i])
	if err != nil {
		return "", false, err
	}
	return "", true, killed.Put(f.Key(k), r.Encode())
}

// forget removes the first attempt from killedName, once the task's record contains it.
func (f *Fanout) forget(k int) error {
	killed, err := f.Env.Store.Items(killedName)
	if err != nil {
		return err
	}
	return killed.Put(f.Key(k), nil)
}

// Killed reports whether a run was ended by an unexplained SIGKILL.
func Killed(r *run.Record) bool {
	flag := runner.FlagForeignKill.String()
	return r.Ending == comp.Signalled && slices.Contains(strings.Split(r.Flags, ","), flag)
}

// Keep stores a run's output and returns its record.
func Keep(env *stages.Env, result *worker.Result) (run.Record, error) {
	rec := result.Record
	r := run.Record{Measured: rec.Measured, Started: rec.Started.Unix(), Version: env.Version}
	r.AnswerWallTimeS, r.Trace, r.Flags = -1, string(result.Trace), rec.Flags.String()
	r.StdoutBytes, r.StderrBytes = rec.Stdout.Total, rec.Stderr.Total
	if answer, line := answerOf(rec.Lines); answer != comp.AnswerNone {
		r.AnswerWallTimeS, r.FirstAnswer = run.SecondsOf(line.At), string(answer)
	}
	var err error
	if out := rec.Stdout.Bytes(); len(out) <= run.InlineStdout {
		r.Stdout = string(out)
	} else if r.StdoutSHA256, err = put(env.Store, out); err != nil {
		return run.Record{}, err
	}
	if out := rec.Stderr.Bytes(); len(out) > 0 {
		if r.StderrSHA256, err = put(env.Store, out); err != nil {
			return run.Record{}, err
		}
	}
	return r, nil
}

func put(store *cache.Store, b []byte) (string, error) {
	d, err := store.PutBytes(b)
	if err != nil {
		return "", err
	}
	return d.String(), nil
}

// answerOf returns the first line that is an answer.
func answerOf(lines []runner.Line) (answer comp.Answer, line runner.Line) {
	for _, line := range lines {
		if status, err := comp.ParseStatus(strings.TrimSpace(string(line.Text))); err == nil {
			return comp.Answer(status), line
		}
	}
	return comp.AnswerNone, runner.Line{}
}

// Speaks reports whether a record is intact and the outputs of all its attempts exist.
func Speaks(store *cache.Store, record []byte) bool {
	r, err := run.Decode(record)
	if err != nil {
		return false
	}
	// An empty digest means that the record contains the entire output.
	has := func(digest string) bool {
		d, err := cache.ParseDigest(digest)
		return digest == "" || err == nil && (store.Verify(d) == nil || store.Fetch(d) == nil)
	}
	attempts, err := r.Attempts()
	return err == nil && !slices.ContainsFunc(attempts, func(r run.Record) bool {
		return !has(r.StdoutSHA256) || !has(r.StderrSHA256)
	})
}
