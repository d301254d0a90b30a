// Package packed limits the unpacked size of archives and compressed files. A few megabytes can unpack to terabytes of
// zeros, so untrusted files are read through a Meter.
package packed

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// Limits limits the content of one archive. Zero means no limit.
type Limits struct {
	Bytes int64 // total size of all files written to disk
	Files int   // number of files and folders written to disk
	Ratio int64 // largest ratio of unpacked to packed size
	Free  int64 // bytes that may be unpacked regardless of the ratio
	Time  time.Duration
}

// Default applies unless other limits are set. Whole SMT-LIB logics unpack to 10 to 30 times their packed size, small
// archives of similar scripts to 70 times, and JSON results to 35 times. TestRatioOfReleases checks these ratios.
var Default = Limits{Bytes: 50e9, Files: 500_000, Ratio: 150, Free: 1e9, Time: 4 * time.Hour}

// Errors for archives that exceed their limits. Returned errors wrap one of them and add details.
var (
	ErrRatio = errors.New("it looks like a decompression bomb")
	ErrTime  = errors.New("it takes too long to unpack")
)

// Meter limits the reading of one archive. It is not safe for concurrent use.
type Meter struct {
	limits   Limits
	in       int64
	deadline time.Time
}

// Start begins reading an archive. in is the number of bytes that already count as read: the archive's size if it is
// read at random, or zero if it is read from beginning to end.
func (l Limits) Start(in int64) *Meter {
	m := &Meter{limits: l, in: in}
	if l.Time > 0 {
		m.deadline = time.Now().Add(l.Time)
	}
	return m
}

// Input returns a reader that reads from r and counts the bytes as packed input.
func (m *Meter) Input(r io.Reader) io.Reader { return &input{m, r} }

type input struct {
	m *Meter
	r io.Reader
}

func (i *input) Read(p []byte) (int, error) {
	n, err := i.r.Read(p)
	i.m.in += int64(n)
	return n, err
}

// Output returns a reader for r, which unpacks the input. It adds the bytes read to total, and fails when total exceeds
// the limits. Several outputs may share a total.
func (m *Meter) Output(r io.Reader, total *int64) io.Reader {
	return &output{m: m, r: r, total: total, next: *total + step}
}

// step is the number of bytes read between two checks of the clock.
const step = 1 << 20

type output struct {
	m     *Meter
	r     io.Reader
	total *int64
	next  int64 // total at which the clock is checked again
}

func (o *output) Read(p []byte) (int, error) {
	n, err := o.r.Read(p)
	*o.total += int64(n)
	l := o.m.limits
	if l.Ratio > 0 && *o.total > l.Free && *o.total/l.Ratio > o.m.in {
		return 0, fmt.Errorf("%w: %d bytes unpacked to more than %d, over %d times as many", ErrRatio, o.m.in,
			*o.total, l.Ratio)
	}
	if *o.total >= o.next {
		o.next = *o.total + step
		if err := o.m.InTime(); err != nil {
			return 0, err
		}
	}
	return n, err
}

// InTime returns an error once the time is up. It is meant for frequent small reads.
func (m *Meter) InTime() error {
	if !m.deadline.IsZero() && time.Now().After(m.deadline) {
		return fmt.Errorf("%w: more than %v", ErrTime, m.limits.Time)
	}
	return nil
}
