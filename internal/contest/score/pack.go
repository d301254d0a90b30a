package score

import (
	"encoding/gob"
	"errors"
	"io"
)

// packedTrack is a Track as Pack writes it.
type packedTrack struct {
	Name       string
	Benchmarks []string // names
	About      []packedBenchmark
	AboutOf    []int32 // index into About of each benchmark
	Solvers    []Solver
	Groups     [][2]string // division and logic

	Benchmark, Solver, Answer, Rest []int32
	Wall, CPU                       []int64 // picoseconds
	NoCPU                           bool
	Answers                         []string
	Rests                           []Rest
}

// packedBenchmark is what is known about a benchmark, apart from its name.
type packedBenchmark struct {
	Benchmark
	Group              int32
	Assertions, Checks int64
}

// Pack writes the runs in a form that Unpack reads several times faster than a table. No other version of smtpipe can
// read it. The runs must not have logics that solvers entered without a run.
func (r *Runs) Pack(w io.Writer) error {
	enc := gob.NewEncoder(w)
	for _, t := range r.Tracks {
		if t.entered != nil {
			return errors.New("runs with entered logics cannot be packed")
		}
		if err := enc.Encode(t.pack()); err != nil {
			return err
		}
	}
	return nil
}

func (t *Track) pack() *packedTrack {
	p := &packedTrack{Name: t.Name, Solvers: t.Solvers, Benchmark: t.benchmark, Solver: t.solver,
		Answer: t.answer.Codes, Rest: t.rest,
		Wall: whole(t.wall), CPU: whole(t.cpu), NoCPU: t.noCPU, Answers: t.answer.Words, Rests: t.rests}
	for _, g := range t.groups {
		p.Groups = append(p.Groups, [2]string{g.division, g.logic})
	}
	known := map[packedBenchmark]int32{}
	for i := range t.Benchmarks {
		b := packedBenchmark{t.Benchmarks[i], t.Benchmarks[i].group, t.Benchmarks[i].assertions, t.Benchmarks[i].checks}
		p.Benchmarks, b.Name = append(p.Benchmarks, b.Name), ""
		k, ok := known[b]
		if !ok {
			k = int32(len(p.About))
			known[b], p.About = k, append(p.About, b)
		}
		p.AboutOf = append(p.AboutOf, k)
	}
	return p
}

// Unpack reads runs that Pack wrote.
func Unpack(r io.Reader) (*Runs, error) {
	runs := &Runs{byName: map[string]*Track{}}
	for dec := gob.NewDecoder(r); ; {
		var p packedTrack
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return runs, nil
		} else if err != nil {
			return nil, err
		}
		t := p.unpack()
		runs.Tracks, runs.byName[t.Name] = append(runs.Tracks, t), t
	}
}

func (p *packedTrack) unpack() *Track {
	t := &Track{Name: p.Name, Solvers: p.Solvers, benchmark: p.Benchmark, solver: p.Solver, rest: p.Rest,
		wall: times(p.Wall), cpu: times(p.CPU), noCPU: p.NoCPU, rests: p.Rests}
	t.answer.Codes, t.answer.Words = p.Answer, p.Answers
	for _, g := range p.Groups {
		t.groups = append(t.groups, group{g[0], g[1]})
	}
	t.Benchmarks = make([]Benchmark, len(p.Benchmarks))
	for i, name := range p.Benchmarks {
		b := &p.About[p.AboutOf[i]]
		t.Benchmarks[i] = b.Benchmark
		t.Benchmarks[i].Name, t.Benchmarks[i].group = name, b.Group
		t.Benchmarks[i].assertions, t.Benchmarks[i].checks = b.Assertions, b.Checks
	}
	return t
}

// times converts picoseconds to times.
func times(ps []int64) []Time {
	out := make([]Time, len(ps))
	for i, t := range ps {
		out[i] = Time(t)
	}
	return out
}
