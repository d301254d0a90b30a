package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/run"
	"github.com/smtpipe/smtpipe/internal/smt/trace"
	judge "github.com/smtpipe/smtpipe/internal/smt/validate"
)

// judging is the state of one execution of the stage. It may be read concurrently.
type judging struct {
	*action
	store      *cache.Store
	benchmarks map[string]*results.BenchmarkRow
	votes      map[string]votes // keyed by the reduced script's digest; nil if no solver was asked
	models     map[int]modelRecord
	opinions   map[int][]opinion
	checked    map[int]checked
	confirmed  map[string][]confirmed // confirmed answers by benchmark
	killed     map[runName]int        // number of attempts ended by an unexplained SIGKILL
}

// output holds the parts of a run's output.
type output struct {
	stdout, stderr []byte
	file           []byte // file that the run left; nil if there is none
}

// judge judges run i.
func (j *judging) judge(i int, r *results.RunRow, last *previous) (results.VerdictRow, error) {
	b := j.benchmarks[r.Benchmark]
	if b == nil {
		return results.VerdictRow{}, errors.New("the benchmark is not among those of the stage")
	}
	v := newRow(r, b)
	_, track, err := j.kinds.Parse(r.Track)
	if err != nil {
		return v, err
	}
	v.Division = last.divisionOf(j, r, b)
	if r.Trace != "" {
		return v, j.judgeTrace(&v, r)
	}
	track = j.judgedAs(track, b.Incremental)
	out, err := readOutput(j.store, r)
	if err != nil {
		return v, err
	}
	d := judge.Answer(track, out.stdout, out.stderr, j.runOf(r))
	v.Answer = d.Result()
	value := ""
	if j.language != nil {
		if value = j.language.ValueOf(out.stdout); value != "" {
			v.Details = "value=" + value + "\n"
		}
	}
	switch track {
	case comp.UnsatCore:
		return v, j.judgeCore(&v, i, r, d, &last.script)
	case comp.ModelValidation:
		j.judgeModel(&v, d, j.models[i], j.opinions[i])
	case comp.ProofExhibition:
		judgeProof(&v, d, out.stdout)
	case comp.Incremental:
		judgePrinted(&v, out.stdout)
	default:
		verdict := d.Verdict(comp.Status(b.Status))
		v.Reason = reasonOf(verdict, d, out.stderr)
		setVerdict(&v, verdict)
		if why := j.denied(r.Benchmark, d.Answer, value); why != "" && d.Counts && verdict != comp.Wrong {
			v.ChecksCorrect, v.Reason = 0, why
			setVerdict(&v, comp.Wrong)
		}
		c, ok := j.checked[i]
		judgeChecked(&v, c, ok)
	}
	if track == comp.IndustryChallenge {
		v.Checks, v.ChecksCorrect, v.ChecksWrong = 0, 0, 0 // only incremental benchmarks have counts of checks
	}
	return v, nil
}

// previous holds what the previous run needed, because runs on the same benchmark are adjacent.
type previous struct {
	script                 scriptNames
	track, logic, division string
	divided                bool // the logic has a division in the track
}

// divisionOf returns a run's division: that of the benchmark's logic in its track, or else the run's logic.
func (l *previous) divisionOf(j *judging, r *results.RunRow, b *results.BenchmarkRow) string {
	if l.track != r.Track || l.logic != b.Logic {
		d, ok := j.divisions.Of(r.Track, comp.Logic(b.Logic))
		l.track, l.logic, l.division, l.divided = r.Track, b.Logic, string(d), ok
	}
	if l.divided {
		return l.division
	}
	return r.Logic
}

// judgedAs returns the track whose rules judge a track's runs. In a declared language, and in the proof track if a
// declared checker checks unsat, checkers check what follows an answer. The industry challenge has both kinds of
// benchmarks, each judged like its own track (SMT-COMP 2019 rules, §5.4).
func (j *judging) judgedAs(track comp.Track, incremental bool) comp.Track {
	checksUnsat := func(c checker) bool { return slices.Contains(c.answers, string(comp.AnswerUnsat)) }
	switch {
	case j.language != nil || track == comp.ProofExhibition && slices.ContainsFunc(j.checkers, checksUnsat):
		return comp.SingleQuery
	case track == comp.IndustryChallenge && incremental:
		return comp.Incremental
	}
	return track
}

