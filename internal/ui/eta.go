package ui

import (
	"time"

	"github.com/smtpipe/smtpipe/internal/engine"
)

// work is how far a stage is that knows what it has to do.
type work struct {
	expected, done float64 // core-seconds
	cores          float64 // at one time
}

func newWork(e engine.WorkExpected) *work {
	return &work{expected: e.CoreSeconds, cores: float64(max(e.Cores, 1))}
}

// trust is for how many seconds it is believed that all takes what was expected, on all cores, against what is seen.
const trust = 60

// left estimates the seconds that are left: the work that is left, at the pace so far. In the beginning, when nothing
// is seen, the pace is that of all cores at work that takes what was expected.
func (w *work) left(elapsed float64) float64 {
	pace := (w.done + trust*w.cores) / (elapsed + trust) // expected core-seconds a second
	return max(w.expected-w.done, 0) / pace
}

// eta estimates the time that is left from the work that is expected, or else from the number of items. What was known
// before took no time and says nothing.
func (s *itemState) eta(elapsed time.Duration) string {
	made := s.done - s.reused
	if s.total <= 0 || elapsed < 2*time.Second || s.done >= s.total {
		return ""
	}
	if s.work != nil && s.work.expected > 0 {
		return roundDuration(time.Duration(s.work.left(elapsed.Seconds())*float64(time.Second))) + " left"
	}
	if made <= 0 {
		return ""
	}
	left := time.Duration(float64(elapsed) * float64(s.total-s.done) / float64(made))
	return roundDuration(left) + " left"
}
