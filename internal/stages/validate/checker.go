package validate

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/language"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/exec/worker"
	judge "github.com/smtpipe/smtpipe/internal/smt/validate"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fanout"
)

// checker is one block checker.
type checker struct {
	*fanout.Tool
	answers        []string
	valid, invalid *regexp.Regexp
}

// checkerBlock declares the block.
var checkerBlock = stages.Block{
	Name:  "checker",
	Label: "name",
	Doc: `tracks that judge answers: a program that checks what follows an answer, such as a model or a proof. Its last arguments
are the files with the script, with the standard output of the run, and with what the run wrote into the file {proof} of its
command, if it did. A pattern is a regular expression, in which ^ and $ also
match at lines`,
	Attrs: append([]stages.Attr{
		{Name: "answers", Type: cty.List(cty.String), Required: true,
			Doc: "the answers that it checks, such as [\"sat\"]"},
		{Name: "valid", Type: cty.String, Required: true, Doc: "pattern in its output if the answer is right"},
		{Name: "invalid", Type: cty.String, Required: true,
			Doc: "pattern in its output if the answer is an error; an output with neither, or both, decides nothing"},
	}, fanout.ToolAttrs...),
}

// maxChecker bounds what a checker may print.
const maxChecker = 1 << 16

// readCheckers reads all blocks. lang is the language of the answers; nil: SMT-LIB.
func readCheckers(a *stages.Args, lang *language.Reader) (all []checker, err error) {
	var errs []error
	var words []string // nil: the language is not known
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
					"the checker would never be asked; the answers are %s.%s", word, strings.Join(words, ", "),
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

// The words of checkers, in the column validation.
const (
	checkedValid   = "valid"
	checkedInvalid = "invalid"
	checkedUnknown = "unknown"
)

// checkAnswers checks the answers of the runs. Each output is checked once for a script and a checker, in whatever
// pipelines it occurs.
func (j *judging) checkAnswers(ctx context.Context, env *stages.Env, runs []results.RunRow) error {
	if len(j.checkers) == 0 {
		return nil
	}
	answers, values := make([]string, len(runs)), make([]string, len(runs))
	for i := range runs {
		r := &runs[i]
		out, err := readOutput(j.store, r)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", r.Solver, r.Benchmark, err)
		}
		if track := j.kinds.Of(r.Track); j.language != nil || judgesAnswers(track) {
			if d := judge.Answer(track, out.stdout, out.stderr, j.runOf(r)); d.Counts {
				answers[i] = string(d.Answer)
			}
		}
		if j.language != nil {
			values[i] = j.language.ValueOf(out.stdout)
		}
	}
	j.checked = map[int]checked{}
	for c := range j.checkers {
		if err := j.check(ctx, env, runs, answers, &j.checkers[c]); err != nil {
			return fmt.Errorf("checker %q: %w", j.checkers[c].Name, err)
		}
	}
	j.confirmed = map[string][]confirmed{}
	for i, c := range j.checked {
		if c.verdict == checkedValid {
			b := runs[i].Benchmark
			j.confirmed[b] = append(j.confirmed[b], confirmed{comp.Answer(answers[i]), values[i], runs[i].Solver})
		}
	}
	for _, of := range j.confirmed {
		slices.SortFunc(of, func(a, b confirmed) int { return strings.Compare(a.solver, b.solver) })
	}
	return nil
}

// confirmed is an answer that a checker found valid, with its value.
type confirmed struct {
	answer        comp.Answer
	value, solver string
}

// denied returns why an answer cannot be right, given what other solvers found and checkers confirmed; empty if it can
// be right.
func (j *judging) denied(benchmark string, answer comp.Answer, value string) string {
	for _, c := range j.confirmed[benchmark] {
		switch {
		case j.language == nil: // the status and other solvers are enough
		case j.language.Contradict(answer, c.answer):
			return fmt.Sprintf("contradicts the answer %s of %s, which is checked", c.answer, c.solver)
		case j.language.Beaten(answer, value, c.value):
			return fmt.Sprintf("the value %s is not the best one: %s has %s, which is checked", value, c.solver, c.value)
		}
	}
	return ""
}

// judgesAnswers reports whether a track judges the answer alone.
func judgesAnswers(t comp.Track) bool {
	return t == comp.SingleQuery || t == comp.Parallel || t == comp.Cloud
}

func (j *judging) check(ctx context.Context, env *stages.Env, runs []results.RunRow, answers []string,
	c *checker) error {
	var which []int
	for i := range runs {
		if slices.Contains(c.answers, answers[i]) {
			which = append(which, i)
		}
	}
	if len(which) == 0 {
		return nil
	}
	items, err := env.Items.Open(ctx, "checkers", "checks of "+c.Name, len(which),
		func(k int) cache.Key { return c.key(&runs[which[k]]) })
	if err != nil {
		return err
	}
	run := func(k int) *results.RunRow { return &runs[which[k]] }
	err = fanout.Each(ctx, env, c.Place, c.Limits, "checker "+c.Name, items,
		func(k int) string { return run(k).Benchmark + "@" + run(k).Solver },
		func(k int, site *fanout.Site, id string) (*worker.Work, []byte, error) {
			script, err := readBlob(j.store, run(k).ScriptSHA256)
			if err != nil {
				return nil, nil, fmt.Errorf("script: %w", err)
			}
			out, err := readOutput(j.store, run(k))
			if err != nil {
				return nil, nil, err
			}
			files := [][]byte{script, out.stdout}
			if out.file != nil {
				files = append(files, out.file)
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
	for k, i := range which {
		b, err := items.Record(k)
		if err != nil {
			return err
		}
		verdict, said, _ := strings.Cut(string(b), "\n")
		if old, twice := j.checked[i]; !twice || old.verdict != checkedInvalid && verdict != checkedValid {
			j.checked[i] = checked{c.Name, verdict, said}
		}
	}
	return nil
}

// read returns the record of a check: the verdict, and on the next line the deciding text.
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
	return fmt.Appendf(nil, "%s\nneither pattern or both: %s", checkedUnknown, firstLine(out))
}

func (c *checker) key(r *results.RunRow) cache.Key {
	k := cache.NewKeyWriter("checker/1")
	c.WriteKey(k)
	k.String("valid", c.valid.String())
	k.String("invalid", c.invalid.String())
	writeResponse(k, r)
	return k.Key()
}

// judgeChecked combines a verdict with a checker's result: an invalid answer is wrong, and one that is not confirmed is
// not correct. A part that is missing from a truncated output is not held against the solver.
func judgeChecked(v *results.VerdictRow, c checked, ok, truncated bool) {
	if !ok {
		return
	}
	if truncated && c.verdict == checkedInvalid {
		c.verdict, c.said = checkedUnknown, "the output is truncated; "+c.said
	}
	v.Validation = c.verdict
	switch {
	case c.verdict == checkedInvalid:
		v.ChecksCorrect, v.Reason = 0, fmt.Sprintf("checker %s: %s", c.name, c.said)
		setVerdict(v, comp.Wrong)
	case c.verdict == checkedUnknown && v.Verdict == string(comp.Correct):
		v.ChecksCorrect, v.Reason = 0, fmt.Sprintf("checker %s: %s", c.name, c.said)
		setVerdict(v, comp.Unknown)
	}
}
