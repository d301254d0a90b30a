package validate

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/exec/runner"
	judge "github.com/smtpipe/smtpipe/internal/smt/validate"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// modelRecord is the model checker's result for a response.
type modelRecord struct {
	verdict judge.ModelVerdict
	kind    model.Kind
	reason  string
}

// checkModels checks the responses in the model-validation track that no declared checker has checked. Each response is
// checked once per script, rules and checker version, no matter how many pipelines contain it.
func (j *judging) checkModels(ctx context.Context, env *stages.Env, runs *runTable) error {
	j.models = map[int]modelRecord{}
	which, err := chosen(runs, func(i int, r *results.RunRow) bool {
		c, ok := j.checked[i]
		isModel := j.judgedAs(j.kinds.Of(r.Track), false) == comp.ModelValidation
		if isModel && ok {
			j.models[i] = modelRecord{judge.ModelVerdict(strings.ToUpper(c.verdict)), model.Kind("checker " + c.name),
				c.said}
		}
		return isModel && !ok
	})
	if err != nil || len(which) == 0 {
		return err
	}
	items, err := env.Items.Open(ctx, "models", "models", len(which),
		func(k int) cache.Key { return j.modelKey(&which[k].RunRow) })
	if err != nil {
		return err
	}
	missing := items.Missing()
	err = env.Each(ctx, len(missing), func(ctx context.Context, m int) error {
		r := &which[missing[m]].RunRow
		record, err := j.checkModel(ctx, r)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", r.Solver, r.Benchmark, err)
		}
		return items.Put(missing[m], record.encode())
	})
	if err := errors.Join(err, items.Close()); err != nil {
		return err
	}
	for k := range which {
		b, err := items.Record(k)
		if err != nil {
			return err
		}
		j.models[which[k].index] = decodeModel(b)
	}
	return nil
}

// modelKey identifies the check of a response.
func (j *judging) modelKey(r *results.RunRow) cache.Key {
	k := cache.NewKeyWriter("model/" + model.Version)
	writeResponse(k, r)
	k.Bool("truncated", isTruncated(r))
	k.Bool("partial_is_invalid", j.rules.PartialModelIsWrong)
	k.Bool("declared_only", j.rules.ModelDefinesDeclared)
	k.Bool("complete_models", j.completeModels)
	k.String("time", j.modelTime.String())
	return k.Key()
}

// checkModel checks the response in a run against its script. The verdict is UNKNOWN if the check reaches its time
// limit. An interrupted check returns an error.
func (j *judging) checkModel(ctx context.Context, r *results.RunRow) (modelRecord, error) {
	script, response, err := j.responseOf(r)
	switch {
	case err != nil:
		return modelRecord{}, err
	case response == nil:
		return modelRecord{judge.ModelUnknown, model.NoModel, "there is no model"}, nil
	}
	limited, cancel := context.WithTimeout(ctx, j.modelTime)
	defer cancel()
	result := model.Check(limited, script, response, model.Options{
		PartialIsInvalid: j.rules.PartialModelIsWrong, DeclaredOnly: j.rules.ModelDefinesDeclared,
		CompletePartial: j.completeModels,
	})
	if err := context.Cause(ctx); err != nil {
		return modelRecord{}, err
	}
	if isTruncated(r) && !decidesAlone(result.Kind) && runner.Cut(response) {
		const reason = "the output was too long and was cut out in the middle"
		return modelRecord{judge.ModelUnknown, model.Truncated, reason}, nil
	}
	return modelRecord{judge.ModelVerdict(result.Verdict), result.Kind, result.Reason}, nil
}

// decidesAlone reports whether a verdict with this reason holds regardless of the rest of the output.
func decidesAlone(kind model.Kind) bool { return kind == model.Satisfied || kind == model.AnswerUnsat }

// responseOf returns a run's script and its response in the form that checkers take; nil if there is no model.
func (j *judging) responseOf(r *results.RunRow) (script, response []byte, err error) {
	out, err := readOutput(j.store, r)
	if err != nil {
		return nil, nil, err
	}
	d := judge.Answer(comp.ModelValidation, out.stdout, out.stderr, j.runOf(r))
	if !d.HasModel() {
		return nil, nil, nil
	}
	if script, err = artifact.ReadBlob(j.store, r.ScriptSHA256); err != nil {
		return nil, nil, fmt.Errorf("script: %w", err)
	}
	response = out.stdout
	if d.FromStderr {
		response = out.stderr
	}
	return script, judge.ModelResponse(response), nil
}

// encode returns an item's record: verdict, kind and reason, one per line.
func (m modelRecord) encode() []byte {
	return []byte(string(m.verdict) + "\n" + string(m.kind) + "\n" + m.reason)
}

// decodeModel is the inverse of encode.
func decodeModel(b []byte) modelRecord {
	verdict, rest, _ := strings.Cut(string(b), "\n")
	kind, reason, _ := strings.Cut(rest, "\n")
	return modelRecord{judge.ModelVerdict(verdict), model.Kind(kind), reason}
}
