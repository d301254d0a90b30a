package report

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
)

// A track's matrix has a row for each benchmark and columns for each solver. Its index names the solvers and divisions.
// Each division has three files: answers and wall times, CPU times, and memory.

// matrixBody fills a matrix page.
type matrixBody struct {
	Benchmarks, Solvers int64
	Index, ID           string
	Tracks              []link // all tracks that have a matrix
	Title               string
}

type matrixIndex struct {
	Track     string           `json:"track"`
	Solvers   []solverData     `json:"solvers"`
	Divisions []matrixDivision `json:"divisions"`
}

type matrixDivision struct {
	Name       string `json:"name"`
	Benchmarks int    `json:"benchmarks"`
	ID         string `json:"id"` // data file's address, without the part's name
	Data       string `json:"data"`
	Run        string `json:"run"` // address of the page that shows a run
	Memory     bool   `json:"memory"`
}

// matrixData is a division's data file. Answer and Wall contain a value for each benchmark and solver, in benchmark
// order. A value of Answer is an index in Kinds plus 1, or 0 if there is no run.
type matrixData struct {
	Solvers    []int        `json:"solvers"` // indexes in the index file's solvers
	Logics     []string     `json:"logics"`
	Families   []familyData `json:"families"`
	Benchmarks []string     `json:"benchmarks"` // file names
	BenchFam   string       `json:"bench_family"`
	Status     string       `json:"bench_status"`
	Statuses   []string     `json:"statuses"`
	Kinds      [][2]string  `json:"kinds"`  // answer and verdict of each kind
	Answer     string       `json:"answer"` // base64 of uint16 values
	Wall       string       `json:"wall_s"` // base64 of float32 values
}

func (t *track) matrixHref() string {
	if t.totals.Runs == 0 {
		return ""
	}
	return path.Join("matrix", t.slug+".html")
}

func (t *track) matrixIndexHref() string { return path.Join("data", t.slug, "matrix.js") }

// matrixHref returns the address of a division's data files, without the part's name.
func (d *division) matrixHref() string { return path.Join("data", d.track.slug, d.slug+".matrix-") }

func (s *site) matrixPage(t *track) file {
	body := &matrixBody{Benchmarks: t.totals.Benchmarks, Solvers: int64(len(t.matrixSolvers())), Title: t.title,
		Index: t.matrixIndexHref(), ID: t.slug + "/matrix"}
	for _, o := range s.m.tracks {
		if h := o.matrixHref(); h != "" {
			body.Tracks = append(body.Tracks, link{o.title, h})
		}
	}
	return s.page(t.matrixHref(), "matrix", page{Title: "Benchmarks × solvers", Section: "matrix",
		Scripts: []string{"data.js", "matrix.js"}, Crumbs: []crumb{{"Overview", "index.html"}, {t.title, t.href()}},
		Body: func() any { return body }})
}

// matrixFiles returns a track's matrix page and its data files.
func (s *site) matrixFiles(t *track) []file {
	if t.matrixHref() == "" {
		return nil
	}
	solvers := t.matrixSolvers()
	index := &matrixIndex{Track: t.name}
	for _, name := range solvers {
		v := s.m.solver(name)
		index.Solvers = append(index.Solvers, solverData{name, v.slug, v.competitive})
	}
	files := []file{s.matrixPage(t)}
	for _, d := range t.divisions {
		r := d.runs
		if r == nil {
			continue
		}
		id := d.dataID() + "/matrix-"
		index.Divisions = append(index.Divisions, matrixDivision{d.name, r.Benchmarks, id,
			d.matrixHref(), d.runHref("", ""), r.Memory})
		add := func(part string, value func() (any, error)) {
			f := file{d.matrixHref() + part + ".js", func(w io.Writer) error {
				v, err := value()
				if err != nil {
					return err
				}
				return writeData(w, id+part, v)
			}}
			files = append(files, s.ofRuns(d, f, id, part, d.name, solvers))
		}
		add("answers", func() (any, error) { return r.matrixData(solvers) })
		add("cpu", func() (any, error) { return r.dense(func(i int) float64 { return r.cpu[i] }), nil })
		if r.Memory {
			add("memory", func() (any, error) {
				return r.dense(func(i int) float64 { return float64(r.memory[i]) }), nil
			})
		}
	}
	return append(files, file{t.matrixIndexHref(), func(w io.Writer) error {
		return writeData(w, t.slug+"/matrix", index)
	}})
}

// matrixSolvers returns the names of the solvers with runs in the track.
func (t *track) matrixSolvers() []string {
	set := map[string]bool{}
	for _, d := range t.divisions {
		if d.runs != nil {
			for _, name := range d.runs.Solvers {
				set[name] = true
			}
		}
	}
	return sortedKeys(set)
}

// matrixData returns a division's answers and wall times. all contains the track's solvers.
func (t *runTable) matrixData(all []string) (*matrixData, error) {
	data := &matrixData{Logics: t.Logics, Wall: t.dense(func(i int) float64 { return t.wall[i] })}
	for _, name := range t.Solvers {
		data.Solvers = append(data.Solvers, slices.Index(all, name))
	}
	for _, f := range t.families {
		data.Families = append(data.Families, familyData(f))
	}
	family, status, statuses := make([]uint32, len(t.benches)), make([]uint16, len(t.benches)), newNames()
	for i, b := range t.benches {
		data.Benchmarks = append(data.Benchmarks, b.name())
		family[i], status[i] = uint32(b.Family), uint16(statuses.of(b.Status))
	}
	data.BenchFam, data.Status, data.Statuses = column(family), column(status), statuses.list
	kinds, answers := map[[2]uint8]uint16{}, make([]uint16, len(t.benches)*len(t.Solvers))
	for i := range t.bench {
		key := [2]uint8{t.answer[i], t.verdict[i]}
		k, ok := kinds[key]
		if !ok {
			if len(data.Kinds) == math.MaxUint16 {
				return nil, fmt.Errorf("the runs have more than %d answer-verdict pairs", math.MaxUint16)
			}
			data.Kinds = append(data.Kinds, [2]string{t.answers.list[key[0]], t.verdicts.list[key[1]]})
			k = uint16(len(data.Kinds))
			kinds[key] = k
		}
		answers[t.place(i)] = k
	}
	data.Answer = column(answers)
	return data, nil
}

// place returns a run's index in a list with a value for each benchmark and solver.
func (t *runTable) place(run int) int {
	return int(t.bench[run])*len(t.Solvers) + int(t.solver[run])
}

// dense returns a float32 for each benchmark and solver; NaN means no run.
func (t *runTable) dense(value func(run int) float64) string {
	n := len(t.benches) * len(t.Solvers)
	buf := make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(buf[4*i:], math.Float32bits(float32(math.NaN())))
	}
	for i := range t.bench {
		binary.LittleEndian.PutUint32(buf[4*t.place(i):], math.Float32bits(float32(value(i))))
	}
	return base64.StdEncoding.EncodeToString(buf)
}
