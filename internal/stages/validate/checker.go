package validate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/language"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	judge "github.com/smtpipe/smtpipe/internal/smt/validate"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// checker is a "checker" block of the pipeline.
type checker struct {
	*fanout.Tool
	answers        []string
	valid, invalid *regexp.Regexp
}

// checkerBlock declares the block.
var checkerBlock = stages.Block{
	Name:  "checker",
	Label: "name",
	Doc: `A program that checks what follows an answer, such as a model or a proof, in any track but the incremental one. Its
last arguments are the script file, the run's standard output, and the file {proof} of the run's command, if the run wrote one;
in the unsat-core track the third file is the script reduced to the core, which must be well formed. The program replaces the track's own checker: the model validator (model validation), the votes on a well-formed core (unsat
core), or the checker in the solver's wrapper (proof). A pattern is a regular expression, in which ^ and $ also match at line
boundaries`,
	Attrs: append([]stages.Attr{
		{Name: "answers", Type: cty.List(cty.String), Required: true,
			Doc: "the answers that it checks, such as [\"sat\"]"},
		{Name: "valid", Type: cty.String, Required: true, Doc: "pattern in its output if the answer is correct"},
		{Name: "invalid", Type: cty.String, Required: true,
			Doc: "pattern in its output if the answer is an error; an output with neither, or both, decides nothing"},
	}, fanout.ToolAttrs...),
}

// maxChecker is the maximum size of a checker's output.
const maxChecker = 1 << 16

// readCheckers reads all checker blocks. lang is the language of the answers; nil means SMT-LIB.
func readCheckers(a *stages.Args, lang *language.Reader) (all []checker, err error) {
	var errs []error
	var words []string // nil if the language is not known
	switch {
	case lang != nil:
		for _, answer := range lang.Answers {
			words = append(words, answer.Word)
		}
	case a.Value("language").IsNull():
		for _, answer := range comp.Answers {
			words = append(words, string(answer))
		}
	}
	for _, b := range a.Blocks(checkerBlock.Name) {
		tool, err := fanout.ReadTool(b, maxChecker)
		c := checker{Tool: tool, answers: b.Strings("answers")}
		errs = append(errs, err)
		for _, word := range c.answers {
			if words != nil && !slices.Contains(words, word) {
				errs = append(errs, b.Invalid("answers", "Unknown answer", fmt.Sprintf("Solvers cannot answer %q, so "+
					"the checker would never run; the answers are %s.%s", word, strings.Join(words, ", "),
					nearest.Question(word, words))))
			}
		}
		pattern := func(name string) *regexp.Regexp {
			re, err := regexp.Compile("(?m)" + b.String(name))
			if err != nil {
				errs = append(errs, b.Invalid(name, "Invalid pattern", stages.Sentence(err)))
			}
			return re
		}
		c.valid, c.invalid = pattern("valid"), pattern("invalid")
		if slices.ContainsFunc(all, func(o checker) bool { return o.Name == c.Name }) {
			errs = append(errs, b.Invalid("answers", "Two checkers of one name",
				fmt.Sprintf("There is a checker %q already.", c.Name)))
		}
		all = append(all, c)
	}
	return all, errors.Join(errs...)
}

// checked is a checker's result for a run.
type checked struct{ name, verdict, said string }

// The words for checkers' results in the column validation.
const (
	checkedValid   = "valid"
	checkedInvalid = "invalid"
	checkedUnknown = "unknown"
)

