// Package benchexec reads the output of BenchExec, which has executed the competitions since 2024: result files (XML,
// which package compressed unpacks) and logs. It determines the outcome of a run independently of the tool module that
// judged it.
//
// It reads only those parts of a result file that describe runs. In particular, it skips the environment of the
// machine's shell, which every file contains.
package benchexec

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// Header holds the data that applies to all runs in a file.
type Header struct {
	Benchmark string // value of the attribute benchmarkname
	// Name is the run definition's name, followed by the task set's name if the file covers only one set. It may be
	// empty.
	Name        string
	Block       string // name of the task set; empty if the file covers all task sets
	Tool        string
	Started     string  // value of the attribute starttime, or of date if that is absent
	CPULimitS   float64 // 0 means no limit
	MemoryBytes int64   // memory limit; 0 means no limit
	Cores       int64   // limit on cores; 0 means no limit
	Error       string  // reason why BenchExec did not finish the file, such as incomplete; empty if it did
	Machine     string  // processor, cores and memory; empty if not recorded or if there were several machines
	// Processors maps machine names to processors.
	Processors map[string]string
}

// Place returns the name and processor of the machine that executed a run; empty if they are not recorded.
func (h *Header) Place(r *Run) (host, processor string) {
	if host = r.Host; host == "" && len(h.Processors) == 1 {
		for host = range h.Processors {
		}
	}
	return host, h.Processors[host]
}

// Run is an execution of a tool. Times are in seconds and memory is in bytes; -1 means that the file does not contain
// the value.
type Run struct {
	Name   string
	Status string // the tool module's result: sat, unsat, unknown, TIMEOUT, OUT OF MEMORY, ...
	run.Usage
	ExitCode    int    // -1 if there is none
	Signal      int    // 0 if there is none
	Termination string // terminationreason: reason why BenchExec ended the run, such as walltime; empty if it did not
	Host        string // host in the VerifierCloud; empty if not recorded
}

// Executed reports whether the run was executed. An interruption of BenchExec or the loss of a node leaves runs without
// values.
func (r *Run) Executed() bool {
	return r.Termination != "killed" && (r.Status != "" || r.WallTimeS >= 0 || r.Termination != "")
}

