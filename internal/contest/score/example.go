package score

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/nearest"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/run"
)

// Example is a small set of runs with the ranks that a view must assign. It does not affect scores.
type Example struct {
	Name, View string
	Runs       []Row
	Ranks      map[string]int64 // expected ranks by solver

	at hcl.Range // source range of the expected ranks
}

const exampleBlock = "example"

// example decodes an example "NAME" { track view limit cite run {...} ranks } block.
func (d *decoder) example(block *hcl.Block) {
	a := d.open(block, []string{"track", "view", "limit", "cite", "ranks"}, []string{"run"})
	x := &Example{Name: block.Labels[0], View: a.text("view"), at: block.DefRange}
	track := a.text("track")
	if _, kind, err := d.rs.Kinds.Parse(track); err != nil || a.attrs["track"] == nil {
		d.report(&block.DefRange, "Unknown track", "An example needs the track of its runs; there is no track %q.%s",
			track,
			nearest.Question(track, d.rs.Kinds.Names()))
	} else {
		limit, ok := a.seconds("limit")
		if !ok {
			limit = madeUpLimit
		}
		for _, b := range a.inner {
			x.Runs = append(x.Runs, d.exampleRun(b, track, kind, limit))
		}
	}
	if value(a, "ranks", cty.Map(cty.Number), &x.Ranks) {
		x.at = a.attrs["ranks"].Expr.Range()
	}
	if len(x.Runs) == 0 || len(x.Ranks) == 0 || x.View == "" {
		d.report(&block.DefRange, "Example without an expectation",
			"Example %q needs a view, at least one run, and the "+
				"expected ranks, such as ranks = { a = 1, b = 2 }.", x.Name)
	}
	d.rs.Examples = append(d.rs.Examples, x)
}

// exampleRun reads an example's run. A missing time defaults to the limit.
func (d *decoder) exampleRun(block *hcl.Block, track string, kind comp.Track, limit Time) Row {
	a := d.open(block, []string{"solver", "benchmark", "status", "answer", "wall_time", "cpu_time", "checks_correct",
		"checks_wrong", "core_size", "validation"}, nil)
	row := d.rs.madeUp(track, cmp.Or(a.text("benchmark"), "b"), comp.StatusSat)
	row.Limit, row.Wall, row.CPU = limit, limit, limit
	row.Solver, row.Answer = a.text("solver"), a.text("answer")
	row.Team, row.Status = row.Solver, cmp.Or(a.text("status"), row.Status)
	if row.Solver == "" {
		d.report(&block.DefRange, "Missing attribute", `A run of an example needs the attribute "solver".`)
	}
	if t, ok := a.seconds("wall_time"); ok {
		row.Wall, row.CPU = t, t
	}
	if t, ok := a.seconds("cpu_time"); ok {
		row.CPU = t
	}
	row.ChecksCorrect, row.ChecksWrong = a.number("checks_correct", 0), a.number("checks_wrong", 0)
	row.Checks = max(row.Checks, row.ChecksCorrect+row.ChecksWrong)
	row.LastWallS, row.LastCPUS = run.Seconds(row.Wall.Seconds()), run.Seconds(row.CPU.Seconds())
	row.CoreSize = a.number("core_size", row.CoreSize)
	switch valid := a.oneOf("validation", "valid", "invalid"); {
	case valid == "" || kind == comp.ProofExhibition:
	case kind == comp.ModelValidation:
		row.Validation = strings.ToUpper(valid)
	case valid == "valid":
		row.ValUnsat, row.ValSat = 1, 0
	default:
		row.ValUnsat, row.ValSat = 0, 1
	}
	return row
}

// failing scores the examples and returns an error for each example with different ranks.
func (rs *RuleSet) failing(ctx context.Context, rd Readings) (hcl.Diagnostics, error) {
	var diags hcl.Diagnostics
	for _, x := range rs.Examples {
		var b Builder
		for i := range x.Runs {
			if err := b.Add(&x.Runs[i]); err != nil {
				return nil, fmt.Errorf("example %q: %w", x.Name, err)
			}
		}
		result, err := Compute(ctx, rs, b.Runs(), rd)
		if err != nil {
			return nil, fmt.Errorf("example %q: %w", x.Name, err)
		}
		if detail := x.differs(result); detail != "" {
			diags = append(diags, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Example that does not hold",
				Detail: detail, Subject: &x.at})
		}
	}
	hclsource.Attach(diags, rs.file)
	return diags, nil
}

// differs describes how a result's ranks differ from the example's, or returns "" if they do not.
func (x *Example) differs(result *Result) string {
	for _, t := range result.Tracks {
		for _, division := range t.Divisions {
			for _, r := range division.Rankings {
				if r.View != x.View {
					continue
				}
				wrong := x.differsIn(r)
				if wrong == nil {
					return ""
				}
				return fmt.Sprintf("In example %q, %s.", x.Name, strings.Join(wrong, "; "))
			}
		}
	}
	return fmt.Sprintf("Example %q has no ranking by the view %q: the rules drop its runs, or there is no such view of the "+
		"track.", x.Name, x.View)
}

func (x *Example) differsIn(r *Ranking) (wrong []string) {
	for _, solver := range sortedKeys(x.Ranks) {
		at := slices.IndexFunc(r.Entries, func(e Entry) bool { return e.Solver == solver })
		if at < 0 {
			wrong = append(wrong, fmt.Sprintf("%s has no rank, but %d is expected", solver, x.Ranks[solver]))
			continue
		}
		if e := &r.Entries[at]; int64(e.Rank) != x.Ranks[solver] {
			wrong = append(wrong, fmt.Sprintf("%s has rank %d, but %d is expected (e = %s, n = %s, w = %s, c = %s)",
				solver, e.Rank, x.Ranks[solver], e.Cell.Text("e"), e.Cell.Text("n"), e.Cell.Text("w"),
				e.Cell.Text("c")))
		}
	}
	return wrong
}

// withoutExamples returns a rule set's text without its examples.
func withoutExamples(src []byte, body hcl.Body) []byte {
	b, ok := body.(*hclsyntax.Body)
	if !ok {
		return src
	}
	var out []byte
	from := 0
	for _, block := range b.Blocks {
		if block.Type == exampleBlock {
			out = append(out, src[from:block.TypeRange.Start.Byte]...)
			from = block.CloseBraceRange.End.Byte
		}
	}
	return append(out, src[from:]...)
}