// checkAnswers checks the runs' answers. Each output is checked once per script and checker, no matter how many
// pipelines contain it.
func (j *judging) checkAnswers(ctx context.Context, env *stages.Env, runs *runTable) error {
	if len(j.checkers) == 0 {
		return nil
	}
	answers, values := make([]string, runs.Len()), make([]string, runs.Len())
	var names scriptNames
	err := runs.Range(0, runs.Len(), func(i int, r *results.RunRow) error {
		out, err := readOutput(j.store, r)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", r.Solver, r.Benchmark, err)
		}
		track := j.judgedAs(j.kinds.Of(r.Track), false)
		d := judge.Answer(track, out.stdout, out.stderr, j.runOf(r))
		follows := track != comp.Incremental && r.Trace == "" && (track != comp.ModelValidation || d.HasModel())
		if track == comp.UnsatCore {
			if err := names.read(j.store, r.ScriptSHA256); err != nil {
				return err
			}
			_, err := judge.ParseCore(names.names, d.Rest)
			follows = err == nil && d.Answer == comp.AnswerUnsat
		}
		if d.Counts && follows {
			answers[i] = string(d.Answer)
		}
		if j.language != nil {
			values[i] = j.language.ValueOf(out.stdout)
		}
		return nil
	})
	if err != nil {
		return err
	}
	j.checked = map[int]checked{}
	for c := range j.checkers {
		if err := j.check(ctx, env, runs, answers, &j.checkers[c]); err != nil {
			return fmt.Errorf("checker %q: %w", j.checkers[c].Name, err)
		}
	}
	j.confirmed = map[string][]confirmed{}
	return runs.Range(0, runs.Len(), func(i int, r *results.RunRow) error {
		if j.checked[i].verdict == checkedValid {
			j.confirmed[r.Benchmark] = append(j.confirmed[r.Benchmark],
				confirmed{comp.Answer(answers[i]), values[i], r.Solver})
		}
		return nil
	})
}

// confirmed is an answer, with its value, that a checker found valid. A benchmark's are in the order of the solvers.
type confirmed struct {
	answer        comp.Answer
	value, solver string
}

// denied explains why an answer cannot be right, given other solvers' answers and the answers that checkers confirmed;
// empty if it can be right.
func (j *judging) denied(benchmark string, answer comp.Answer, value string) string {
	for _, c := range j.confirmed[benchmark] {
		switch {
		case j.language == nil: // in SMT-LIB, the status and other solvers are enough
		case j.language.Contradict(answer, c.answer):
			return fmt.Sprintf("contradicts the answer %s of %s, which is checked", c.answer, c.solver)
		case j.language.Beaten(answer, value, c.value):
			return fmt.Sprintf("the value %s is not the best one: %s has %s, which is checked", value, c.solver, c.value)
		}
	}
	return ""
}

func (j *judging) check(ctx context.Context, env *stages.Env, runs *runTable, answers []string, c *checker) error {
	which, err := chosen(runs, func(i int, _ *results.RunRow) bool { return slices.Contains(c.answers, answers[i]) })
	if err != nil || len(which) == 0 {
		return err
	}
	run := func(k int) *results.RunRow { return &which[k].RunRow }
	items, err := env.Items.Open(ctx, "checkers", "checks of "+c.Name, len(which),
		func(k int) cache.Key { return c.key(run(k), j.reduces(run(k))) })
	if err != nil {
		return err
	}
	err = fanout.Each(ctx, env, c.Place, c.Limits, "checker "+c.Name, items,
		func(k int) string { return run(k).Benchmark + "@" + run(k).Solver },
		func(k int, site *fanout.Site, id string) (*worker.Work, []byte, error) {
			files, err := j.checkedFiles(run(k))
			if err != nil {
				return nil, nil, err
			}
			w, err := c.Work(id, site, files)
			if err == nil {
				w.About = &worker.About{Benchmark: run(k).Benchmark, Logic: run(k).Logic, Solver: c.Name,
					Track: comp.SingleQuery.String()}
			}
			return w, nil, err
		},
		func(_ int, r *worker.Result) ([]byte, error) { return c.read(r), nil })
	if err := errors.Join(err, items.Close()); err != nil {
		return err
	}
	for k := range which {
		b, err := items.Record(k)
		if err != nil {
			return err
		}
		i, result := which[k].index, c.result(b, isTruncated(run(k)))
		if old, twice := j.checked[i]; !twice || old.verdict != checkedInvalid && result.verdict != checkedValid {
			j.checked[i] = result
		}
	}
	return nil
}

