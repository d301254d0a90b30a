package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/contest/admission"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	site "github.com/smtpipe/smtpipe/internal/publish/report"
)

// byRules are the reasons that follow from submissions and rules. The pages show them wherever the entrant is ranked.
// All other reasons are decisions by people.
var byRules = []admission.Kind{admission.Comparison, admission.Portfolio, admission.NoBase, admission.Barred}

// registered describes what happened to the entrants, according to the tables of entrants that the site is based on.
func (act *action) registered(store *cache.Store) ([]site.Fact, error) {
	if act.lineage == nil {
		return nil, nil
	}
	var facts []site.Fact
	for i := range act.lineage.Steps {
		for _, out := range act.lineage.Steps[i].Outputs {
			if out.Schema != results.SchemaOf[results.EntrantRow]().Name {
				continue
			}
			rows, err := artifact.ReadTable[results.EntrantRow](store, out.Artifact)
			if err != nil {
				return nil, err
			}
			for _, r := range rows {
				if err := checkReasons(&r); err != nil {
					return nil, fmt.Errorf("%s.%s: %w", act.lineage.Steps[i].Addr, out.Name, err)
				}
				for k, kind := range r.Reasons {
					name := strings.ReplaceAll(kind, "_", " ")
					f := site.Fact{Name: strings.ToUpper(name[:1]) + name[1:], Value: r.Solver + ": " + r.Texts[k]}
					follows := slices.Contains(byRules, admission.Kind(kind)) &&
						(kind != string(admission.Comparison) || r.Texts[k] == admission.NotSubmitted)
					shown := follows && r.Runs && r.Ranked && r.Unranked == nil
					if !shown && !slices.Contains(facts, f) {
						facts = append(facts, f)
					}
				}
			}
		}
	}
	slices.SortStableFunc(facts, func(a, b site.Fact) int { return strings.Compare(a.Name, b.Name) })
	return facts, nil
}

// checkReasons reports reasons without a kind or a text. A stage "command" can write such a table.
func checkReasons(r *results.EntrantRow) error {
	if len(r.Texts) == len(r.Reasons) && !slices.Contains(r.Reasons, "") {
		return nil
	}
	return fmt.Errorf("entrant %s of track %s has the reasons %q with the texts %q; every reason needs a kind and a text",
		r.Solver, r.Track, r.Reasons, r.Texts)
}
