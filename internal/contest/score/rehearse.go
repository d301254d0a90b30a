package score

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/hcl/v2"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// likeness is a pair of made-up solvers that differ in one respect, which must not put the better one at a
// disadvantage.
type likeness struct {
	solver, than string
	what         string // description of the difference
}

var likenesses = []likeness{
	{"more", "plain", "solves one more benchmark"},
	{"plain", "wrong", "has one error fewer"},
	{"quick", "plain", "needs less time for the same answers"},
}

// madeUpLimit is the wall time limit of made-up runs.
const madeUpLimit = 1200 * Second

// Rehearse scores made-up runs and warns about views in which a solver ranks worse for doing better: a missing minus
// sign in an order changes the winners without causing an error. It returns errors for examples that do not hold and
// for rule set errors that only runs reveal. It does so once for each set of readings, because a plan rehearses every
// stage several times.
func (rs *RuleSet) Rehearse(rd Readings) (hcl.Diagnostics, error) {
	type rehearsal struct {
		diags hcl.Diagnostics
		err   error
	}
	of := fmt.Sprint(rs.Name, rs.Divisions.String(), rd)
	once, _ := rs.rehearsed.LoadOrStore(of, sync.OnceValue(func() rehearsal {
		diags, err := rs.rehearse(context.Background(), rd)
		return rehearsal{diags, err}
	}))
	got := once.(func() rehearsal)()
	return got.diags, got.err
}

func (rs *RuleSet) rehearse(ctx context.Context, rd Readings) (hcl.Diagnostics, error) {
	var b Builder
	for _, track := range rs.scoredTracks() {
		for i := range 8 {
			status := []comp.Status{comp.StatusSat, comp.StatusUnsat}[i%2]
			for _, solver := range []string{"more", "plain", "quick", "wrong"} {
				row := rs.madeUp(track, fmt.Sprintf("b%d", i), status)
				row.Solver, row.Team = solver, solver
				rs.answer(&row, solver, i)
				if err := b.Add(&row); err != nil {
					return nil, err
				}
			}
		}
	}
	result, err := Compute(ctx, rs, b.Runs(), rd)
	if err != nil {
		return nil, err
	}
	var diags hcl.Diagnostics
	said := map[string]bool{} // views warned about
	for _, t := range result.Tracks {
		for _, division := range t.Divisions { // at most one: none if the rules drop all of the track's runs
			for _, r := range division.Rankings {
				if d := rs.upsideDown(t.Name, r); d != nil && !said[r.View] {
					said[r.View] = true
					diags = append(diags, d)
				}
			}
		}
	}
	hclsource.Attach(diags, rs.file)
	failing, err := rs.failing(ctx, rd)
	return append(diags, failing...), err
}

// scoredTracks returns the tracks that have both a score and a view.
func (rs *RuleSet) scoredTracks() (tracks []string) {
	for _, s := range rs.Scores {
		tracks = append(tracks, s.Tracks...)
	}
	slices.Sort(tracks)
	return slices.DeleteFunc(slices.Compact(tracks), func(track string) bool { return !rs.Covers(track) })
}

// madeUp returns a made-up run without an answer.
func (rs *RuleSet) madeUp(track, benchmark string, status comp.Status) Row {
	row := Row{
		Identity: run.Identity{Track: track, Logic: "QF_UF", Benchmark: benchmark},
		Subject:  run.Subject{Division: "Made-up", Category: "industrial", Status: string(status)},
		Entrant:  run.Entrant{Competitive: true, OpenSource: true},
		Wall:     1200 * Second, CPU: 1200 * Second,
		Rest: Rest{Limit: 1200 * Second, Cores: 4, Judged: run.Unjudged(), Recorded: NoRecord},
	}
	row.Checks = 1
	switch rs.Kinds.Of(track) {
	case comp.Incremental:
		row.Checks = 4
	case comp.UnsatCore, comp.ProofExhibition:
		row.Assertions, row.Status = 10, string(comp.StatusUnsat)
	case comp.ModelValidation:
		row.Status = string(comp.StatusSat)
	}
	return row
}

