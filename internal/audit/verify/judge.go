package verify

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// judge adds a second execution's results to the report.
func (v *verification) judge(again *engine.Rechecked) {
	seen := map[string]bool{}
	for i := range again.Steps {
		step := &again.Steps[i]
		if step.Open {
			continue // errors reported elsewhere left its instances unknown
		}
		seen[step.Addr] = true
		stage := v.stage(step)
		if v.report.Stages = append(v.report.Stages, stage); stage.State != Same {
			v.bounds(step.Addr)
		}
		if m := step.Measured; m != nil && step.Outputs != nil {
			v.runs(step)
		}
	}
	for _, addr := range slices.Sorted(maps.Keys(v.folder.Lock.Stages)) {
		if !seen[addr] {
			v.report.differs(addr, "the lock has it, but the pipeline does not")
		}
	}
}

// stage returns the findings about a stage.
func (v *verification) stage(step *engine.RecheckedStep) Stage {
	s := Stage{Addr: step.Addr, Kind: step.Kind, Rows: int64(step.Rows)}
	lacks, incomplete := errors.AsType[*engine.LacksRunsError](step.Err)
	switch {
	case v.folder.Lock.Stages[step.Addr] == nil:
		s.State, s.Why = NotChecked, "it is not frozen"
	case step.Decision == engine.Deferred:
		s.State, s.Why = NotChecked, "its inputs differ from those listed in the folder"
	case step.Decision != engine.Cached && v.otherProgram(step):
		s.State, s.Why = NotChecked, fmt.Sprintf("smtpipe %s has another key for it than smtpipe %s, which wrote the "+
			"folder; use the program in its folder bin", v.Version, v.folder.Lock.Version)
		v.report.Unsure = true
	case step.Decision != engine.Cached:
		s.State = Different
		v.report.differs(step.Addr, "its key in the lock does not follow from the pipeline and its inputs"+
			changesText(step.Changes))
	case incomplete:
		s.State = Different
		v.report.differs(step.Addr, lacks.Error())
	case step.Err != nil:
		s.State, s.Why = NotChecked, v.excuse(step.Err)
	case len(step.Different) > 0:
		s.State = Different
		for _, name := range step.Different {
			v.compare(step, name)
		}
	case step.Measured != nil:
		s.State = Measured
		s.Why = fmt.Sprintf("on %s until %s by smtpipe %s", step.Measured.Hardware,
			step.Measured.Finished.Format("2006-01-02 15:04 MST"), step.Measured.Version)
	default:
		s.State = Same
	}
	return s
}

// otherProgram reports whether a stage's key differs because another program wrote the folder: another version, or a
// build between two versions that computes other results for this kind of stage.
func (v *verification) otherProgram(step *engine.RecheckedStep) bool {
	return v.folder.Lock.Version != v.Version || slices.ContainsFunc(step.Changes, func(c engine.Change) bool {
		return c.Name == "kind_version" || c.Name == "model_version"
	})
}

func changesText(changes []engine.Change) string {
	text := ""
	for _, c := range changes {
		text += "; " + c.String()
	}
	return text
}

// excuse returns the reason why a stage could not be recomputed. Content that the folder's level omits was never
// promised. Any other reason leaves the verdict open.
func (v *verification) excuse(err error) string {
	if lacks, ok := errors.AsType[*engine.NoEvidenceError](err); ok {
		v.report.Unsure = v.report.Unsure || v.folder.Lock.Level == "inputs"
		return lacks.Error()
	}
	if _, ok := errors.AsType[*cache.MissingError](err); ok { // err names one of many missing contents
		v.report.Unsure = v.report.Unsure || v.folder.Lock.Level != "outputs"
		return "it needs content that the folder does not have"
	}
	v.report.Unsure = true
	return err.Error()
}

// compare reports how an output differs from the recomputed one.
func (v *verification) compare(step *engine.RecheckedStep, name string) {
	where := step.Addr + "." + name
	was, isArtifact := stages.ArtifactOf(step.Outputs[name])
	now, ok := stages.ArtifactOf(step.Again[name])
	switch {
	case !isArtifact || !ok:
		v.report.differs(where, "the value in the folder differs from the one that its inputs produce")
	case was.Schema == "tree":
		v.compareTrees(where, was, now)
	case was.Schema == "blob":
		v.report.differs(where, fmt.Sprintf("the folder has sha256:%s, but its inputs produce sha256:%s", was.Digest,
			now.Digest))
	default:
		v.compareTables(where, was, now)
	}
}
