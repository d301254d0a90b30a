package report

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"
)

// writeData writes a data file: a script that passes one JSON value to the page. Scripts can be loaded from file://,
// where fetch does not work. The JSON escapes every < > & and line separator. Columns of numbers are little-endian
// arrays in base64.
func writeData(w io.Writer, id string, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	name, err := json.Marshal(id)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "smtpipe.put(%s,%s);\n", name, body)
	return err
}

// EvidenceName is the data file with evidence, which pages that show evidence load. The site that a stage writes does
// not contain it, because equal keys must produce equal sites.
const EvidenceName = "data/evidence.js"

// EvidenceReader is the script that loads the evidence. A site without this script shows no evidence.
const EvidenceReader = "assets/evidence.js"

// WriteEvidence writes the data file that contains evidence.
func WriteEvidence(w io.Writer, evidence any) error { return writeData(w, "evidence", evidence) }

// EvidenceIn returns the JSON in a data file that contains evidence.
func EvidenceIn(file []byte) ([]byte, error) {
	body, begins := bytes.CutPrefix(file, []byte(`smtpipe.put("evidence",`))
	body, ends := bytes.CutSuffix(body, []byte(");\n"))
	if !begins || !ends {
		return nil, errors.New(EvidenceName + " is not a data file of evidence")
	}
	return body, nil
}

// runData is the data file with a division's runs. The rows are sorted by benchmark and then by solver.
type runData struct {
	Track      string        `json:"track"`
	Division   string        `json:"division"`
	WallLimitS float64       `json:"wall_limit_s"`
	Cores      int64         `json:"cores"`
	MemoryMax  int64         `json:"memory_limit_bytes"`
	Solvers    []solverData  `json:"solvers"`
	Order      []int         `json:"order"` // the solvers by name, as in legends
	Pair       [2]int        `json:"pair"`  // the two solvers compared first
	Logics     []string      `json:"logics"`
	Families   []familyData  `json:"families"`
	Benchmarks []string      `json:"benchmarks"` // file names, in benchmark order
	BenchFam   string        `json:"bench_family"`
	Status     string        `json:"bench_status"`
	Statuses   []string      `json:"statuses"`
	Answers    []string      `json:"answers"`
	Verdicts   []string      `json:"verdicts"`
	Endings    []string      `json:"endings"`
	Reasons    []string      `json:"reasons"`
	N          int           `json:"n"`
	Bench      string        `json:"bench"`   // base64 of uint32 values
	Solver     string        `json:"solver"`  // base64 of uint16 values
	Answer     string        `json:"answer"`  // base64 of uint8 values
	Verdict    string        `json:"verdict"` // base64 of uint8 values
	Ending     string        `json:"ending"`  // base64 of uint8 values
	Reason     string        `json:"reason"`  // base64 of uint16 values
	Wall       string        `json:"wall_s"`  // base64 of float64 values
	CPU        string        `json:"cpu_s"`   // base64 of float64 values
	Memory     string        `json:"memory_bytes,omitempty"`
	DetailRows int           `json:"detail_rows,omitempty"` // rows per detail file; 0 if there are no details
	Commands   []commandData `json:"commands,omitempty"`
}

type solverData struct {
	Name        string `json:"name"`
	Page        string `json:"page"`
	Competitive bool   `json:"competitive"`
}

type familyData struct {
	Logic  int    `json:"logic"`
	Name   string `json:"name"`
	Folder string `json:"folder"`
}

type commandData struct {
	Solver  string   `json:"solver"`
	Command []string `json:"command"`
	Program string   `json:"program_sha256,omitempty"`
	Archive string   `json:"archive_sha256,omitempty"`
}

// detailRows is the number of runs whose details are in the same file.
const detailRows = 2000

func (m *model) runData(d *division) *runData {
	t := d.runs
	data := &runData{Track: d.track.name, Division: d.name, WallLimitS: d.limits.wall, Cores: d.limits.cores,
		MemoryMax: d.limits.memory,
		Logics:    t.Logics, Answers: t.answers.list, Verdicts: t.verdicts.list, Endings: t.endings.list,
		Reasons: t.reasons.list,
		N:       len(t.bench), Bench: column(t.bench), Solver: column(t.solver), Answer: column(t.answer),
		Verdict: column(t.verdict),
		Ending:  column(t.ending), Reason: column(t.reason), Wall: column(t.wall), CPU: column(t.cpu)}
	data.Order = t.sortedSolvers()
	data.Pair = t.Pair
	data.Solvers, data.Commands = m.solverData(d)
	for _, f := range t.families {
		data.Families = append(data.Families, familyData(f))
	}
	family, status, statuses := make([]uint32, len(t.benches)), make([]uint8, len(t.benches)), newNames()
	data.Benchmarks = make([]string, len(t.benches))
	for i, b := range t.benches {
		data.Benchmarks[i], family[i], status[i] = b.name(), uint32(b.Family), uint8(statuses.of(b.Status))
	}
	data.BenchFam, data.Status, data.Statuses = column(family), column(status), statuses.list
	if slices.ContainsFunc(t.memory, func(x int64) bool { return x > 0 }) {
		data.Memory = floatsOf(t.memory)
	}
	if t.detail != nil {
		data.DetailRows = detailRows
	}
	return data
}