func newRow(r *results.RunRow, b *results.BenchmarkRow) results.VerdictRow {
	v := results.VerdictRow{
		Identity: r.Identity, Measured: r.Measured, Limits: r.Limits, RunKey: r.RunKey, ScriptSHA256: r.ScriptSHA256,
		Judged:  run.Unjudged(),
		Subject: run.Subject{Family: b.Family, New: b.New, Category: b.Category, Status: b.Status},
		Entrant: run.Entrant{Team: r.Solver, Competitive: true},
	}
	v.Logic, v.Checks, v.Assertions = b.Logic, b.CheckSats, b.Asserts
	return v
}

// runOf returns the facts about a run that are needed to interpret its output.
func (j *judging) runOf(r *results.RunRow) judge.Run {
	return judge.Run{
		Rules:     j.rules,
		Ending:    r.Ending,
		ExitCode:  r.ExitCode,
		OverLimit: (r.WallLimitS > 0 && r.WallTimeS > r.WallLimitS) || (r.CPULimitS > 0 && r.CPUTimeS > r.CPULimitS),
		Truncated: isTruncated(r),
		Language:  j.language,
	}
}

// isTruncated reports whether the runner omitted part of the output.
func isTruncated(r *results.RunRow) bool { return strings.Contains(r.Flags, "truncated") }

// setVerdict sets the verdict on a run with one check-sat.
func setVerdict(v *results.VerdictRow, verdict comp.Verdict) {
	v.Verdict = string(verdict)
	switch verdict {
	case comp.Correct:
		v.ChecksCorrect = 1
	case comp.Wrong:
		v.ChecksWrong = 1
	}
}

// judgeTrace judges a dialogue by the answers given within the wall time limit.
func (j *judging) judgeTrace(v *results.VerdictRow, r *results.RunRow) error {
	var t trace.Result
	if err := json.Unmarshal([]byte(r.Trace), &t); err != nil {
		return err
	}
	c := t.Until(r.WallLimitS.Duration())
	verdict := c.Verdict(t.Checks)
	v.Checks, v.ChecksCorrect, v.ChecksWrong, v.Verdict = int64(t.Checks), int64(c.Correct), int64(c.Wrong),
		string(verdict)
	if c.Answered { // the answer precedes the run's end, even if it was read a moment later
		v.LastWallS = min(run.SecondsOf(c.Last.Wall), v.WallTimeS)
		v.LastCPUS = min(run.SecondsOf(c.Last.CPU), v.CPUTimeS)
	}
	v.Answer = traceAnswer(&t, r.Ending, c)
	if verdict != comp.Correct {
		v.Reason = string(t.Ending)
		if t.Message != "" {
			v.Reason += ": " + firstLine([]byte(t.Message))
		}
	}
	if t.Early > 0 {
		v.Reason = strings.TrimPrefix(fmt.Sprintf("%s; %d responses came before their commands", v.Reason, t.Early),
			"; ")
	}
	return nil
}

// traceAnswer summarises a dialogue in one word for tables: why it was stopped, or the last answer.
func traceAnswer(t *trace.Result, ending comp.Ending, c trace.Counts) string {
	switch {
	case ending.TimedOut():
		return "timeout"
	case ending == comp.OutOfMemory:
		return "memout"
	case c.Decided+c.Unknown > 0:
		return string(t.Answers[c.Decided+c.Unknown-1])
	}
	return "abort"
}

// judgeCore judges a run in the unsat-core track. If the votes decide, the column validation stays empty, and the
// scoring's rule set evaluates the votes.
func (j *judging) judgeCore(v *results.VerdictRow, i int, r *results.RunRow, d judge.Decision,
	script *scriptNames) error {
	if err := script.read(j.store, r.ScriptSHA256); err != nil {
		return err
	}
	v.Assertions = int64(len(script.names.List))
	if d.Answer != comp.AnswerUnsat || !d.Counts {
		setCore(v, judge.JudgeCore(j.rules, d, judge.Core{}, nil, 0, 0))
		if v.Reason == "no answer" {
			v.Reason = string(d.Class)
		}
		return nil
	}
	core, coreErr := judge.ParseCore(script.names, d.Rest)
	said := votes{unsat: 1} // no solver was asked
	c, isChecked := j.checked[i]
	if coreErr == nil && isChecked {
		said = c.vote()
		v.ValUnsat, v.ValSat = int64(said.unsat), int64(said.sat)
	} else if coreErr == nil && j.votes != nil {
		reduced, err := judge.ReduceCore(script.text, core)
		if err != nil {
			return err
		}
		said = j.votes[cache.DigestOf(reduced).String()]
		v.ValUnsat, v.ValSat = int64(said.unsat), int64(said.sat)
	}
	setCore(v, judge.JudgeCore(j.rules, d, core, coreErr, said.unsat, said.sat))
	if coreErr == nil && isChecked && v.Verdict != string(comp.Correct) {
		v.Reason = c.reason()
	}
	return nil
}

