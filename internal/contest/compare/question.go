package compare

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Question is the question that a reducer asks about each smaller script: does a finding still show? It does not depend
// on the script's status, which a smaller script may have lost.
type Question struct {
	Kind   string // Lost, Disagrees or Slow
	Ending string // required ending of B; empty: any
}

// A Slow finding must be clear because a single run of each build decides it.
const (
	clearlySlower = 2                      // minimum ratio of CPU times
	clearlyLonger = 200 * time.Millisecond // minimum difference of CPU times
)

// Ask returns the question of whether another script shows a pair's finding.
func Ask(p Pair) (Question, error) {
	f, ok := find(p, Options{})
	switch {
	case !ok && (Question{Kind: Slow}).Shows(p):
		return Question{Kind: Slow}, nil
	case !ok:
		return Question{}, errors.New("build B is not clearly worse than A on this benchmark")
	case p.wrong(p.A):
		return Question{},
			errors.New("build A is wrong on it, so no build says what is right for a smaller script; name a build as A " +
				"that is right")
	case f.Kind == Gained:
		return Question{}, errors.New("build B answers it, but A does not; swap the builds")
	case f.Kind == Lost:
		return Question{Kind: Lost, Ending: p.B.Ending}, nil
	case f.Kind == Wrong && p.A.Answer == "":
		return Question{},
			errors.New("build B is wrong on it and A does not answer it, so no build says what is right for a smaller " +
				"script; name a build as A that answers it")
	}
	return Question{Kind: Disagrees}, nil
}

// Shows reports whether a pair shows the finding.
func (q Question) Shows(p Pair) bool {
	same := p.A.Answer == p.B.Answer
	switch q.Kind {
	case Lost:
		return p.A.Answer != "" && p.B.Answer == "" && (q.Ending == "" || p.B.Ending == q.Ending)
	case Disagrees:
		return p.A.Answer != "" && p.B.Answer != "" && !same
	}
	return p.A.Answer != "" && same && p.B.cpu() >= clearlySlower*p.A.cpu() && p.B.cpu()-p.A.cpu() >= clearlyLonger
}

// String returns the question in the syntax of ParseQuestion.
func (q Question) String() string {
	if q.Ending == "" {
		return q.Kind
	}
	return q.Kind + ":" + q.Ending
}

// ParseQuestion parses a question, such as lost:wall_timeout.
func ParseQuestion(text string) (Question, error) {
	kind, ending, _ := strings.Cut(text, ":")
	switch {
	case kind == Lost, ending == "" && (kind == Disagrees || kind == Slow):
		return Question{kind, ending}, nil
	}
	return Question{},
		fmt.Errorf("%s is not a question; ask lost, lost:wall_timeout (or another ending), disagrees or slow",
			text)
}
