package score

import (
	"bufio"
	"encoding/gob"
	"errors"
	"io"
)

// packedTrack is a Track as Pack writes it.
type packedTrack struct {
	packedHead
	names []string // of benchmarks
	about []int32  // index into About of each benchmark

	benchmark, solver, answer, rest []int32
	wall, cpu                       []int64 // picoseconds
}

// packedHead holds what runs share.
type packedHead struct {
	Name    string
	About   []packedBenchmark
	Solvers []Solver
	Groups  [][2]string // division and logic
	NoCPU   bool
	Answers []string
	Rests   []Rest
}

// parts returns pointers to everything that a packed track consists of. Each is written by itself, because reading
// needs twice the memory of what is written at once.
func (p *packedTrack) parts() []any {
	return []any{&p.packedHead, &p.names, &p.about, &p.benchmark, &p.solver, &p.answer, &p.rest, &p.wall, &p.cpu}
}

// packedBenchmark is what is known about a benchmark, apart from its name.
type packedBenchmark struct {
	Benchmark
	Group              int32
	Assertions, Checks int64
}

// Pack writes the runs in a form that Unpack reads several times faster than a table. No other build of smtpipe can
// read it. The runs must not have logics that solvers entered without a run.
func (r *Runs) Pack(w io.Writer) error {
	enc := gob.NewEncoder(w)
	for _, t := range r.Tracks {
		if t.entered != nil {
			return errors.New("runs with entered logics cannot be packed")
		}
		for _, part := range t.pack().parts() {
			if err := enc.Encode(part); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *Track) pack() *packedTrack {
	p := &packedTrack{packedHead: packedHead{Name: t.Name, Solvers: t.Solvers, NoCPU: t.noCPU, Answers: t.answer.Words,
		Rests: t.rests}, benchmark: t.benchmark, solver: t.solver, answer: t.answer.Codes, rest: t.rest,
		wall: whole(t.wall), cpu: whole(t.cpu)}
	for _, g := range t.groups {
		p.Groups = append(p.Groups, [2]string{g.division, g.logic})
	}
	known := map[packedBenchmark]int32{}
	for i := range t.Benchmarks {
		b := packedBenchmark{t.Benchmarks[i], t.Benchmarks[i].group, t.Benchmarks[i].assertions, t.Benchmarks[i].checks}
		p.names, b.Name = append(p.names, b.Name), ""
		k, ok := known[b]
		if !ok {
			k = int32(len(p.About))
			known[b], p.About = k, append(p.About, b)
		}
		p.about = append(p.about, k)
	}
	return p
}

// Unpack reads runs that Pack wrote.
func Unpack(r io.Reader) (*Runs, error) {
	runs := &Runs{byName: map[string]*Track{}}
	for dec := gob.NewDecoder(bufio.NewReader(r)); ; {
		var p packedTrack
		for i, part := range p.parts() {
			if err := dec.Decode(part); i == 0 && errors.Is(err, io.EOF) {
				return runs, nil
			} else if err != nil {
				return nil, err
			}
		}
		t := p.unpack()
		runs.Tracks, runs.byName[t.Name] = append(runs.Tracks, t), t
	}
}

func (p *packedTrack) unpack() *Track {
	t := &Track{Name: p.Name, Solvers: p.Solvers, benchmark: p.benchmark, solver: p.solver, rest: p.rest,
		wall: times(p.wall), cpu: times(p.cpu), noCPU: p.NoCPU, rests: p.Rests}
	t.answer.Codes, t.answer.Words = p.answer, p.Answers
	for _, g := range p.Groups {
		t.groups = append(t.groups, group{g[0], g[1]})
	}
	t.Benchmarks = make([]Benchmark, len(p.names))
	for i, name := range p.names {
		b := &p.About[p.about[i]]
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

// Describe sets what is known about the solvers to what other runs tell. It returns false if these lack a solver.
func (r *Runs) Describe(by *Runs) bool {
	for _, t := range r.Tracks {
		of := by.byName[t.Name]
		if of == nil {
			return false
		}
		for i := range t.Solvers {
			s := &t.Solvers[i]
			id, ok := of.solverIDs[solverKey{s.Name, s.ID}]
			if !ok {
				return false
			}
			s.Entrant = of.Solvers[id].Entrant
		}
	}
	return true
}
