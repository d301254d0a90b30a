package cache

import (
	"testing"
	"time"
)

// TestSettled checks when a file's times show every later change: once the clock has ticked, if the file system stores
// fractions of a second.
func TestSettled(t *testing.T) {
	at := time.Date(2027, 6, 1, 12, 0, 0, 0, time.UTC)
	fine := at.Add(123456789 * time.Nanosecond)
	for _, test := range []struct {
		name         string
		mtime, ctime time.Time
		age          time.Duration // since the later of the two
		want         bool
	}{
		{"same tick", fine, fine, 3 * time.Millisecond, false},
		{"next tick", fine, fine, 30 * time.Millisecond, true},
		{"whole seconds", at, at, 30 * time.Millisecond, false},
		{"whole seconds, same even second", at, at, 2 * time.Second, false},
		{"whole seconds, later", at, at, 2001 * time.Millisecond, true},
		{"old content, changed owner", at, fine, 3 * time.Millisecond, false},
		{"times set to the future", fine, at, -time.Hour, false},
	} {
		e := fileEntry{MTimeNS: test.mtime.UnixNano(), CTimeNS: test.ctime.UnixNano()}
		later := test.mtime
		if test.ctime.After(later) {
			later = test.ctime
		}
		if got := e.settled(later.Add(test.age)); got != test.want {
			t.Errorf("%s: got %t", test.name, got)
		}
	}
}
