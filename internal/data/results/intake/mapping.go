package intake

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Mapping finds the benchmark of a run that is named by a number: the number of the benchmark in the organisers' list
// (1041_QF_LIA_fam__sub_a.yml), of a scrambled script (scrambled7.smt2), of a script and an unsat core
// (scrambled7_0.smt2), or of the benchmark in StarExec. The zero Mapping is empty and ready for use.
type Mapping struct {
	benchmarks []numbered
	indexing   sync.Once         // makes byNumber and byTask, which many results files do not need
	byNumber   map[int]string    // benchmark by number
	byTask     map[string]string // benchmark by task name; severalPaths if several benchmarks share it

	scrambled map[int]int       // benchmark number by script number
	cores     map[string]core   // cores by logic and file, such as QF_LIA/scrambled7_0.smt2
	spaces    map[string]string // path by StarExec's benchmark number
	expected  map[string]string // status by StarExec's benchmark number
}

type numbered struct {
	number int // -1 if it has none
	path   string
}

type core struct {
	benchmark int
	members   []int
}

// Place is a run's subject: a benchmark or an unsat core.
type Place struct {
	Path  string // the benchmark's path, as in a release
	Logic comp.Logic
	// Core lists an unsat core's named assertions if the run is on the core's script. It is nil if the run is on the
	// benchmark's script.
	Core []int
}

const severalPaths = "/"

// AddBenchmark adds a benchmark. number is its index in the organisers' list, where the non-incremental benchmarks come
// first, or -1. All benchmarks must be added before the first run is looked up.
func (m *Mapping) AddBenchmark(number int, b string) {
	m.benchmarks = append(m.benchmarks, numbered{number, b})
}

// index fills byNumber and byTask.
func (m *Mapping) index() {
	m.byNumber, m.byTask = map[int]string{}, map[string]string{}
	for _, b := range m.benchmarks {
		if b.number >= 0 {
			m.byNumber[b.number] = b.path
		}
		task, ok := taskOf(b.path)
		if known, twice := m.byTask[task]; twice && known != b.path {
			b.path = severalPaths
		}
		if ok {
			m.byTask[task] = b.path
		}
	}
}

// taskOf returns a benchmark's task name in the organisers' files, without its number: QF_LIA_fam__sub_a.
func taskOf(b string) (string, bool) {
	logic, at, ok := comp.LibraryPath(b)
	if !ok {
		return "", false
	}
	family, name := path.Split(strings.TrimPrefix(at, string(logic)+"/"))
	family = strings.ReplaceAll(strings.TrimSuffix(family, "/"), "/", "__")
	return string(logic) + "_" + family + "_" + strings.TrimSuffix(name, ".smt2"), true
}

// Read adds one of the organisers' files: original_id.csv, with the columns scramble_id and file, the mapping.json of
// the scripts that validate unsat cores, StarExec's spaces as XML, or a table of statuses by StarExec's numbers.
func (m *Mapping) Read(file string) error {
	o, err := open(file)
	if err != nil {
		return err
	}
	defer o.Close()
	return m.read(o)
}

// ReadUnpacked is like Read, for an unpacked file such as a file in an archive.
func (m *Mapping) ReadUnpacked(r io.Reader) error {
	in := bufio.NewReaderSize(r, peeked)
	head, err := in.Peek(peeked)
	if err != nil && err != io.EOF {
		return err
	}
	o := &opened{Reader: in}
	o.form, o.header = formOf(head)
	return m.read(o)
}

func (m *Mapping) read(o *opened) error {
	switch {
	case o.form == csvTable && bytes.HasPrefix(o.header, []byte("benchmark_id,")):
		return m.readExpected(o)
	case o.form == csvTable:
		return m.readIDs(o)
	case o.form == jsonLines:
		return m.readCores(o)
	case o.form == xmlFile:
		return m.readSpaces(o)
	}
	return errors.New("not a mapping: neither a table with the columns scramble_id and file (original_id.csv), an object " +
		"with the unsat cores of each benchmark (mapping.json), StarExec's spaces as XML, nor a table of benchmark_id and " +
		"expected")
}

