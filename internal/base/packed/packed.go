// Package packed bounds the unpacked size of archives and compressed files. A few megabytes can hold terabytes of
// zeros, so files from strangers are read through a Meter.
package packed

import (
	"errors"
	"fmt"
	"io"
	"time"
)

// Limits bounds the content of one archive. Zero means no bound.
type Limits struct {
	Bytes int64 // of all files that are written to disk
	Files int   // and folders that are written to disk
	Ratio int64 // largest ratio of the content to the archive
	Free  int64 // bytes that are unpacked regardless of the ratio
	Time  time.Duration
}

// Default applies if nothing else is given. Whole logics of SMT-LIB unpack to 10 to 30 times their size, small archives
// of similar scripts to 70 times, results in JSON to 35 times. TestRatioOfReleases checks these ratios.
var Default = Limits{Bytes: 50e9, Files: 500_000, Ratio: 150, Free: 1e9, Time: 4 * time.Hour}

// The errors of archives that exceed their limits. Returned errors wrap one of them with more detail.
var (
	ErrRatio = errors.New("it is packed like a decompression bomb")
	ErrTime  = errors.New("it takes too long to unpack")
)

// Meter bounds the reading of one archive. It is not safe for concurrent use.
type Meter struct {
	limits   Limits
	in       int64
	deadline time.Time
}

// Start begins to read an archive. in is the number of its bytes that already count as read: its size if it is not read
// from beginning to end, and otherwise zero.
func (l Limits) Start(in int64) *Meter {
	m := &Meter{limits: l, in: in}
	if l.Time > 0 {
		m.deadline = time.Now().Add(l.Time)
	}
	return m
}

// Input returns r, and counts the bytes read from it as packed.
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

// Output returns r, which is unpacked from the input, adds the bytes read from it to total, and fails when that exceeds
// the limits. Several outputs may share a total.
func (m *Meter) Output(r io.Reader, total *int64) io.Reader {
	return &output{m: m, r: r, total: total, next: *total + step}
}

// step is the number of bytes that are read between two checks of the clock.
const step = 1 << 20

type output struct {
	m     *Meter
	r     io.Reader
	total *int64
	next  int64 // the total at which the clock is checked next
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

// InTime returns an error when the time is up. Use it for frequent small reads.
func (m *Meter) InTime() error {
	if !m.deadline.IsZero() && time.Now().After(m.deadline) {
		return fmt.Errorf("%w: more than %v", ErrTime, m.limits.Time)
	}
	return nil
}
