package whatif

import (
	"context"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// BenchmarkAlternatives scores the 658,873 runs of 2022 once for each reading and practice switch, with only that one
// changed.
func BenchmarkAlternatives(b *testing.B) {
	o, err := scoreio.ReadOfficial(testkit.Shared(b, "official-results", "2022-single-query"), rules.PublishedOf)
	if err != nil {
		b.Fatal(err)
	}
	rs, _, diags := rules.FindScoring("2022", "")
	if diags.HasErrors() {
		b.Fatal(diags)
	}
	for b.Loop() {
		base, err := Score(context.Background(), Rules{Set: rs}, o.Runs)
		if err != nil {
			b.Fatal(err)
		}
		for _, a := range rs.Alternatives(score.Readings{}) {
			other, err := Score(context.Background(), Rules{Set: rs, Readings: a.Readings}, o.Runs)
			if err != nil {
				b.Fatal(a.Name, err)
			}
			Compare(base, other)
		}
	}
}
