package ahead_test

import (
	"errors"
	"iter"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/ahead"
)

// numbers yields 0 to n-1, and then the error if it is not nil. reading is true while it is being read.
func numbers(n int, err error, reading *bool) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		*reading = true
		defer func() { *reading = false }()
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
		if err != nil {
			yield(0, err)
		}
	}
}

// TestRows checks that all rows arrive in order, that an error comes after the rows before it, and that nothing is read
// any more after the range has ended, however early.
func TestRows(t *testing.T) {
	bad := errors.New("bad")
	for _, n := range []int{0, 1, 1023, 1024, 1025, 20_000} {
		for _, err := range []error{nil, bad} {
			for _, stopAt := range []int{-1, 0, 1, 1024, 5000} {
				var reading bool
				next, got := 0, error(nil)
				for i, err := range ahead.Rows(numbers(n, err, &reading)) {
					if got = err; err != nil {
						continue
					}
					if i != next {
						t.Fatalf("of %d rows: row %d follows row %d", n, i, next-1)
					}
					if next++; i == stopAt {
						break
					}
				}
				if reading {
					t.Errorf("of %d rows up to %d: they are still being read", n, stopAt)
				}
				if stopAt >= 0 && stopAt < n {
					if next != stopAt+1 {
						t.Errorf("of %d rows up to %d: %d arrived", n, stopAt, next)
					}
				} else if next != n || got != err {
					t.Errorf("of %d rows: %d arrived, and the error %v; want %v", n, next, got, err)
				}
			}
		}
	}
}