// answer sets a solver's answer: all solve the first six benchmarks, "more" also solves the seventh, and only "wrong"
// answers the eighth.
func (rs *RuleSet) answer(row *Row, solver string, i int) {
	solves, errs := i < 6 || i == 6 && solver == "more", i == 7 && solver == "wrong"
	if !solves && !errs {
		return
	}
	row.Answer = row.Status
	switch {
	case errs: // as slow as not answering
	case solver == "quick":
		row.Wall, row.CPU = 5*Second, 5*Second
	default:
		row.Wall, row.CPU = 10*Second, 10*Second
	}
	row.LastWallS, row.LastCPUS = run.Seconds(row.Wall.Seconds()), run.Seconds(row.CPU.Seconds())
	switch rs.Kinds.Of(row.Track) {
	case comp.Incremental:
		row.Answer, row.ChecksCorrect = "", row.Checks
		if errs {
			row.ChecksCorrect, row.ChecksWrong = 0, 1
		}
	case comp.UnsatCore:
		row.CoreSize, row.ValUnsat, row.ValSat = 4, 3, 0
		if errs {
			row.ValUnsat, row.ValSat = 0, 3
		}
	case comp.ModelValidation:
		row.Validation = "VALID"
		if errs {
			row.Validation = "INVALID"
		}
	default:
		if errs {
			row.Answer = string(comp.Answer(row.Status).Opposite())
		}
	}
}

// upsideDown warns about the first pair of solvers in which the better one ranks worse.
func (rs *RuleSet) upsideDown(track string, r *Ranking) *hcl.Diagnostic {
	of := map[string]Entry{}
	for _, x := range r.Entries {
		of[x.Solver] = x
	}
	at := slices.IndexFunc(rs.Views, func(v *View) bool { return v.Name == r.View && v.UpsideDown == "" })
	if at < 0 {
		return nil
	}
	view := rs.Views[at]
	for _, w := range likenesses {
		better, worse := of[w.solver], of[w.than]
		// A view with a limit or a condition may exclude the wrong answer. The industry challenge is scored by data in
		// its files, which made-up runs lack.
		ignored := w.than == "wrong" && better.Rank == worse.Rank && view.Where == nil && view.Limit == nil &&
			rs.Kinds.Of(track) != comp.IndustryChallenge
		if better.Rank == 0 || worse.Rank == 0 || better.Rank <= worse.Rank && !ignored {
			continue
		}
		if ignored {
			return &hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: "Errors that do not count", Subject: &view.at,
				Detail: fmt.Sprintf("By the view %q of the track %s, a solver with a wrong answer ranks like one that has no "+
					"answer there and is equal otherwise. Is \"e\" missing in order, or is the e of the score never true? If "+
					"it is intended, say why in upside_down.", view.Name, track)}
		}
		var order, mine, theirs []string
		for _, k := range view.Order {
			order = append(order, k.Column)
			mine, theirs = append(mine, better.Cell.Text(k.Column)), append(theirs, worse.Cell.Text(k.Column))
		}
		return &hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: "Ranking upside down", Subject: &view.at,
			Detail: fmt.Sprintf("By the view %q of the track %s, a solver that %s than another ranks worse, and is equal "+
				"otherwise: %s are (%s), those of the other (%s). Is a minus missing in order, or is there one too many? If it is intended, say why in upside_down.",
				view.Name, track, w.what, strings.Join(order, ", "), strings.Join(mine, ", "),
				strings.Join(theirs, ", "))}
	}
	return nil
}

// WarnOfLimits warns about views whose limit has no effect because it exceeds the largest wall time limit in all of
// their tracks. If T is below leastT, the competition is a rehearsal, in which even 24 seconds exceed the limit.
func (rs *RuleSet) WarnOfLimits(longest map[string]time.Duration) (diags hcl.Diagnostics) {
	const leastT = time.Minute
	for _, v := range rs.Views {
		var most time.Duration
		for _, track := range v.Tracks {
			most = max(most, longest[track])
		}
		if v.Limit == nil || most < leastT || v.Limit.Seconds() <= most.Seconds() {
			continue
		}
		diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: "Limit without effect",
			Subject: &v.at, Detail: fmt.Sprintf("View %q has a limit of %v s, but no run in its tracks can exceed "+
				"%v s. Lower the limit, or remove it.", v.Name, v.Limit, most.Seconds())})
	}
	hclsource.Attach(diags, rs.file)
	return diags
}