// solverData returns a division's solvers and how they were started.
func (m *model) solverData(d *division) (solvers []solverData, commands []commandData) {
	for _, name := range d.runs.Solvers {
		s := m.solver(name)
		solvers = append(solvers, solverData{name, s.slug, s.competitive})
		for _, e := range s.entries {
			if e.Track == d.track.name {
				commands = append(commands, commandData{name, e.Command, e.ProgramSHA256, e.ArchiveSHA256})
			}
		}
	}
	return solvers, commands
}

// detailData is a part of the details of a division's runs. A row consists of the run key, followed by indexes in
// Texts: of the digests of script, stdout and stderr, of stdout itself, of a note, and of the pages of stdout and
// stderr. A run with a record has four more elements: the index of its setting, its exit code or signal as text, its
// start time, and the wall time of the answer in seconds (-1 if there is none). Most texts occur in many rows, so the
// run keys make up most of the file.
type detailData struct {
	First    int       `json:"first"`
	Texts    []string  `json:"texts"`
	Settings []Setting `json:"settings"`
	Rows     [][]any   `json:"rows"`
}

func (t *runTable) detailData(from, to int, logs map[string]bool,
	measured func(string) (Measured, bool)) *detailData {
	data := &detailData{First: from, Rows: make([][]any, 0, to-from)}
	texts, settings := newNames(), map[Setting]int{}
	page := func(digest string) string {
		if !logs[digest] {
			return ""
		}
		return LogName(digest)
	}
	for i := from; i < to; i++ {
		d := &t.detail[i]
		key, stdout, stderr := t.runKey(i), t.texts.list[d.StdoutSHA], t.texts.list[d.StderrSHA]
		line := []any{key}
		for _, s := range []string{t.benches[t.bench[i]].Script, stdout, stderr, clip(t.texts.list[d.Stdout], 2000),
			t.note(d), page(stdout), page(stderr)} {
			line = append(line, texts.of(s))
		}
		if m, ok := measured(key); ok {
			k, known := settings[m.Setting]
			if !known {
				k = len(data.Settings)
				settings[m.Setting], data.Settings = k, append(data.Settings, m.Setting)
			}
			line = append(line, k, m.exit(), m.MeasuredAt, m.AnswerWallS)
		}
		data.Rows = append(data.Rows, line)
	}
	data.Texts = texts.list
	return data
}

// exit describes how the process ended.
func (m *Measured) exit() string {
	switch {
	case m.Signal > 0:
		return fmt.Sprintf("signal %d", m.Signal)
	case m.ExitCode >= 0:
		return fmt.Sprintf("exit code %d", m.ExitCode)
	}
	return ""
}

// note formats the counts of the incremental and unsat-core tracks, or else the validation's result.
func (t *runTable) note(d *detail) string {
	validation := t.texts.list[d.Validation]
	switch {
	case d.Assertions > 0 && d.CoreSize >= 0:
		return fmt.Sprintf("core of %d of %d assertions, %s", d.CoreSize, d.Assertions,
			first(validation, "not validated"))
	case d.Checks > 1:
		return fmt.Sprintf("%d of %d check-sats correct, %d wrong", d.ChecksCorrect, d.Checks, d.ChecksWrong)
	case validation != "":
		return "validation: " + validation
	}
	return ""
}

// clip shortens a text to at most n bytes, without cutting a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for at := n; at >= 0 && at > n-utf8.UTFMax; at-- { // no further back in bytes that are not UTF-8
		if utf8.RuneStart(s[at]) {
			return s[:at] + "…"
		}
	}
	return s[:n] + "…"
}

func column[T uint8 | uint16 | uint32 | float64](values []T) string {
	buf, _ := binary.Append(nil, binary.LittleEndian, values) // cannot fail, because the values have a fixed size
	return base64.StdEncoding.EncodeToString(buf)
}

func floatsOf(values []int64) string {
	buf := make([]byte, 0, 8*len(values))
	for _, v := range values {
		buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(float64(v)))
	}
	return base64.StdEncoding.EncodeToString(buf)
}

// measured returns the function of Input.Measured, or a function that finds no runs.
func (m *model) measured() (func(string) (Measured, bool), error) {
	if m.in.Measured != nil {
		return m.in.Measured()
	}
	return func(string) (Measured, bool) { return Measured{}, false }, nil
}

func (m *model) solver(name string) *solver {
	i, ok := slices.BinarySearchFunc(m.solvers, name, func(s *solver, n string) int { return foldOrder(s.name, n) })
	if !ok {
		return &solver{name: name}
	}
	return m.solvers[i]
}
