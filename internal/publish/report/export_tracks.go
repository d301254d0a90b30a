package report

import (
	"bufio"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// trackExports returns a track's files: the organisers' format, BenchExec's format, and the rankings as texts.
func (s *site) trackExports(t *track) []export {
	var list []export
	if s.m.in.Verdicts != nil && t.totals.Runs > 0 {
		if official, code, ok := officialTrack(t.name); ok {
			name := fmt.Sprintf("export/results-%s-%d.json.gz", code, s.m.in.Competition.Year)
			f := file{name, zipped(func(w io.Writer) error { return s.writeOfficial(w, t, official) })}
			list = append(list, export{s.ofVerdicts(f, t.name, official), t.title,
				"All runs in the format of the organisers' repository", "JSON, gzip"})
		}
		list = append(list, s.benchExecExports(t)...)
	}
	for _, d := range t.divisions {
		list = append(list, s.divisionTexts(d)...)
	}
	return list
}

// officialTrack returns the organisers' names for a track.
func officialTrack(name string) (track, code string, ok bool) {
	t, err := comp.ParseTrack(name)
	if err != nil {
		return "", "", false
	}
	switch t {
	case comp.SingleQuery:
		return "SingleQuery", "sq", true
	case comp.Incremental:
		return "Incremental", "inc", true
	case comp.UnsatCore:
		return "UnsatCore", "uc", true
	case comp.ModelValidation:
		return "ModelValidation", "mv", true
	case comp.ProofExhibition:
		return "ProofExhibition", "pe", true
	case comp.Parallel:
		return "Parallel", "parallel", true
	case comp.Cloud:
		return "Cloud", "cloud", true
	}
	return "", "", false
}

type officialFile struct {
	Incremental bool     `json:"incremental"`
	Logic       string   `json:"logic"`
	Family      []string `json:"family"`
	Name        string   `json:"name"`
}

type officialRun struct {
	Track     string       `json:"track"`
	Solver    string       `json:"solver"`
	File      officialFile `json:"file"`
	Result    string       `json:"result"`
	CPUTime   float64      `json:"cpu_time"`
	WallTime  float64      `json:"wallclock_time"`
	Memory    int64        `json:"memory_usage"`
	NbAnswers int64        `json:"nb_answers"`
}

// writeOfficial writes results-TRACK-YYYY.json in the format that the organisers' programs read.
//
// Source: SMT-COMP/smt-comp.github.io, smtcomp/defs.py, as of 2025 (Results, Result, Answer).
func (s *site) writeOfficial(w io.Writer, t *track, name string) error {
	out := bufio.NewWriterSize(w, 1<<16)
	out.WriteString(`{"results":[`)
	first := true
	for v, err := range s.verdictsOf(t.name, "") {
		if err != nil {
			return err
		}
		body, err := json.Marshal(officialOf(&v, name))
		if err != nil {
			return fmt.Errorf("run of %s on %s: %w", v.Solver, v.Benchmark, err)
		}
		if !first {
			out.WriteByte(',')
		}
		first = false
		out.WriteByte('\n')
		out.Write(body)
	}
	out.WriteString("\n]}\n")
	return out.Flush()
}

func officialOf(v *results.VerdictRow, track string) *officialRun {
	run := &officialRun{Track: track, Solver: v.Solver, Result: officialResult(v, track), CPUTime: float64(v.CPUTimeS),
		WallTime: float64(v.WallTimeS), Memory: v.MemoryBytes, NbAnswers: 1}
	loc, ok := comp.ParseLocation(v.Benchmark)
	if !ok {
		loc = comp.Location{Incremental: track == "Incremental", Logic: comp.Logic(v.Logic),
			Family: comp.Family(v.Family), Name: path.Base(v.Benchmark)}
	}
	run.File = officialFile{loc.Incremental, string(loc.Logic), []string{}, loc.Name}
	if loc.Family != "" {
		run.File.Family = strings.Split(string(loc.Family), "/")
	}
	switch track {
	case "Incremental":
		run.NbAnswers = v.ChecksCorrect + v.ChecksWrong
	case "UnsatCore":
		run.NbAnswers = max(v.CoreSize, 0)
	}
	return run
}

// OfficialResult returns the word that the organisers' files use for a run's result.
func OfficialResult(v *results.VerdictRow) string {
	track, _, _ := officialTrack(v.Track)
	return officialResult(v, track)
}

// officialResult returns the word that the organisers' files use for a run's result. The files do not say why a model
// was not judged: an undecided validation becomes ModelValidatorException.
func officialResult(v *results.VerdictRow, track string) string {
	answer, ending := comp.Answer(v.Answer), comp.Ending(v.Ending)
	stopped := ""
	switch {
	case ending.TimedOut() || v.Answer == "timeout":
		stopped = "Timeout"
	case ending == comp.OutOfMemory || v.Answer == "memout":
		stopped = "OutOfMemory"
	}
	if track == "Incremental" {
		if v.ChecksWrong > 0 {
			return "IncrementalError"
		}
		return first(stopped, "incremental")
	}
	if !answer.Decides() {
		return first(stopped, "unknown")
	}
	switch {
	case track == "UnsatCore" && v.Validation == "invalid":
		return "UnsatCoreNotValidated"
	case track == "ModelValidation" && answer == comp.AnswerSat && v.Status == string(comp.StatusUnsat):
		return "ModelUnsat"
	case track == "ModelValidation" && v.Validation == "INVALID":
		return "ModelNotValidated"
	case track == "ModelValidation" && v.Validation == "UNKNOWN":
		return "ModelValidatorException"
	}
	return string(answer)
}

// benchExecExports returns each solver's file for BenchExec's table-generator.
func (s *site) benchExecExports(t *track) []export {
	var list []export
	for _, v := range s.m.solvers {
		if !s.ran(t, v.name) {
			continue
		}
		name := fmt.Sprintf("export/benchexec/%s.%s.results.xml.gz", t.slug, v.slug)
		f := file{name, zipped(func(w io.Writer) error { return s.writeBenchExec(w, t, v.name) })}.after(s.m.load)
		c := &s.m.in.Competition
		list = append(list, export{s.ofVerdicts(f, c.Name, c.Year, t.name, t.title, t.limits, v.name,
			s.m.in.Provenance.ToolVersion), t.title,
			"Runs of " + clean(v.name) + " for BenchExec's table-generator", "XML, gzip"})
	}
	return list
}

// ran reports whether the solver has a run in the track.
func (s *site) ran(t *track, solver string) bool {
	for _, d := range t.divisions {
		if d.runs != nil && slices.Contains(d.runs.Solvers, solver) {
			return true
		}
	}
	return false
}

// writeBenchExec writes a solver's runs in BenchExec's format.
//
// Source: BenchExec 3, doc/run-results.md and benchexec/result.py.
func (s *site) writeBenchExec(w io.Writer, t *track, solver string) error {
	out := bufio.NewWriterSize(w, 1<<16)
	c := s.m.in.Competition
	fmt.Fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<result benchmarkname=\"%s\" displayName=\"%s\" "+
		"name=\"%s\" tool=\"%s\" toolmodule=\"\" version=\"\" generator=\"smtpipe %s\" timelimit=\"%ss\" "+
		"cpuCores=\"%d\"",
		attr(fmt.Sprintf("%s %d", c.Name, c.Year)), attr(t.title), attr(t.name), attr(solver),
		attr(s.m.in.Provenance.ToolVersion),
		strconv.FormatFloat(t.limits.wall, 'f', -1, 64), t.limits.cores)
	if t.limits.memory > 0 {
		fmt.Fprintf(out, " memlimit=\"%dB\"", t.limits.memory)
	}
	out.WriteString(">\n<columns><column title=\"status\"/><column title=\"cputime\"/><column " +
		"title=\"walltime\"/><column title=\"memory\"/></columns>\n")
	var buf []byte
	for _, d := range t.divisions {
		if d.runs == nil {
			continue
		}
		k := slices.Index(d.runs.Solvers, solver)
		for i, who := range d.runs.solver {
			if int(who) != k {
				continue
			}
			buf = d.runs.appendBenchExec(buf[:0], i)
			if _, err := out.Write(buf); err != nil {
				return err
			}
		}
	}
	out.WriteString("</result>\n")
	return out.Flush()
}

