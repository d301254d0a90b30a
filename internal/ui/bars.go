package ui

import (
	"io"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/smtpipe/smtpipe/internal/engine"
)

// bars shows a bar for each stage that executes items, and lines when other stages begin and end. A single goroutine
// draws ten times a second; observers only count.
type bars struct {
	w    io.Writer
	stop chan struct{}
	done chan struct{}

	mu sync.Mutex
	told
	active []string // addresses with a bar, in starting order
	lines  []string // lines to print above the bars
	drawn  int      // number of bar lines on the screen
}

const drawPause = 100 * time.Millisecond

func newBars(w io.Writer) *bars {
	b := &bars{w: w, stop: make(chan struct{}), done: make(chan struct{}), told: told{}}
	go b.draw()
	return b
}

// draw is the only goroutine that writes.
func (b *bars) draw() {
	defer close(b.done)
	tick := time.NewTicker(drawPause)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			b.redraw(false)
		case <-b.stop:
			b.redraw(true)
			return
		}
	}
}

// Close implements Observer.
func (b *bars) Close() {
	close(b.stop)
	<-b.done
}

// Observe implements engine.Observer.
func (b *bars) Observe(ev engine.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if mark, told := b.take(ev); mark != "" {
		told[0] = mark + " " + told[0]
		b.lines = append(b.lines, told...)
	}
	switch e := ev.(type) {
	case engine.ItemsStarted:
		b.end(e.Addr)
		b.active = append(b.active, e.Addr)
	case engine.StageFinished:
		b.end(e.Addr)
	case engine.StageFailed:
		b.end(e.Addr)
	case engine.StageSkipped:
		b.end(e.Addr)
	}
}

// end removes a stage's bar.
func (b *bars) end(addr string) {
	b.active = slices.DeleteFunc(b.active, func(a string) bool { return a == addr })
}

// redraw prints the new lines and redraws the bars below them. The last call removes the bars.
func (b *bars) redraw(last bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.lines) == 0 && len(b.active) == 0 && b.drawn == 0 {
		return
	}
	out := ""
	for range b.drawn {
		out += "\x1b[1A\x1b[2K" // up one line, then clear it
	}
	for _, l := range b.lines {
		out += l + "\n"
	}
	b.lines, b.drawn = nil, 0
	if !last {
		for _, addr := range b.active {
			out += bar(addr, b.told[addr]) + "\n"
			b.drawn++
		}
	}
	io.WriteString(b.w, out)
}

// bar renders a stage's bar as a line.
func bar(addr string, s *itemState) string {
	const width = 24
	p := progressbar.NewOptions64(s.total,
		progressbar.OptionSetWriter(io.Discard),
		progressbar.OptionSetWidth(width),
		progressbar.OptionSetDescription(addr),
		progressbar.OptionShowCount(),
		progressbar.OptionShowBytes(s.bytes),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░", BarStart: "", BarEnd: ""}),
	)
	p.Set64(min(s.done, max(s.total, 0)))
	line := p.String()
	if eta := s.eta(time.Since(s.began)); eta != "" {
		line += " " + eta
	}
	if c := s.counts(); c != "" {
		line += "  " + c
	}
	if s.note != "" {
		line += "  " + s.note
	}
	return cut(line, columns())
}

func columns() int {
	if w, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil && w > 20 {
		return w
	}
	return 100
}

// cut shortens a line to a number of columns.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
