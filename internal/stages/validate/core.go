package validate

import (
	"fmt"

	"github.com/smtpipe/smtpipe/internal/artifact"
	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results"
	judge "github.com/smtpipe/smtpipe/internal/validate"
)

// votes are the answers of the validation solvers on one reduced script.
type votes struct{ unsat, sat int }

// countVotes reads the runs of the validation solvers. A vote counts like an answer in the single-query track.
func (j *judging) countVotes() error {
	if j.coreRuns == nil {
		return nil
	}
	runs, err := artifact.ReadTable[results.RunRow](j.store, *j.coreRuns)
	if err != nil {
		return err
	}
	j.votes = map[string]votes{}
	for _, r := range lastAttempts(runs) {
		out, err := readOutput(j.store, &r)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", r.Solver, r.Benchmark, err)
		}
		d := judge.Answer(comp.SingleQuery, out.stdout, out.stderr, j.runOf(&r))
		v := j.votes[r.ScriptSHA256]
		switch {
		case !d.Counts:
		case d.Answer == comp.AnswerUnsat:
			v.unsat++
		case d.Answer == comp.AnswerSat:
			v.sat++
		}
		j.votes[r.ScriptSHA256] = v
	}
	return nil
}

// scriptNames remembers the script that was read last: the runs of one benchmark follow each other.
type scriptNames struct {
	digest string
	text   []byte
	names  judge.Names
}

func (s *scriptNames) read(store *cache.Store, digest string) error {
	if s.digest == digest {
		return nil
	}
	text, err := readBlob(store, digest)
	if err != nil {
		return fmt.Errorf("script: %w", err)
	}
	names, err := judge.ScriptNames(text)
	if err != nil {
		return fmt.Errorf("script: %w", err)
	}
	*s = scriptNames{digest: digest, text: text, names: names}
	return nil
}

// judgeCore judges a run of the unsat-core track. If the votes decide, the column validation stays empty, and the rule
// set of the scoring decides by the votes.
func (j *judging) judgeCore(v *results.VerdictRow, r *results.RunRow, d judge.Decision, script *scriptNames) error {
	if err := script.read(j.store, r.ScriptSHA256); err != nil {
		return err
	}
	n := len(script.names.List)
	v.Assertions = int64(n)
	if d.Answer != comp.AnswerUnsat || !d.Counts {
		setCore(v, judge.JudgeCore(j.rules, d, judge.Core{}, nil, n, 0, 0))
		if v.Reason == "no answer" {
			v.Reason = string(d.Class)
		}
		return nil
	}
	core, coreErr := judge.ParseCore(script.names, d.Rest)
	said := votes{unsat: 1} // nobody was asked
	if coreErr == nil && j.votes != nil {
		reduced, err := judge.ReduceCore(script.text, core)
		if err != nil {
			return err
		}
		said = j.votes[cache.DigestOf(reduced).String()]
		v.ValUnsat, v.ValSat = int64(said.unsat), int64(said.sat)
	}
	setCore(v, judge.JudgeCore(j.rules, d, core, coreErr, n, said.unsat, said.sat))
	return nil
}

func setCore(v *results.VerdictRow, c judge.CoreJudgement) {
	v.CoreSize, v.Reason = int64(c.Size), c.Reason
	if c.Size < 0 {
		v.Validation = c.Validation
	}
	setVerdict(v, c.Verdict)
}
