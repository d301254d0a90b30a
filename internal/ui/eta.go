package ui

import (
	"fmt"
	"time"

	"github.com/smtpipe/smtpipe/internal/engine"
)

// work is the progress of a stage with a known amount of work.
type work struct {
	expected, done float64 // in core-seconds
	items          float64 // number of finished items
	cores          float64 // number of concurrent cores
}

func newWork(e engine.WorkExpected) *work {
	return &work{expected: e.CoreSeconds, cores: float64(max(e.Cores, 1))}
}

// trust is the weight, in seconds, of the expected pace before the first item is done. As items finish, the estimate
// moves from the expected pace on all cores to the observed one. With few items, the weight is a quarter.
const (
	trust = 60
	few   = 10
)

// add records a finished item.
func (w *work) add(coreSeconds float64) {
	w.done += coreSeconds
	w.items++
}

// left estimates the remaining seconds: the remaining work at the pace so far. At the start, without observations, it
// assumes the expected pace on all cores. A cluster may have far fewer cores than expected, so many finished items
// outweigh the expectation.
func (w *work) left(elapsed float64) float64 {
	trust := trust / ((1 + w.items/few) * (1 + w.items/few))
	pace := (w.done + trust*w.cores) / (elapsed + trust) // expected core-seconds per second
	return max(w.expected-w.done, 0) / pace
}

// eta estimates the remaining time from the expected work, or from the number of items if the work is unknown. It
// ignores items known from the start, which took no time.
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

// coreTime formats core-seconds in the largest unit in which the value is at least two.
func coreTime(s float64) string {
	switch {
	case s < 120:
		return fmt.Sprintf("%.0f core seconds", s)
	case s < 7200:
		return fmt.Sprintf("%.0f core minutes", s/60)
	}
	return fmt.Sprintf("%.1f core hours", s/3600)
}
