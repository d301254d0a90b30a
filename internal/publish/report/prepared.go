package report

import (
	"bytes"
	"context"
	"io"
	"sync"
)

// Pages are a report's files, each rendered on demand. They exclude tables of all runs, because the runs are not read
// again.
type Pages struct {
	files map[string]func(io.Writer) error

	mu   sync.Mutex
	made map[string][]byte
	size int // size of the kept rendered files
}

// maxMade is the maximum size of the rendered files that are kept, in bytes.
const maxMade = 32 << 20

// Prepare reads a report's input, for a Server. The input is not read again afterwards.
func Prepare(ctx context.Context, in *Input) (*Pages, error) {
	m, err := build(ctx, in)
	if err != nil {
		return nil, err
	}
	var logs Memory
	s, err := newSite(m, &logs)
	if err != nil {
		return nil, err
	}
	if err := s.writeLogs(ctx); err != nil {
		return nil, err
	}
	if err := m.load(); err != nil {
		return nil, err
	}
	measured, err := m.measured()
	if err != nil {
		return nil, err
	}
	once := *in
	once.Measured = func() (func(string) (Measured, bool), error) { return measured, nil }
	once.Verdicts, once.Benchmarks, once.Stored, once.Log, once.Keeper = nil, nil, nil, nil, nil
	m.in = &once
	p := &Pages{files: map[string]func(io.Writer) error{}, made: map[string][]byte{}}
	for name, body := range logs.Files() {
		p.files[name] = func(w io.Writer) error { _, err := w.Write(body); return err }
	}
	for _, f := range s.files() {
		p.files[f.name] = f.write
	}
	return p, nil
}

// file returns a file. ok is false if the file does not exist. Only one file is rendered at any time.
func (p *Pages) file(name string) (body []byte, ok bool, err error) {
	write, ok := p.files[name]
	if !ok {
		return nil, false, nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if body, ok := p.made[name]; ok {
		return body, true, nil
	}
	var buf bytes.Buffer
	if err := write(&buf); err != nil {
		return nil, true, err
	}
	if p.size+buf.Len() <= maxMade {
		p.size += buf.Len()
		p.made[name] = buf.Bytes()
	}
	return buf.Bytes(), true, nil
}
