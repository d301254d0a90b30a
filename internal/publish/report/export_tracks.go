package report

import (
	"encoding/xml"
	"fmt"
	"io"
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
			f := file{name, func(w io.Writer) error { return s.writeOfficial(w, t) }}
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

// benchExecExports returns each solver's file for BenchExec's table-generator.
func (s *site) benchExecExports(t *track) []export {
	var list []export
	for _, v := range s.m.solvers {
		if !s.ran(t, v.name) {
			continue
		}
		name := fmt.Sprintf("export/benchexec/%s.%s.results.xml.gz", t.slug, v.slug)
		f := file{name, func(w io.Writer) error { return s.writeBenchExec(w, t, v.name) }}
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

// writeBenchExec writes a solver's runs in BenchExec's format, division by division.
//
// Source: BenchExec 3, doc/run-results.md and benchexec/result.py.
func (s *site) writeBenchExec(w io.Writer, t *track, solver string) error {
	all, err := s.packs()
	if err != nil {
		return err
	}
	var head strings.Builder
	c := s.m.in.Competition
	fmt.Fprintf(&head, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<result benchmarkname=\"%s\" displayName=\"%s\" "+
		"name=\"%s\" tool=\"%s\" toolmodule=\"\" version=\"\" generator=\"smtpipe %s\" timelimit=\"%ss\" "+
		"cpuCores=\"%d\"",
		attr(fmt.Sprintf("%s %d", c.Name, c.Year)), attr(t.title), attr(t.name), attr(solver),
		attr(s.m.in.Provenance.ToolVersion),
		strconv.FormatFloat(t.limits.wall, 'f', -1, 64), t.limits.cores)
	if t.limits.memory > 0 {
		fmt.Fprintf(&head, " memlimit=\"%dB\"", t.limits.memory)
	}
	head.WriteString(">\n<columns><column title=\"status\"/><column title=\"cputime\"/><column " +
		"title=\"walltime\"/><column title=\"memory\"/></columns>\n")
	var parts [][]byte
	for _, d := range t.divisions {
		if d.runs != nil {
			if k := slices.Index(d.runs.Solvers, solver); k >= 0 {
				parts = append(parts, all[d].BenchExec[k])
			}
		}
	}
	return writeParts(w, head.String(), parts, "", "</result>\n")
}

// benchExec writes the runs of solver k. names are the benchmarks' paths as XML.
func (t *runTable) benchExec(w io.Writer, k int, names []string) error {
	var buf []byte
	for i, who := range t.solver {
		if int(who) != k {
			continue
		}
		buf = t.appendBenchExec(buf[:0], i, names[t.bench[i]])
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

func (t *runTable) appendBenchExec(buf []byte, i int, name string) []byte {
	b := &t.benches[t.bench[i]]
	ending := t.endings.list[t.ending[i]]
	status, category := benchExecStatus(t.answers.list[t.answer[i]], t.verdicts.list[t.verdict[i]], ending)
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
