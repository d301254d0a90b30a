package validate

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	judge "github.com/smtpipe/smtpipe/internal/smt/validate"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// opinion is the verdict of a block's program on a response.
type opinion struct {
	second *second
	judge.Opinion
}

// askSeconds requests second opinions on the checked models. It asks once per script, response and program, no matter
// how many pipelines contain them.
func (j *judging) askSeconds(ctx context.Context, env *stages.Env, runs *runTable) error {
	j.opinions = map[int][]opinion{}
	for i := range j.seconds {
		s := &j.seconds[i]
		if err := j.askSecond(ctx, env, runs, s); err != nil {
			return fmt.Errorf("second opinion %q: %w", s.name, err)
		}
	}
	return nil
}

func (j *judging) askSecond(ctx context.Context, env *stages.Env, runs *runTable, s *second) error {
	which, err := chosen(runs, func(i int, r *results.RunRow) bool {
		checked, ok := j.models[i]
		return ok && j.asks(s, r, checked)
	})
	if err != nil || len(which) == 0 {
		return err
	}
	items, err := env.Items.Open(ctx, "opinions", "opinions", len(which),
		func(k int) cache.Key { return opinionKey(s, &which[k].RunRow) })
	if err != nil {
		return err
	}
	err = j.askMissing(ctx, env, s, items, func(k int) *results.RunRow { return &which[k].RunRow })
	if err := errors.Join(err, items.Close()); err != nil {
		return err
	}
	for k := range which {
		b, err := items.Record(k)
		if err != nil {
			return err
		}
		i := which[k].index
		verdict, said, _ := strings.Cut(string(b), "\n")
		j.opinions[i] = append(j.opinions[i], opinion{s, judge.Opinion{Verdict: judge.ModelVerdict(verdict),
			Said: said}})
	}
	return nil
}

// askMissing asks about the responses without a record. Several solvers may have printed the same model.
func (j *judging) askMissing(ctx context.Context, env *stages.Env, s *second, items stages.Items,
	run func(item int) *results.RunRow) error {
	if len(items.Missing()) == 0 {
		return nil
	}
	if err := s.open(ctx, j.store); err != nil {
		return err
	}
	encode := func(o judge.Opinion) []byte { return []byte(string(o.Verdict) + "\n" + o.Said) }
	work := func(i int, site *fanout.Site, id string) (*worker.Work, []byte, error) {
		r := run(i)
		script, response, err := j.responseOf(r)
		if err != nil {
			return nil, nil, fmt.Errorf("%s on %s: %w", r.Solver, r.Benchmark, err)
		}
		w, err := s.asker.Work(id, site.Hello().Isolation, script, response)
		if _, ok := errors.AsType[*NotAsked](err); ok {
			return nil, encode(judge.Opinion{Said: err.Error()}), nil
		}
		if err != nil {
			return nil, nil, err
		}
		w.About = &worker.About{Benchmark: r.Benchmark, Logic: r.Logic, Solver: s.name,
			Track: comp.ModelValidation.String()}
		if !s.asker.InImage {
			w.Verify, err = site.Verify(cmp.Or(s.asker.Folder, s.asker.Program))
		}
		if s.asker.Image != nil && !site.Kind.Here {
			w.Verify = append(slices.Clone(w.Verify), s.asker.Image.Verify())
		}
		return w, nil, err
	}
	take := func(_ int, r *worker.Result) ([]byte, error) {
		said, err := s.asker.Opinion(r)
		return encode(said), err
	}
	return fanout.Each(ctx, env, s.place, s.asker.Limits, s.name, items,
		func(i int) string { return run(i).Benchmark + "@" + run(i).Solver }, work, take)
}

// asks reports whether a block requests an opinion on a checked response. The choice depends only on script and
// response.
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

// writeResponse writes key components that identify a script and a response to it.
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
