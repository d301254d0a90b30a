// Package ahead reads rows while earlier ones are being processed.
package ahead

import "iter"

const (
	atOnce = 128 // rows that are handed over together
	chunks = 8   // chunks of so many rows that are in use
)

type chunk[Row any] struct {
	rows []Row
	err  error // comes after the rows
}

// Rows iterates over the same rows as read, which a second goroutine ranges over. That goroutine has ended when the
// range over the result ends.
func Rows[Row any](read iter.Seq2[Row, error]) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		full, empty := make(chan *chunk[Row], chunks), make(chan *chunk[Row], chunks)
		for range chunks {
			empty <- &chunk[Row]{}
		}
		defer func() {
			close(empty)
			for range full { // until it is closed
			}
		}()
		go hand(read, full, empty)
		for c := range full {
			for i := range c.rows {
				if !yield(c.rows[i], nil) {
					return
				}
			}
			if c.err != nil {
				var none Row
				yield(none, c.err)
				return
			}
			c.rows = c.rows[:0]
			empty <- c
		}
	}
}

// hand fills empty chunks with rows, until there are no rows or empty is closed.
func hand[Row any](read iter.Seq2[Row, error], full chan<- *chunk[Row], empty <-chan *chunk[Row]) {
	defer close(full)
	c := <-empty
	for row, err := range read {
		if err != nil {
			c.err = err
			break
		}
		if c.rows = append(c.rows, row); len(c.rows) < atOnce {
			continue
		}
		full <- c
		var ok bool
		if c, ok = <-empty; !ok {
			return
		}
	}
	full <- c
}