// Read reads an unpacked file and calls fn with each run, in file order, and the header read so far. If fn returns an
// error, Read stops and returns it. Read rejects a file that is incomplete or not a result file. It keeps only one run
// in memory.
func Read(r io.Reader, fn func(*Header, Run) error) (Header, error) {
	in := limits.Table.Parts(r)
	d := xml.NewDecoder(in) // reads from in, with limits.Table
	d.Strict = true
	for {
		token, err := d.Token()
		if err == io.EOF {
			return Header{}, errors.New("BenchExec results: the file has no element <result>")
		}
		if err != nil {
			return Header{}, fmt.Errorf("BenchExec results: %w", err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if start.Name.Local != "result" {
			return Header{}, fmt.Errorf("BenchExec results: the file begins with <%s>, not <result>", start.Name.Local)
		}
		f := file{in: in, d: d, fn: fn}
		if f.header, err = headerOf(start); err != nil {
			return f.header, fmt.Errorf("BenchExec results, element <result>: %w", err)
		}
		return f.header, f.elements()
	}
}

func headerOf(start xml.StartElement) (Header, error) {
	a := map[string]string{}
	for _, x := range start.Attr {
		a[x.Name.Local] = x.Value
	}
	h := Header{Benchmark: a["benchmarkname"], Name: a["name"], Block: a["block"], Tool: a["tool"], Error: a["error"],
		Started: cmp.Or(a["starttime"], a["date"])}
	var memory, cores float64
	for _, l := range []struct {
		name, unit string
		to         *float64
	}{{"timelimit", "s", &h.CPULimitS}, {"memlimit", "B", &memory}, {"cpuCores", "", &cores}} {
		value := a[l.name]
		if slices.Contains(noLimit, value) {
			continue
		}
		var err error
		if *l.to, err = quantity(value, l.unit); err != nil {
			return h, fmt.Errorf("attribute %s is %q; it must be a number with its unit", l.name, value)
		}
	}
	h.MemoryBytes, h.Cores = int64(memory), int64(cores)
	return h, nil
}

// noLimit lists the values of attributes that mean no limit.
var noLimit = []string{"", "-", "None"}

// file is the state of reading a result file.
type file struct {
	in       *limits.Parts
	d        *xml.Decoder
	fn       func(*Header, Run) error
	header   Header
	machines int
	runs     int
}

// ignored lists the elements in <result> that do not describe runs: table columns, sums, and a text for display.
var ignored = []string{"columns", "column", "description"}

// elements reads the elements in <result>.
func (f *file) elements() error {
	for {
		f.in.Begin(f.d.InputOffset())
		token, err := f.d.Token()
		if err != nil {
			return fmt.Errorf("BenchExec results after %d runs: %w", f.runs, err)
		}
		if _, ok := token.(xml.EndElement); ok {
			return nil
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if err := f.element(start); err != nil {
			return err
		}
	}
}

func (f *file) element(start xml.StartElement) error {
	name := start.Name.Local
	switch {
	case name == "run":
		run, err := readRun(f.d, start)
		if err != nil {
			return fmt.Errorf("BenchExec results, run %d %q: %w", f.runs, run.Name, err)
		}
		f.runs++
		return f.fn(&f.header, run)
	case name == "systeminfo":
		var info systemInfo
		if err := f.d.DecodeElement(&info, &start); err != nil {
			return fmt.Errorf("BenchExec results, element <systeminfo>: %w", err)
		}
		f.machine(&info)
		return nil
	case !slices.Contains(ignored, name):
		return fmt.Errorf("BenchExec results after %d runs: unknown element <%s>", f.runs, name)
	}
	if err := f.d.Skip(); err != nil {
		return fmt.Errorf("BenchExec results, element <%s>: %w", name, err)
	}
	return nil
}

// systemInfo describes a machine. It excludes the environment.
type systemInfo struct {
	Hostname string `xml:"hostname,attr"`
	CPU      struct {
		Model string `xml:"model,attr"`
		Cores string `xml:"cores,attr"`
	} `xml:"cpu"`
	RAM struct {
		Size string `xml:"size,attr"`
	} `xml:"ram"`
}

// machine records a machine. If there are several, Header.Machine is empty, because no single machine applies to all
// runs.
func (f *file) machine(info *systemInfo) {
	machine := info.CPU.Model
	if info.CPU.Cores != "" {
		machine += "; " + info.CPU.Cores + " cores"
	}
	if info.RAM.Size != "" {
		machine += "; " + info.RAM.Size
	}
	if f.machines++; f.machines > 1 && machine != f.header.Machine {
		machine = ""
	}
	f.header.Machine = machine
	if f.header.Processors == nil {
		f.header.Processors = map[string]string{}
	}
	f.header.Processors[info.Hostname] = info.CPU.Model
}

// runElement is an element <run>.
type runElement struct {
	Name    string `xml:"name,attr"`
	Columns []struct {
		Title string `xml:"title,attr"`
		Value string `xml:"value,attr"`
	} `xml:"column"`
	Others []struct{ XMLName xml.Name } `xml:",any"`
}

func readRun(d *xml.Decoder, start xml.StartElement) (Run, error) {
	var x runElement
	err := d.DecodeElement(&x, &start)
	r := Run{Name: x.Name, ExitCode: -1, Usage: run.Usage{CPUTimeS: -1, WallTimeS: -1, MemoryBytes: -1}}
	if len(x.Others) > 0 {
		err = cmp.Or(err, fmt.Errorf("unknown element <%s>", x.Others[0].XMLName.Local))
	}
	for _, c := range x.Columns {
		err = cmp.Or(err, r.set(c.Title, c.Value))
	}
	return r, err
}

// set sets a column's value. It skips columns that do not affect the run's outcome, such as the time on each core.
func (r *Run) set(title, value string) error {
	var err error
	var n float64
	switch title {
	case "status":
		r.Status = value
	case "host":
		r.Host = value
	case "terminationreason":
		r.Termination = value
	case "cputime":
		n, err = quantity(value, "s")
		r.CPUTimeS = run.Seconds(n)
	case "walltime":
		n, err = quantity(value, "s")
		r.WallTimeS = run.Seconds(n)
	case "memory", "memUsage":
		n, err = quantity(value, "B")
		r.MemoryBytes = int64(math.Round(n))
	case "returnvalue":
		r.ExitCode, err = strconv.Atoi(value)
	case "exitsignal":
		r.Signal, err = strconv.Atoi(value)
	}
	if err != nil {
		return fmt.Errorf("column %s is %q; it must be a number with its unit", title, value)
	}
	return nil
}

// most is the largest quantity accepted. Up to it, quantities are exact integers.
const most = 1 << 53

// quantity parses a number that is at least 0 and may be followed by a unit.
func quantity(value, unit string) (float64, error) {
	n, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(value, unit)), 64)
	if err == nil && !(n >= 0 && n <= most) {
		err = strconv.ErrRange
	}
	return n, err
}

// Answer returns the answer according to the tool module: sat, unsat, unknown, or empty. The organisers' modules print
// true for sat and false for unsat, as BenchExec's modules do for properties. "TIMEOUT (true)" is not an answer,
// because it came too late.
func (r *Run) Answer() comp.Answer {
	switch r.Status {
	case "true":
		return comp.AnswerSat
	case "false":
		return comp.AnswerUnsat
	case "ERROR":
		return comp.AnswerUnknown
	}
	return comp.ReadAnswer(r.Status)
}

// Entry is the parsed name of a run definition in the organisers' form: SOLVER,PARTICIPATION,TRACK.
type Entry struct {
	Solver        string
	Participation int
	Track         comp.Track
	OfCores       bool // the runs validate other solvers' unsat cores; Track is SingleQuery
}

// ofCores is the word that the organisers write instead of a track for runs of validation solvers.
const ofCores = "UnsatCoreValidation"

// Entry parses the name of the run definition. ok is false for a name that does not have the organisers' form.
func (h *Header) Entry() (e Entry, ok bool) {
	parts := strings.Split(h.Definition(), ",")
	if len(parts) != 3 || parts[0] == "" {
		return Entry{}, false
	}
	participation, err := strconv.Atoi(parts[1])
	if err != nil || participation < 0 {
		return Entry{}, false
	}
	e = Entry{Solver: parts[0], Participation: participation}
	name, _, _ := strings.Cut(parts[2], ".")
	if name == ofCores {
		e.Track, e.OfCores = comp.SingleQuery, true
		return e, true
	}
	if e.Track, err = comp.ParseTrack(name); err != nil {
		return Entry{}, false
	}
	return e, true
}

// Definition returns only the run definition's name.
func (h *Header) Definition() string {
	if h.Block == "" {
		return h.Name
	}
	return strings.TrimSuffix(strings.TrimSuffix(h.Name, h.Block), ".")
}
