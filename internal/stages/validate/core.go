package validate

import (
	"fmt"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	judge "github.com/smtpipe/smtpipe/internal/smt/validate"
)

// votes counts the validation solvers' answers on a reduced script.
type votes struct{ unsat, sat int }

// vote converts a declared checker's result for a core to the only vote.
func (c checked) vote() votes {
	switch c.verdict {
	case checkedValid:
		return votes{unsat: 1}
	case checkedInvalid:
		return votes{sat: 1}
	}
	return votes{}
}

// countVotes counts the answers in the validation solvers' runs. A vote counts like an answer in the single-query
// track.
func (j *judging) countVotes() error {
	if j.coreRuns == nil {
		return nil
	}
	all, err := artifact.OpenTable[results.RunRow](j.store, *j.coreRuns)
	if err != nil {
		return err
	}
	runs, err := lastAttempts(all)
	if err != nil {
		return err
	}
	j.votes = map[string]votes{}
	return runs.Range(0, runs.Len(), func(_ int, r *results.RunRow) error {
		out, err := readOutput(j.store, r)
		if err != nil {
			return fmt.Errorf("%s on %s: %w", r.Solver, r.Benchmark, err)
		}
		d := judge.Answer(comp.SingleQuery, out.stdout, out.stderr, j.runOf(r))
		v := j.votes[r.ScriptSHA256]
		switch {
		case !d.Counts:
		case d.Answer == comp.AnswerUnsat:
			v.unsat++
		case d.Answer == comp.AnswerSat:
			v.sat++
		}
		j.votes[r.ScriptSHA256] = v
		return nil
	})
}

// scriptNames caches the script that was read last, because runs on the same benchmark are adjacent.
type scriptNames struct {
	digest string
	text   []byte
	names  judge.Names
}

func (s *scriptNames) read(store *cache.Store, digest string) error {
	if s.digest == digest {
		return nil
	}
	text, err := artifact.ReadBlob(store, digest)
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
