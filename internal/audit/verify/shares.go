package verify

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/table"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// Share states how many of a division's verdicts were recomputed from runs' outputs. The remaining verdicts are taken
// on trust.
type Share struct {
	Track    string `json:"track"`
	Division string `json:"division"`
	Verdicts int64  `json:"verdicts"`
	Again    int64  `json:"made_again"`
}

// shares counts, for each division, all verdicts and those in tables that were recomputed with the same result.
func (v *verification) shares(again *engine.Rechecked) {
	type place struct{ track, division string }
	all := map[place]*Share{}
	for i := range again.Steps {
		step := &again.Steps[i]
		same := slices.Contains(v.report.Stages, Stage{Addr: step.Addr, Kind: step.Kind, State: Same,
			Rows: int64(step.Rows)})
		for _, name := range slices.Sorted(maps.Keys(step.Outputs)) {
			art, ok := stages.ArtifactOf(step.Outputs[name])
			if !ok || art.Schema != results.SchemaOf[results.VerdictRow]().Name || step.Kind != "validate" {
				continue
			}
			count := func(_ int64, columns []table.Column, i int) {
				at := place{columns[0].Text(i), columns[1].Text(i)}
				s := all[at]
				if s == nil {
					s = &Share{Track: strings.Clone(at.track), Division: strings.Clone(at.division)}
					all[place{s.Track, s.Division}] = s
				}
				s.Verdicts++
				if same {
					s.Again++
				}
			}
			if err := artifact.EachRow(v.store, art, []string{"track", "division"}, count); err != nil {
				v.report.differs(step.Addr+"."+name, err.Error())
			}
		}
	}
	for _, s := range all {
		v.report.Shares = append(v.report.Shares, *s)
	}
	slices.SortFunc(v.report.Shares, func(a, b Share) int {
		return cmp.Or(strings.Compare(a.Track, b.Track), strings.Compare(a.Division, b.Division))
	})
}
