package confidence

import (
	"slices"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// Options holds the caller's choices.
type Options struct {
	Resamples int
	Seed      uint64
}

// Entry describes how certain a solver's place is.
type Entry struct {
	Solver string
	Rank   int
	Winner bool
	// Removed is the smallest number of benchmarks without which this solver would be as good as the winner. Lost and
	// Wrong are the smallest numbers of answers that the winner would have to lose or to get wrong for the same effect,
	// and Slowdown is the smallest factor by which it would have to be slower. In the winner's own entry, they refer to
	// its nearest rival. They are nil if no number suffices, or if the solver is not eligible.
	Removed, Lost, Wrong *Margin
	Slowdown             *float64

	Correct int64 // number of correct answers
	// The fields below are nil with fewer than LeastFamilies families.
	WinShare  *float64  // share of the resamples that it wins, alone or jointly; nil if it is not eligible
	Correct95 *Interval // interval of the correct answers
	Place95   *Interval
}

// Ranking describes how certain a ranking is.
type Ranking struct {
	Families int
	Entries  []Entry // in ranking order
}

// Of analyses a division's ranking in one view.
func Of(p *score.Points, o Options) *Ranking {
	f := byFamily(p)
	out := &Ranking{Families: f.len(), Entries: make([]Entry, len(p.Ranking.Entries))}
	for i := range out.Entries {
		x := &p.Ranking.Entries[i]
		out.Entries[i] = Entry{Solver: x.Solver, Rank: x.Rank, Correct: x.Cell.Correct,
			Winner: x.Eligible && slices.Contains(p.Ranking.Winners, x.Solver)}
	}
	out.margins(p)
	if out.Families < LeastFamilies || o.Resamples == 0 {
		return out
	}
	for i, r := range resample(p, f, o.Resamples, o.Seed) {
		e := &out.Entries[i]
		correct := interval(r.correct)
		e.Correct95 = &correct
		if e.Rank == 0 {
			continue
		}
		places := make([]float64, len(r.places))
		for k, place := range r.places {
			places[k] = float64(place)
		}
		place := interval(places)
		e.Place95 = &place
		if x := &p.Ranking.Entries[i]; x.Eligible && x.Excluded == "" {
			share := float64(r.wins) / float64(o.Resamples)
			e.WinShare = &share
		}
	}
	return out
}

// margins sets the margins of every eligible solver against the first winner, and of the winners themselves.
func (r *Ranking) margins(p *score.Points) {
	first := slices.IndexFunc(r.Entries, func(e Entry) bool { return e.Winner })
	if first < 0 {
		return
	}
	best := &r.Entries[first]
	for i := range r.Entries {
		e, x := &r.Entries[i], &p.Ranking.Entries[i]
		if i == first || !x.Eligible || x.Excluded != "" {
			continue
		}
		e.Removed, e.Lost, e.Wrong = removal(p, first, i), lost(p, first, i), wrong(p, first, i)
		e.Slowdown = slowdown(p, first, i)
		best.Removed, best.Lost, best.Wrong = less(best.Removed, e.Removed), less(best.Lost, e.Lost), less(best.Wrong,
			e.Wrong)
		if e.Slowdown != nil && (best.Slowdown == nil || *e.Slowdown < *best.Slowdown) {
			best.Slowdown = e.Slowdown
		}
	}
	for i := range r.Entries {
		if e := &r.Entries[i]; e.Winner {
			e.Removed, e.Lost, e.Wrong, e.Slowdown = best.Removed, best.Lost, best.Wrong, best.Slowdown
		}
	}
}

// less returns the smaller of two margins, separately for each bound.
func less(a, b *Margin) *Margin {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return &Margin{min(a.Least, b.Least), min(a.Most, b.Most)}
}

// Close reports whether the win is close: this winner loses more than one in twenty resamples, or a single benchmark
// decides.
func (e *Entry) Close() bool {
	return e.Winner && (e.WinShare != nil && *e.WinShare < level || e.Removed != nil && e.Removed.Least <= 1)
}