func (t *runTable) appendBenchExec(buf []byte, i int) []byte {
	b := &t.benches[t.bench[i]]
	ending := t.endings.list[t.ending[i]]
	status, category := benchExecStatus(t.answers.list[t.answer[i]], t.verdicts.list[t.verdict[i]], ending)
	name := attr(b.Path)
	add := func(parts ...string) {
		for _, p := range parts {
			buf = append(buf, p...)
		}
	}
	add(`<run name="`, name, `" files="[`, name, `]"`)
	if comp.Status(b.Status).Known() {
		add(` expectedVerdict="`, b.Status, `"`)
	}
	add(`><column title="status" value="`, attr(status), `"/><column title="category" value="`, category,
		`"/><column title="cputime" value="`)
	buf = strconv.AppendFloat(buf, t.cpu[i], 'f', -1, 64)
	add(`s"/><column title="walltime" value="`)
	buf = strconv.AppendFloat(buf, t.wall[i], 'f', -1, 64)
	add(`s"/>`)
	if t.memory[i] > 0 {
		add(`<column title="memory" value="`)
		buf = strconv.AppendInt(buf, t.memory[i], 10)
		add(`B"/>`)
	}
	if reason := terminationReason(ending); reason != "" {
		add(`<column title="terminationreason" value="`, reason, `"/>`)
	}
	add("</run>\n")
	return buf
}

// benchExecStatus returns the status that table-generator shows and the category that it counts.
func benchExecStatus(answer, verdict, end string) (status, category string) {
	ending := comp.Ending(end)
	switch {
	case comp.Answer(answer).Decides():
		status = answer
	case ending.TimedOut() || answer == "timeout":
		return "TIMEOUT", "error"
	case ending == comp.OutOfMemory || answer == "memout":
		return "OUT OF MEMORY", "error"
	case ending == comp.Signalled:
		return "KILLED", "error"
	default:
		return "unknown", "unknown"
	}
	switch comp.Verdict(verdict) {
	case comp.Correct:
		return status, "correct"
	case comp.Wrong:
		return status, "wrong"
	}
	return status, "unknown"
}

func terminationReason(ending string) string {
	switch comp.Ending(ending) {
	case comp.WallTimeout:
		return "walltime"
	case comp.CPUTimeout:
		return "cputime"
	case comp.OutOfMemory:
		return "memory"
	case comp.FilesLimit:
		return "files-size"
	case comp.Killed:
		return "killed"
	}
	return ""
}

// attr escapes a text for an XML attribute.
func attr(s string) string {
	var w strings.Builder
	if err := xml.EscapeText(&w, []byte(results.Escaped(s))); err != nil {
		return ""
	}
	return w.String()
}

// divisionExports returns the download links on a division's page.
func (s *site) divisionExports(d *division) []link {
	var links []link
	for _, e := range s.divisionTexts(d) {
		links = append(links, link{e.format, e.name})
	}
	return links
}
