package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/contest/preflight"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/lang/rehearse"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// sets creates the benchmarks and scripts of all parts, and reads an earlier year's answers.
func (f *rehearseFlags) sets(cmd *cobra.Command, p *project.Project,
	parts []rehearse.Part) (map[rehearse.Part]rehearse.Set, []results.HistoryRow, error) {
	c := p.Pipeline.Competition()
	trial := &preflight.Trial{Year: c.Year, Logics: map[string][]comp.Logic{}, LibraryOnly: true}
	if c.Rules != nil {
		trial.Rules, trial.Kinds = c.Rules.Name, c.Rules.Kinds
		if !rules.IsBuiltin(trial.Rules) && !filepath.IsAbs(trial.Rules) {
			trial.Rules = filepath.Join(p.Files.Folder, trial.Rules)
		}
	}
	if err := f.real(trial); err != nil {
		return nil, nil, err
	}
	table := rules.TableOf(c.Tracks)
	var has []comp.Logic
	unknown := slices.Clone(f.logics)
	for _, part := range parts {
		var logics []comp.Logic
		for _, d := range table.Divisions(part.Track) {
			logics = append(logics, d.Logics...)
		}
		has = append(has, logics...)
		unknown = slices.DeleteFunc(unknown, func(l string) bool {
			return len(logics) == 0 || slices.Contains(logics, comp.Logic(l))
		})
		if len(f.logics) > 0 {
			asked := logics
			logics = nil
			for _, l := range f.logics {
				if len(asked) == 0 || slices.Contains(asked, comp.Logic(l)) {
					logics = append(logics, comp.Logic(l))
				}
			}
		}
		if len(logics) == 0 {
			fmt.Fprintf(cmd.ErrOrStderr(),
				"Note: the track %s is not rehearsed: no logic of it is known; name some with --logics.\n",
				part.Track)
			continue
		}
		slices.Sort(logics)
		trial.Logics[part.Track] = slices.Compact(logics)
	}
	if len(unknown) > 0 && len(parts) > 0 {
		return nil, nil, exit.With(exit.Usage, fmt.Errorf("--logics: no track that is rehearsed has the logic %q.%s",
			unknown[0], nearest.Question(unknown[0], has)))
	}
	if len(trial.Logics) == 0 {
		return nil, nil, nil
	}
	folder, err := os.MkdirTemp("", "smtpipe-rehearse-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(folder)
	if err := trial.Write(folder); err != nil {
		return nil, nil, err
	}
	known, err := p.Library(cmd.Context(), cmd.ErrOrStderr(), folder)
	if err != nil {
		return nil, nil, err
	}
	sets := map[rehearse.Part]rehearse.Set{}
	for _, part := range parts {
		set := setOf(known, preflight.Address(part.Track, part.Scripts, false))
		real := setOf(known, preflight.Address(part.Track, part.Scripts, true))
		if sets[part], err = set.With(p.Store, real); err != nil {
			return nil, nil, err
		}
	}
	art, ok := stages.ArtifactOf(known["stage.import.answers"]["runs"])
	if !ok {
		return sets, nil, nil
	}
	earlier, err := artifact.ReadTable[results.HistoryRow](p.Store, art)
	return sets, earlier, err
}

// setOf returns the benchmarks and scripts that a trial creates for an address, or empty values if it creates none.
func setOf(known stages.Known, address string) (set rehearse.Set) {
	set.Benchmarks, _ = stages.ArtifactOf(known["stage.cap.sample"+address]["benchmarks"])
	set.Scripts, _ = stages.ArtifactOf(known["stage.scramble.sample"+address]["scripts"])
	return set
}