func (m *Mapping) readIDs(r io.Reader) error {
	in := limits.Table.CSV(r)
	header, err := in.Read()
	if err != nil {
		return err
	}
	id, file := slices.Index(header, "scramble_id"), slices.Index(header, "file")
	if id < 0 || file < 0 || len(header) != 2 {
		return fmt.Errorf("the columns are %.100q; a mapping has scramble_id and file", header[:min(len(header), 10)])
	}
	if m.scrambled == nil {
		m.scrambled = map[int]int{}
	}
	for {
		record, err := in.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ := in.FieldPos(0)
		from, okFrom := number(record[id])
		to, okTo := number(record[file])
		if !okFrom || !okTo {
			return &comp.LineError{Line: line, Err: fmt.Errorf("%.100q must be two numbers", record)}
		}
		if known, twice := m.scrambled[from]; twice && known != to {
			return fmt.Errorf("line %d: script %d is that of benchmark %d and of %d; give the file of one track only", line,
				from, known, to)
		}
		m.scrambled[from] = to
	}
}

func number(text string) (int, bool) {
	n, err := strconv.ParseUint(text, 10, 31)
	return int(n), err == nil
}

// readCores reads an object that maps benchmarks, identified by number or by their script's file, to lists of cores and
// their files.
func (m *Mapping) readCores(r io.Reader) error {
	in := limits.Table.Parts(r)
	d := json.NewDecoder(in) // reads from in, with limits.Table
	if _, err := d.Token(); err != nil {
		return err
	}
	if m.cores == nil {
		m.cores = map[string]core{}
	}
	for d.More() {
		in.Begin(d.InputOffset())
		name, err := d.Token()
		if err != nil {
			return err
		}
		var list []struct {
			Core []int  `json:"core"`
			File string `json:"file"`
		}
		if err := d.Decode(&list); err != nil {
			return fmt.Errorf("benchmark %q: %w", name, err)
		}
		b, err := m.benchmarkOf(name.(string))
		if err != nil {
			return err
		}
		for _, c := range list {
			at := lastTwo(c.File)
			if _, twice := m.cores[at]; twice || len(c.Core) == 0 || at == "" || slices.Min(c.Core) < 0 {
				return fmt.Errorf("benchmark %q: the core %v in %q is empty, without a file of its own, or there twice",
					name, c.Core, c.File)
			}
			m.cores[at] = core{b, slices.Sorted(slices.Values(c.Core))}
		}
	}
	_, err := d.Token()
	return err
}

// benchmarkOf parses a benchmark's name in mapping.json: its number since 2025, and before that its script's file.
func (m *Mapping) benchmarkOf(name string) (int, error) {
	if n, ok := number(name); ok {
		return n, nil
	}
	if match := scriptFile().FindStringSubmatch(path.Base(name)); match != nil {
		return m.ofScript(match[1])
	}
	if match := taskFile().FindStringSubmatch(path.Base(name)); match != nil {
		n, _ := number(match[1])
		return n, nil
	}
	return 0, fmt.Errorf("%q is neither the number of a benchmark nor the file of its script", name)
}

func (m *Mapping) ofScript(id string) (int, error) {
	n, ok := number(id)
	b, known := m.scrambled[n]
	if !ok || !known {
		return 0, fmt.Errorf("there is no script %s in the mapping; give the original_id.csv of the track, before any "+
			"mapping.json", id)
	}
	return b, nil
}

var (
	taskFile   = pattern.Lazy(`^([0-9]{1,9})_(.+)\.yml$`)
	scriptFile = pattern.Lazy(`^(?:scrambled)?([0-9]{1,9})\.(?:yml|smt2)$`)
	coreFile   = pattern.Lazy(`^scrambled[0-9]+_[0-9]+\.(?:yml|smt2)$`)
)