// checkedFiles returns the files that a checker gets for a run.
func (j *judging) checkedFiles(r *results.RunRow) ([][]byte, error) {
	script, err := artifact.ReadBlob(j.store, r.ScriptSHA256)
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	out, err := readOutput(j.store, r)
	if err != nil {
		return nil, err
	}
	files := [][]byte{script, out.stdout}
	if out.file != nil {
		files = append(files, out.file)
	}
	if !j.reduces(r) {
		return files, nil
	}
	names, err := judge.ScriptNames(script)
	if err != nil {
		return nil, fmt.Errorf("script: %w", err)
	}
	core, err := judge.ParseCore(names, judge.Answer(comp.UnsatCore, out.stdout, out.stderr, j.runOf(r)).Rest)
	if err != nil {
		return nil, err
	}
	reduced, err := judge.ReduceCore(script, core)
	return append(files[:2], reduced), err
}

// reduces reports whether checkers get a run's script reduced to its core.
func (j *judging) reduces(r *results.RunRow) bool {
	return j.judgedAs(j.kinds.Of(r.Track), false) == comp.UnsatCore
}

// result returns a check's result from its record. A part missing from a truncated output does not count against the
// solver.
func (c *checker) result(record []byte, truncated bool) checked {
	verdict, said, _ := strings.Cut(string(record), "\n")
	if truncated && verdict == checkedInvalid {
		verdict, said = checkedUnknown, "the output is truncated; "+said
	}
	return checked{c.Name, verdict, said}
}

// reason explains why a checker did not confirm an answer.
func (c checked) reason() string { return fmt.Sprintf("checker %s: %s", c.name, c.said) }

// read returns a check's record: the verdict and, on the next line, the deciding text.
func (c *checker) read(r *worker.Result) []byte {
	rec := r.Record
	out := append(rec.Stdout.Bytes(), rec.Stderr.Bytes()...)
	valid, invalid := c.valid.FindIndex(out), c.invalid.FindIndex(out)
	switch {
	case rec.Ending != comp.Exited:
		return fmt.Appendf(nil, "%s\n%s", checkedUnknown, rec.Ending)
	case invalid != nil && valid == nil:
		return fmt.Appendf(nil, "%s\n%s", checkedInvalid, firstLine(out[invalid[0]:]))
	case valid != nil && invalid == nil:
		return fmt.Appendf(nil, "%s\n%s", checkedValid, firstLine(out[valid[0]:]))
	}
	out = bytes.TrimSpace(out)
	last := out[bytes.LastIndexByte(out, '\n')+1:] // where interpreters name an error
	return fmt.Appendf(nil, "%s\nneither pattern or both: %s", checkedUnknown, firstLine(last))
}

func (c *checker) key(r *results.RunRow, reduced bool) cache.Key {
	k := cache.NewKeyWriter("checker/1")
	c.WriteKey(k)
	k.String("valid", c.valid.String())
	k.String("invalid", c.invalid.String())
	writeResponse(k, r)
	if reduced {
		k.String("third", "reduced script")
	}
	return k.Key()
}

// judgeChecked combines a verdict with a checker's result: an invalid answer is wrong, and an unconfirmed answer is not
// correct.
func judgeChecked(v *results.VerdictRow, c checked, ok bool) {
	if !ok {
		return
	}
	v.Validation = c.verdict
	switch {
	case c.verdict == checkedInvalid:
		v.ChecksCorrect, v.Reason = 0, c.reason()
		setVerdict(v, comp.Wrong)
	case c.verdict == checkedUnknown && v.Verdict == string(comp.Correct):
		v.ChecksCorrect, v.Reason = 0, c.reason()
		setVerdict(v, comp.Unknown)
	}
}
