package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

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

// writeOfficial writes results-TRACK-YYYY.json in the format that the organisers' programs read, division by division.
//
// Source: SMT-COMP/smt-comp.github.io, smtcomp/defs.py, as of 2025 (Results, Result, Answer).
func (s *site) writeOfficial(w io.Writer, t *track) error {
	all, err := s.packs()
	if err != nil {
		return err
	}
	var parts [][]byte
	for _, d := range t.divisions {
		if d.runs != nil {
			parts = append(parts, all[d].Official)
		}
	}
	return writeParts(w, `{"results":[`, parts, ",", "\n]}\n")
}

type officialFile struct {
	Incremental bool     `json:"incremental"`
	Logic       string   `json:"logic"`
	Family      []string `json:"family"`
	Name        string   `json:"name"`
}

// official writes the runs in the organisers' format, as a list without brackets.
func (t *runTable) official(w io.Writer, track string) error {
	solvers := make([]string, len(t.Solvers))
	for k, name := range t.Solvers {
		solvers[k] = inJSON(name)
	}
	var buf []byte
	file, of := "", -1 // the last benchmark, and its number
	for i, k := range t.bench {
		if int(k) != of {
			file, of = inJSON(t.officialFile(int(k), track)), int(k)
		}
		if i > 0 {
			buf = append(buf, ',')
		}
		if both := t.cpu[i] + t.wall[i]; math.IsNaN(both) || math.IsInf(both, 0) {
			return fmt.Errorf("run of %s on %s: JSON has no number for the times %v and %v", t.Solvers[t.solver[i]],
				t.benches[k].Path, t.cpu[i], t.wall[i])
		}
		v := t.verdictOf(i)
		answers := int64(1)
		switch track {
		case "Incremental":
			answers = v.ChecksCorrect + v.ChecksWrong
		case "UnsatCore":
			answers = max(v.CoreSize, 0)
		}
		buf = fmt.Appendf(buf, "\n{\"track\":%q,\"solver\":%s,\"file\":%s,\"result\":%q,\"cpu_time\":", track,
			solvers[t.solver[i]], file, officialResult(v, track))
		buf = strconv.AppendFloat(buf, t.cpu[i], 'f', -1, 64)
		buf = append(buf, `,"wallclock_time":`...)
		buf = strconv.AppendFloat(buf, t.wall[i], 'f', -1, 64)
		buf = fmt.Appendf(buf, `,"memory_usage":%d,"nb_answers":%d}`, t.memory[i], answers)
		if _, err := w.Write(buf); err != nil {
			return err
		}
		buf = buf[:0]
	}
	return nil
}

// inJSON returns a text, or a structure of texts, in JSON.
func inJSON(v any) string {
	body, _ := json.Marshal(v) // marshalling texts cannot fail
	return string(body)
}

// verdictOf returns what the table knows of the verdict on a run.
func (t *runTable) verdictOf(i int) *results.VerdictRow {
	v := &results.VerdictRow{}
	v.Answer, v.Ending = t.answers.list[t.answer[i]], comp.Ending(t.endings.list[t.ending[i]])
	v.Verdict, v.Status = t.verdicts.list[t.verdict[i]], t.benches[t.bench[i]].Status
	if t.detail != nil {
		d := &t.detail[i]
		v.Validation, v.CoreSize = t.texts.list[d.Validation], int64(d.CoreSize)
		v.ChecksCorrect, v.ChecksWrong = int64(d.ChecksCorrect), int64(d.ChecksWrong)
	}
	if v.ChecksCorrect+v.ChecksWrong == 0 { // the details do not repeat what a verdict on a single check says
		switch comp.Verdict(v.Verdict) {
		case comp.Correct:
			v.ChecksCorrect = 1
		case comp.Wrong:
			v.ChecksWrong = 1
		}
	}
	return v
}

// officialFile describes a benchmark.
func (t *runTable) officialFile(k int, track string) officialFile {
	b := &t.benches[k]
	loc, ok := comp.ParseLocation(b.Path)
	if !ok {
		ref := &t.families[b.Family]
		loc = comp.Location{Incremental: track == "Incremental", Logic: comp.Logic(t.Logics[ref.Logic]),
			Family: comp.Family(ref.Name), Name: path.Base(b.Path)}
	}
	f := officialFile{loc.Incremental, string(loc.Logic), []string{}, loc.Name}
	if loc.Family != "" {
		f.Family = strings.Split(string(loc.Family), "/")
	}
	return f
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
