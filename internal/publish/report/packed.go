package report

import (
	"bytes"
	"io"
	"runtime"
	"sync"

	"github.com/klauspost/compress/gzip"
	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/data/results"
)

// packed holds a division's parts of the exports of its track, compressed. Several compressed parts one after another
// are a compressed file.
type packed struct {
	Official  []byte
	BenchExec [][]byte // by solver
}

// packAll compresses the parts of all divisions. It reuses those that an earlier report kept for the same runs.
func (m *model) packAll() (map[*division]*packed, error) {
	all := map[*division]*packed{}
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(max(1, runtime.GOMAXPROCS(0)))
	for _, t := range m.tracks {
		for _, d := range t.divisions {
			if d.runs == nil {
				continue
			}
			group.Go(func() error {
				p, err := keptOr(m.in, m.in.keptID("exports/1", t.name, d.runs.ID), func() (*packed, error) {
					if err := m.load(); err != nil {
						return nil, err
					}
					return d.pack()
				})
				mu.Lock()
				defer mu.Unlock()
				all[d] = p
				return err
			})
		}
	}
	return all, group.Wait()
}

// pack compresses a division's parts.
func (d *division) pack() (*packed, error) {
	p := &packed{}
	if track, _, ok := officialTrack(d.track.name); ok {
		var err error
		if p.Official, err = pack(func(w io.Writer) error { return d.runs.official(w, track) }); err != nil {
			return nil, err
		}
	}
	names := make([]string, len(d.runs.benches))
	for i := range names {
		names[i] = attr(d.runs.benches[i].Path)
	}
	for k := range d.runs.Solvers {
		part, err := pack(func(w io.Writer) error { return d.runs.benchExec(w, k, names) })
		if err != nil {
			return nil, err
		}
		p.BenchExec = append(p.BenchExec, part)
	}
	return p, nil
}

// packTable writes a stored table, compressed. It reuses the parts that an earlier report kept.
func (in *Input) packTable(w io.Writer, table []byte, format results.Format) error {
	return results.PublishParts(bytes.NewReader(table), int64(len(table)), format,
		func(id string, write func(io.Writer) error) error {
			if id != "" {
				id = in.keptID("rows/1", id)
			}
			part, err := keptOr(in, id, func() ([]byte, error) { return pack(write) })
			if err != nil {
				return err
			}
			_, err = w.Write(part)
			return err
		})
}

// zippers holds compressors, which are large.
var zippers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // the level is valid
	return z
}}

// zipped compresses without a timestamp or name, so that equal content produces equal bytes.
func zipped(write func(io.Writer) error) func(io.Writer) error {
	return func(w io.Writer) error {
		z := zippers.Get().(*gzip.Writer)
		defer zippers.Put(z)
		z.Reset(w)
		if err := write(z); err != nil {
			return err
		}
		return z.Close()
	}
}

// pack returns what write writes, compressed.
func pack(write func(io.Writer) error) ([]byte, error) {
	var b bytes.Buffer
	err := zipped(write)(&b)
	return b.Bytes(), err
}

// writeParts writes a compressed file from texts and compressed parts.
func writeParts(w io.Writer, begin string, parts [][]byte, between, end string) error {
	text := func(s string) error {
		return zipped(func(w io.Writer) error {
			_, err := io.WriteString(w, s)
			return err
		})(w)
	}
	if err := text(begin); err != nil {
		return err
	}
	for i, p := range parts {
		if i > 0 && between != "" {
			if err := text(between); err != nil {
				return err
			}
		}
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return text(end)
}