func setCore(v *results.VerdictRow, c judge.CoreJudgement) {
	v.CoreSize, v.Reason = int64(c.Size), c.Reason
	if c.Size < 0 {
		v.Validation = c.Validation
	}
	setVerdict(v, c.Verdict)
}

// judgeModel combines the answer with the model checker's result.
func (j *judging) judgeModel(v *results.VerdictRow, d judge.Decision, checked modelRecord, opinions []opinion) {
	defer func() { addOpinions(v, checked, opinions) }()
	verdict, word := judge.JudgeModel(d, checked.verdict)
	v.Validation = string(word)
	setVerdict(v, verdict)
	switch {
	case verdict == comp.Correct:
	case d.Answer == comp.AnswerUnsat && d.Counts:
		v.Reason = "the answer is unsat"
	case !d.HasModel() || !d.Counts:
		v.Reason = reasonOf(verdict, d, nil)
		if d.Class == judge.Answered && d.Answer == comp.AnswerSat {
			v.Reason = "there is no model"
		}
	default:
		const most = 300
		v.Reason = strings.ToValidUTF8(fmt.Sprintf("%s: %s", checked.kind, checked.reason)[:min(most, len(checked.kind)+
			2+len(checked.reason))], "?")
	}
}

// addOpinions writes the opinions into a row's details, one per line, and any disagreement into its reason.
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

// judgePrinted judges an imported run of the incremental track by the trace executor's output, which may contain the
// time of the last answer.
func judgePrinted(v *results.VerdictRow, stdout []byte) {
	t := judge.ParseTrace(stdout)
	v.ChecksCorrect, v.Verdict = int64(t.Correct), string(comp.Unknown)
	switch {
	case t.Wrong:
		v.ChecksWrong, v.Verdict, v.Reason = 1, string(comp.Wrong), "a wrong answer"
	case v.ChecksCorrect == v.Checks && v.Checks > 0:
		v.Verdict = string(comp.Correct)
	default:
		v.Reason = fmt.Sprintf("%d of %d check-sats are answered", v.ChecksCorrect, v.Checks)
	}
	if wall, cpu, ok := t.LastAnswer(stdout); ok && v.ChecksCorrect+v.ChecksWrong > 0 {
		v.LastWallS, v.LastCPUS = min(run.Seconds(wall), v.WallTimeS), min(run.Seconds(cpu), v.CPUTimeS)
	}
}

// judgeProof judges a proof by the checker's result, and keeps the pairs in it.
func judgeProof(v *results.VerdictRow, d judge.Decision, stdout []byte) {
	p := judge.ParseProof(stdout)
	verdict, word := judge.JudgeProof(d, p)
	v.Validation = string(word)
	setVerdict(v, verdict)
	if verdict != comp.Correct {
		v.Reason = "the checker's word is " + string(word)
	}
	var details strings.Builder
	for _, kv := range p.Pairs {
		details.WriteString(kv.Key + "=" + kv.Value + "\n")
	}
	v.Details += details.String()
}

// reasonOf explains in a few words why a verdict is not correct.
func reasonOf(verdict comp.Verdict, d judge.Decision, stderr []byte) string {
	switch {
	case verdict == comp.Correct:
		return ""
	case verdict == comp.Wrong:
		return "contradicts the status"
	case d.Decides() && !d.Counts:
		return "answered after the limit"
	}
	reason := string(d.Class)
	if line := firstLine(stderr); d.Class == judge.Crashed && line != "" {
		reason += ": " + line
	}
	return reason
}

func firstLine(b []byte) string {
	line, _, _ := bytes.Cut(bytes.TrimSpace(b), []byte("\n"))
	const most = 120
	return strings.ToValidUTF8(string(line[:min(len(line), most)]), "?")
}

// readOutput reads a run's output.
func readOutput(store *cache.Store, r *results.RunRow) (o output, err error) {
	if o.stdout, err = artifact.ReadOutput(store, r.Stdout, r.StdoutSHA256); err != nil {
		return o, fmt.Errorf("standard output: %w", err)
	}
	if printed, file, ok := bytes.Cut(o.stdout, []byte(run.AttachedMark)); ok {
		o.stdout, o.file = printed, append([]byte{}, file...)
	}
	if o.stderr, err = artifact.ReadOutput(store, "", r.StderrSHA256); err != nil {
		return o, fmt.Errorf("standard error: %w", err)
	}
	return o, nil
}
