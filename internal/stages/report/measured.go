package report

import (
	"strings"
	"time"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/table"
	site "github.com/smtpipe/smtpipe/internal/publish/report"
)

// measuredColumns are the columns of runs/2 that measurements uses.
var measuredColumns = []string{"run_key", "answer_wall_time_s", "exit_code", "signal", "hardware", "isolation",
	"flags", "wall_limit_s", "cpu_limit_s", "memory_limit_bytes", "cores", "measured_at", "measured_with"}

// measurements holds the runs' data beyond their verdicts in compact form, since there may be a million runs.
type measurements struct {
	runs     map[runID]measured
	settings map[site.Setting]int32 // index of each setting in list
	list     []site.Setting
}

// runID is the first half of a run key. It identifies a run: no two of a million digests share 16 bytes.
type runID [16]byte

// idOf returns the identity in a run key. Most imported runs have no key.
func idOf(runKey string) (id runID, ok bool) {
	if runKey == "" { // much quicker than an error
		return id, false
	}
	key, err := cache.ParseDigest(runKey)
	return runID(key[:16]), err == nil
}

type measured struct {
	answerS      float64
	beganS       int64 // Unix time, or 0 if unknown
	setting      int32
	exit, signal int16
}

// readMeasurements reads what the runs' records contain beyond their verdicts.
func (act *action) readMeasurements(store *cache.Store) (func(runKey string) (site.Measured, bool), error) {
	all := measurements{runs: map[runID]measured{}, settings: map[site.Setting]int32{}}
	for _, t := range act.runs {
		err := artifact.EachRow(store, t, measuredColumns, func(_ int64, v []table.Column, i int) { all.add(v, i) })
		if err != nil {
			return nil, err
		}
	}
	return all.of, nil
}

// add adds the run in row i of the columns, unless it has no key because it was imported.
func (m *measurements) add(v []table.Column, i int) {
	id, ok := idOf(v[0].Text(i))
	if !ok {
		return
	}
	s := site.Setting{Hardware: v[4].Text(i), Isolation: v[5].Text(i), Flags: v[6].Text(i), WallLimitS: v[7].FloatAt(i),
		CPULimitS: v[8].FloatAt(i), MemoryLimit: v[9].IntAt(i), Cores: v[10].IntAt(i), MeasuredWith: v[12].Text(i)}
	k, known := m.settings[s]
	if !known {
		s.Hardware, s.Isolation = strings.Clone(s.Hardware), strings.Clone(s.Isolation)
		s.Flags, s.MeasuredWith = strings.Clone(s.Flags), strings.Clone(s.MeasuredWith)
		k = int32(len(m.list))
		m.settings[s], m.list = k, append(m.list, s)
	}
	run := measured{answerS: v[1].FloatAt(i), exit: int16(v[2].IntAt(i)), signal: int16(v[3].IntAt(i)), setting: k}
	if at, err := time.Parse(time.RFC3339, v[11].Text(i)); err == nil {
		run.beganS = at.Unix()
	}
	m.runs[id] = run
}

// of returns what the record with a run key contains.
func (m *measurements) of(runKey string) (site.Measured, bool) {
	id, ok := idOf(runKey)
	run, known := m.runs[id]
	if !ok || !known {
		return site.Measured{}, false
	}
	all := site.Measured{AnswerWallS: run.answerS, ExitCode: int64(run.exit), Signal: int64(run.signal),
		Setting: m.list[run.setting]}
	if run.beganS != 0 {
		all.MeasuredAt = time.Unix(run.beganS, 0).UTC().Format(time.RFC3339)
	}
	return all, true
}
