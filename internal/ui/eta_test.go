package ui

import (
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/engine"
)

func TestETA(t *testing.T) {
	tests := []struct {
		name          string
		total, reused int64
		made          int64
		elapsed       time.Duration
		want          string
	}{
		{"half", 100, 0, 50, 10 * time.Second, "10s left"},
		{"most were known before", 1000, 900, 50, 10 * time.Second, "10s left"},
		{"nothing made yet", 1000, 900, 0, 10 * time.Second, ""},
		{"too early", 100, 0, 50, time.Second, ""},
		{"all", 100, 0, 100, 10 * time.Second, ""},
		{"number not known", -1, 0, 50, 10 * time.Second, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newItemState(engine.ItemsStarted{Total: tt.total, Reused: tt.reused})
			s.add(tt.made, "")
			if got := s.eta(tt.elapsed); got != tt.want {
				t.Errorf("eta %q, want %q", got, tt.want)
			}
		})
	}
}

// TestExpectedWork uses numbers computed by hand. 992/(240/62) s are left if nothing is done after 2 s, and
// 600/(640/160) s if everything goes as expected. 1000 core-seconds on 4 cores take 250 s at 4 core-seconds per second.
// If the work takes twice as long as expected, the pace after 540 s is (1080 + 60*4)/(540 + 60) = 2.2, and 3320/2.2 s
// are left. On a cluster with 3 of 168 cores, 190 runs of 135 core-seconds are done after 45 s: the pace is (135 +
// 0.15*168)/(45 + 0.15) = 3.55 core-seconds per second, because 60/(1+19)^2 = 0.15, and 589/3.55 s are left.
func TestExpectedWork(t *testing.T) {
	tests := []struct {
		name     string
		expected float64
		done     float64
		items    float64
		cores    int
		elapsed  time.Duration
		want     string
	}{
		{"nothing done yet, a moment after the beginning", 992, 0, 0, 4, 2 * time.Second, "4m16s left"},
		{"as expected", 1000, 400, 0, 4, 100 * time.Second, "2m30s left"},
		{"twice as long", 4400, 1080, 0, 4, 540 * time.Second, "25m9s left"},
		{"all is done but the last item", 1000, 1000, 0, 4, 250 * time.Second, "0s left"},
		{"too early", 1000, 0, 0, 4, time.Second, ""},
		{"fewer cores than expected", 724, 135, 190, 168, 45 * time.Second, "2m46s left"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newItemState(engine.ItemsStarted{Total: 10})
			s.work = newWork(engine.WorkExpected{CoreSeconds: tt.expected, Cores: tt.cores})
			s.work.done, s.work.items = tt.done, tt.items
			s.add(9, "") // the counts contradict the expectation
			if got := s.eta(tt.elapsed); got != tt.want {
				t.Errorf("eta %q, want %q", got, tt.want)
			}
		})
	}
}
