package runner

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// terminationReason returns runexec's word for an ending; empty if the command ended by itself.
func terminationReason(rec *Record) string {
	switch rec.Ending {
	case comp.WallTimeout:
		return "walltime"
	case comp.CPUTimeout:
		return "cputime"
	case comp.OutOfMemory:
		return "memory"
	case comp.FilesLimit:
		return "files-size"
	case comp.OutputLimit, comp.PidsLimit, comp.Killed:
		return string(rec.Ending)
	}
	if rec.Flags.Has(FlagSoftLimit) {
		return "cputime-soft"
	}
	return ""
}

// WriteText writes the record as runexec's lines, followed by smtpipe's own.
func (rec *Record) WriteText(w io.Writer) error {
	p := func(key, format string, value any) {
		fmt.Fprintf(w, "%s="+format+"\n", key, value)
	}
	p("starttime", "%s", rec.Started.Local().Format("2006-01-02T15:04:05.000000-07:00"))
	if reason := terminationReason(rec); reason != "" {
		p("terminationreason", "%s", reason)
	}
	if rec.Signal != 0 {
		p("exitsignal", "%d", rec.Signal)
	} else {
		p("returnvalue", "%d", rec.ExitCode)
	}
	p("walltime", "%.6fs", rec.WallTimeS)
	p("cputime", "%.6fs", rec.CPUTimeS)
	p("memory", "%dB", rec.MemoryBytes)
	if rec.Pressure != nil {
		p("pressure-cpu-some", "%.6fs", rec.Pressure[0].Seconds())
		p("pressure-io-some", "%.6fs", rec.Pressure[2].Seconds())
		p("pressure-memory-some", "%.6fs", rec.Pressure[1].Seconds())
	}
	p("ending", "%s", string(rec.Ending))
	p("usertime", "%.6fs", rec.UserTime.Seconds())
	p("systemtime", "%.6fs", rec.SystemTime.Seconds())
	p("stdout", "%dB", rec.Stdout.Total)
	p("stderr", "%dB", rec.Stderr.Total)
	for _, l := range rec.Lines {
		p("answer", "%s", strings.TrimSpace(string(l.Text))+" "+fmt.Sprintf("%.6fs", l.At.Seconds()))
	}
	p("isolation", "%s", rec.Isolation)
	p("cgroups", "%s", rec.Layout)
	if rec.CPUs != "" {
		p("cpus", "%s", rec.CPUs)
	}
	_, err := fmt.Fprintf(w, "flags=%s\n", rec.Flags)
	return err
}

// recordJSON is a record's JSON form.
type recordJSON struct {
	Command  []string    `json:"command"`
	Started  time.Time   `json:"started"`
	Ending   comp.Ending `json:"ending"`
	ExitCode *int64      `json:"exit_code,omitempty"`
	Signal   int64       `json:"signal,omitempty"`
	usageJSON
	Stdout  streamJSON   `json:"stdout"`
	Stderr  streamJSON   `json:"stderr"`
	Answers []answerJSON `json:"answers"`
	Flags   []string     `json:"flags"`
	placeJSON
	Environment []string `json:"environment"`
	Files       []string `json:"result_files,omitempty"`
}

// usageJSON contains the resources that the run used.
type usageJSON struct {
	WallTime   float64 `json:"wall_time_s"`
	CPUTime    float64 `json:"cpu_time_s"`
	UserTime   float64 `json:"user_time_s"`
	SystemTime float64 `json:"system_time_s"`
	Memory     int64   `json:"memory_bytes"`
	Processes  int     `json:"processes,omitempty"`
	Read       int64   `json:"read_bytes"`
	Written    int64   `json:"written_bytes"`
}

// placeJSON describes where the run was executed.
type placeJSON struct {
	Isolation string `json:"isolation"`
	Cgroups   string `json:"cgroups"`
	CPUs      string `json:"cpus,omitempty"`
}

type streamJSON struct {
	Total   int64 `json:"total_bytes"`
	Dropped int64 `json:"dropped_bytes"`
}

type answerJSON struct {
	Answer   string  `json:"answer"`
	WallTime float64 `json:"wall_time_s"`
	CPUTime  float64 `json:"cpu_time_s"`
}

// WriteJSON writes the record of a command as JSON, as docs/tools/json.md describes it.
func (rec *Record) WriteJSON(w io.Writer, command []string) error {
	r := recordJSON{
		Command: command, Started: rec.Started.Local(), Ending: rec.Ending, Signal: rec.Signal,
		usageJSON: usageJSON{float64(rec.WallTimeS), float64(rec.CPUTimeS), rec.UserTime.Seconds(),
			rec.SystemTime.Seconds(), rec.MemoryBytes, rec.Processes, rec.ReadBytes, rec.WrittenBytes},
		Stdout: streamJSON{rec.Stdout.Total, rec.Stdout.Dropped()},
		Stderr: streamJSON{rec.Stderr.Total, rec.Stderr.Dropped()}, Answers: []answerJSON{},
		Flags: rec.Flags.Names(), placeJSON: placeJSON{rec.Isolation, rec.Layout, rec.CPUs}, Environment: rec.Env,
	}
	if rec.Signal == 0 {
		r.ExitCode = &rec.ExitCode
	}
	if r.Flags == nil {
		r.Flags = []string{}
	}
	for _, l := range rec.Lines {
		r.Answers = append(r.Answers, answerJSON{strings.TrimSpace(string(l.Text)), l.At.Seconds(), l.CPU.Seconds()})
	}
	for _, file := range rec.Collected {
		r.Files = append(r.Files, file.Path)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
