package validate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/runner"
	"github.com/smtpipe/smtpipe/internal/stages"
	judge "github.com/smtpipe/smtpipe/internal/validate"
	"github.com/smtpipe/smtpipe/internal/validate/model"
	"github.com/smtpipe/smtpipe/internal/worker"
	"github.com/smtpipe/smtpipe/internal/worker/local"
)

// opinion is the verdict of one block's program on one response.
type opinion struct {
	second *second
	judge.Opinion
}

// askSeconds asks for the second opinions on the models that have been checked. Each is asked once for a script, a
// response and a program, whichever pipelines they occur in.
func (j *judging) askSeconds(ctx context.Context, env *stages.Env, runs []results.RunRow) error {
	j.opinions = map[int][]opinion{}
	for i := range j.seconds {
		s := &j.seconds[i]
		if err := j.askSecond(ctx, env, runs, s); err != nil {
			return fmt.Errorf("second opinion %q: %w", s.name, err)
		}
	}
	return nil
}

func (j *judging) askSecond(ctx context.Context, env *stages.Env, runs []results.RunRow, s *second) error {
	var which []int
	for i := range runs {
		if checked, ok := j.models[i]; ok && j.asks(s, &runs[i], checked) {
			which = append(which, i)
		}
	}
	if len(which) == 0 {
		return nil
	}
	items, err := env.Items.Open(ctx, "opinions", "opinions", len(which),
		func(k int) cache.Key { return opinionKey(s, &runs[which[k]]) })
	if err != nil {
		return err
	}
	missing := firstOfEach(items, items.Missing())
	if len(missing) > 0 {
		err = j.askMissing(ctx, env, s, len(missing), func(m int) *results.RunRow { return &runs[which[missing[m]]] },
			func(m int, o judge.Opinion) error {
				return items.Put(missing[m], []byte(string(o.Verdict)+"\n"+o.Said))
			})
	}
	if closeErr := items.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	for k, i := range which {
		b, err := items.Record(k)
		if err != nil {
			return err
		}
		verdict, said, _ := strings.Cut(string(b), "\n")
		j.opinions[i] = append(j.opinions[i], opinion{s, judge.Opinion{Verdict: judge.ModelVerdict(verdict),
			Said: said}})
	}
	return nil
}

// firstOfEach keeps one item of each key: two solvers may have printed the same model.
func firstOfEach(items stages.Items, missing []int) []int {
	seen := make(map[cache.Key]bool, len(missing))
	return slices.DeleteFunc(slices.Clone(missing), func(i int) bool {
		known := seen[items.Key(i)]
		seen[items.Key(i)] = true
		return known
	})
}

// askMissing asks about n responses in parallel.
func (j *judging) askMissing(ctx context.Context, env *stages.Env, s *second, n int, run func(int) *results.RunRow,
	put func(int, judge.Opinion) error) error {
	if err := s.open(ctx, j.store); err != nil {
		return err
	}
	isolation := s.isolation
	if env.Distrusted {
		isolation = runner.Full
	}
	x, err := local.Open(worker.Header{Isolation: isolation, Cores: 1, MemoryBytes: s.asker.Limits.MemoryBytes},
		runner.Config{Logger: env.Log})
	if err != nil {
		return err
	}
	defer x.Close()
	o := &worker.Order{Tasks: make([]worker.Task, n), Limit: s.asker.Limits.WallTime,
		Reserve: func(ctx context.Context) (func(), error) { return env.Reserve(ctx, 1) }}
	for k := range o.Tasks {
		o.Tasks[k].ID = strconv.Itoa(k)
	}
	o.Works = func(k int) ([]*worker.Work, error) {
		r := run(k)
		script, response, err := j.responseOf(r)
		if err != nil {
			return nil, fmt.Errorf("%s on %s: %w", r.Solver, r.Benchmark, err)
		}
		w, err := s.asker.Work(o.Tasks[k].ID, x.Hello().Isolation, script, response)
		if _, ok := errors.AsType[*NotAsked](err); ok {
			return nil, put(k, judge.Opinion{Said: err.Error()})
		}
		return []*worker.Work{w}, err
	}
	o.Take = func(k int, results []*worker.Result) (bool, error) {
		said, err := s.asker.Opinion(results[0])
		if err != nil {
			return false, fmt.Errorf("the model of %s for %s: %w", run(k).Solver, run(k).Benchmark, err)
		}
		return false, put(k, said)
	}
	return x.Execute(ctx, o)
}

// asks reports whether a block requests an opinion on a checked response. The choice depends on script and response
// alone.
func (j *judging) asks(s *second, r *results.RunRow, checked modelRecord) bool {
	if checked.kind == model.NoModel || checked.kind == model.NoAnswer {
		return false
	}
	if len(s.verdicts) > 0 && !slices.Contains(s.verdicts, string(checked.verdict)) {
		return false
	}
	k := cache.NewKeyWriter("opinion/share")
	writeResponse(k, r)
	digest := k.Key()
	return float64(binary.BigEndian.Uint64(digest[:8])>>11)/(1<<53) < s.share/100
}

// writeResponse writes the identity of a script and a response to it.
func writeResponse(k *cache.KeyWriter, r *results.RunRow) {
	k.String("script", r.ScriptSHA256)
	stdout := r.StdoutSHA256
	if stdout == "" {
		stdout = cache.DigestOf([]byte(r.Stdout)).String()
	}
	k.String("stdout", stdout)
	k.String("stderr", r.StderrSHA256)
}

func opinionKey(s *second, r *results.RunRow) cache.Key {
	k := cache.NewKeyWriter("opinion/" + model.Version)
	s.writeKey(k)
	writeResponse(k, r)
	return k.Key()
}

// disagrees reports whether an opinion contradicts the checker's verdict.
func (o opinion) disagrees(checked modelRecord) bool {
	return judge.Disagrees(checked.verdict, checked.kind == model.OpenValue, o.second.asker.Form, o.Opinion)
}

// addOpinions writes the opinions into the details of a row, one a line, and a disagreement into its reason.
func addOpinions(v *results.VerdictRow, checked modelRecord, all []opinion) {
	for _, o := range all {
		v.Details += "second_opinion." + o.second.name + "=" + o.String() + "\n"
		if !o.disagrees(checked) {
			continue
		}
		v.Details += "disagreement=" + o.second.name + "\n"
		text := fmt.Sprintf("second opinion of %s: %v", o.second.name, o.Opinion)
		if v.Reason != "" {
			text = v.Reason + "; " + text
		}
		v.Reason = strings.ToValidUTF8(text, "?")
	}
}

// differing names the second opinions that differ from the verdict on a model.
func (j *judging) differing(v *results.VerdictRow) []string {
	if j.kinds.Of(v.Track) != comp.ModelValidation {
		return nil
	}
	var names []string
	for line := range strings.Lines(v.Details) {
		if name, ok := strings.CutPrefix(line, "disagreement="); ok {
			names = append(names, strings.TrimSpace(name))
		}
	}
	return names
}

// disagreements returns the rows with a second opinion that differs.
func (j *judging) disagreements(rows []results.VerdictRow) []results.VerdictRow {
	var some []results.VerdictRow
	for i := range rows {
		if len(j.differing(&rows[i])) > 0 {
			some = append(some, rows[i])
		}
	}
	return some
}