// lastTwo returns a path's last two components; empty if there are fewer.
func lastTwo(p string) string {
	folder, file := path.Split(p)
	if folder = path.Base(folder); folder == "." || folder == "/" || file == "" {
		return ""
	}
	return folder + "/" + file
}

// Place returns a run's subject by the run's name in BenchExec. A name without a number is the benchmark's path, and
// track then determines its collection.
func (m *Mapping) Place(name string, track comp.Track) (Place, error) {
	base := path.Base(name)
	at := lastTwo(name)
	if m == nil {
		m = &Mapping{}
	}
	if c, ok := m.cores[at]; ok {
		p, err := m.numbered(c.benchmark, name)
		p.Core = c.members
		return p, err
	}
	if coreFile().MatchString(base) {
		return Place{}, fmt.Errorf("run %q is on the script of an unsat core that no mapping has; give the mapping.json "+
			"that lies beside these scripts", name)
	}
	if match := taskFile().FindStringSubmatch(base); match != nil {
		if strings.HasPrefix(match[2], path.Dir(at)+"_") {
			n, _ := number(match[1])
			return m.task(n, match[2], name)
		}
	}
	if match := scriptFile().FindStringSubmatch(base); match != nil {
		b, err := m.ofScript(match[1])
		if err != nil {
			return Place{}, fmt.Errorf("run %q: %w", name, err)
		}
		return m.numbered(b, name)
	}
	return ofPath(name, track)
}

// ofTask is like Place, for a benchmark with a number and the file of its task, which may be empty.
func (m *Mapping) ofTask(n int, file string) (Place, error) {
	if m == nil {
		m = &Mapping{}
	}
	if match := taskFile().FindStringSubmatch(path.Base(file)); match != nil {
		return m.task(n, match[2], file)
	}
	return m.numbered(n, file)
}

// task finds a benchmark by its number and its task's name, which must agree if both are known.
func (m *Mapping) task(n int, task, name string) (Place, error) {
	m.indexing.Do(m.index)
	numbered, ok := m.byNumber[n]
	named := m.byTask[task]
	switch {
	case ok && named != numbered && named != severalPaths:
		return Place{}, fmt.Errorf("run %q has the number of %s; the list of benchmarks is not the one by which these "+
			"runs were named", name, numbered)
	case ok:
		return place(numbered)
	case named == severalPaths:
		return Place{}, fmt.Errorf("run %q may be about several benchmarks of that name; give the organisers' list of "+
			"benchmarks, in which each has its number", name)
	case named == "":
		return Place{}, fmt.Errorf("the benchmark of run %q is unknown; give the organisers' list of "+
			"benchmarks (benchmarks), or the scripts (scripts)", name)
	}
	return place(named)
}

func (m *Mapping) numbered(n int, name string) (Place, error) {
	m.indexing.Do(m.index)
	b, ok := m.byNumber[n]
	if !ok {
		return Place{}, fmt.Errorf("run %q is about benchmark %d, which is not known; give the organisers' list of "+
			"benchmarks, in which each has its number", name, n)
	}
	return place(b)
}

func place(b string) (Place, error) {
	logic, _, ok := comp.LibraryPath(b)
	if !ok {
		return Place{}, fmt.Errorf("the benchmark %q is not below a folder named like a logic", b)
	}
	return Place{Path: b, Logic: logic}, nil
}

// ofPath extracts the library path from a name. A task x.yml represents x.smt2.
func ofPath(name string, track comp.Track) (Place, error) {
	logic, at, ok := comp.LibraryPath(name)
	if !ok {
		return Place{}, fmt.Errorf("run %q is not below a folder named like a logic", name)
	}
	if task, isTask := strings.CutSuffix(at, ".yml"); isTask {
		at = task + ".smt2"
	}
	collection := "non-incremental/"
	if track == comp.Incremental {
		collection = "incremental/"
	}
	return Place{Path: collection + at, Logic: logic}, nil
}
