package design

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// WriteText writes a plan for a terminal: the cost of each limit, then each division's needs under the chosen limit.
func (p *Plan) WriteText(w io.Writer, limit int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	benchmarks, hours := p.All()
	first := &p.Limits[0]
	fmt.Fprintf(t, "%s, %s: %d divisions, %d benchmarks, %.0f core hours with a limit of %g s.\n\n", p.Track, p.View,
		len(first.Divisions), benchmarks, hours, first.LimitS)
	fmt.Fprintln(t, "limit\tsame winners\tbenchmarks\tcore hours\tsaved\t")
	for i := range p.Limits {
		c := &p.Limits[i]
		fmt.Fprintf(t, "%g s\t%d of %d\t%d\t%.0f\t%s\t\n", c.LimitS, c.Kept(), len(c.Divisions), c.Benchmarks,
			c.CoreHours, percent(1-part(c.CoreHours, hours)))
	}
	c := &p.Limits[limit]
	fmt.Fprintf(t, "\nWith a limit of %g s:\n\n", c.LimitS)
	fmt.Fprintln(t, "division\tfamilies\tbenchmarks\tneeded\tcertainty\tcore hours\t")
	for i := range c.Divisions {
		d := &c.Divisions[i]
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%s\t%.1f\t\n", d.Division, d.Families, d.Benchmarks, d.needed(), d.certainty(),
			d.CoreHours)
	}
	fmt.Fprintln(t)
	return t.Flush()
}

func percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

func (d *Division) needed() (n int) {
	for _, v := range d.Needed {
		n += v
	}
	return n
}

func (d *Division) certainty() string {
	switch {
	case !d.Kept():
		return "other winner"
	case d.Certainty == nil:
		return "few families"
	}
	return percent(*d.Certainty)
}

// WriteHCL writes the sizes by track and logic, for the "take" attribute of a "cap" stage.
func WriteHCL(w io.Writer, plans []Plan, limit func(*Plan) int) error {
	var b strings.Builder
	b.WriteString("locals {\n  needed = {\n")
	for i := range plans {
		p := &plans[i]
		c := &p.Limits[limit(p)]
		fmt.Fprintf(&b, "    %s = { # with a limit of %g s\n", p.Track, c.LimitS)
		needed := map[string]int{}
		width := 0
		for _, d := range c.Divisions {
			for logic, n := range d.Needed {
				needed[logic] += n
				width = max(width, len(logic))
			}
		}
		for _, logic := range slices.Sorted(maps.Keys(needed)) {
			fmt.Fprintf(&b, "      %-*s = %d\n", width, logic, needed[logic])
		}
		b.WriteString("    }\n")
	}
	b.WriteString("  }\n}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteChecks writes how designs computed from half of the families perform on the other half.
func WriteChecks(w io.Writer, checks []Check) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "track\tlimit\tdivisions\tbenchmarks\tcore hours\tsame winners\tleast\t")
	for i := range checks {
		c := &checks[i]
		least := ""
		if len(c.Worst) > 0 {
			least = fmt.Sprintf("%.1f %% (%s)", 100*c.Worst[0].Kept, c.Worst[0].Division)
		}
		fmt.Fprintf(t, "%s\t%g s\t%d\t%s\t%s\t%.1f %%\t%s\t\n", c.Track, c.LimitS, c.Divisions, percent(c.Benchmarks),
			percent(c.CoreHours), 100*c.Kept, least)
	}
	return t.Flush()
}

// WriteReplays writes how much stopping divisions early would have saved.
func WriteReplays(w io.Writer, name string, replays []Replay) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "%s\n\n", name)
	fmt.Fprintln(t, "track\tdivision\tview\tbenchmarks\tstopped\tother winner\tcore hours\tsaved\t")
	var hours, saved float64
	for i := range replays {
		r := &replays[i]
		stopped := percent(r.Stopped)
		if r.Never {
			stopped = "never"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%.1f %%\t%.0f\t%.0f\t\n", r.Track, r.Division, r.View, r.Benchmarks,
			stopped, 100*r.Wrong, r.CoreHours, r.Saved)
		hours, saved = hours+r.CoreHours, saved+r.Saved
	}
	fmt.Fprintf(t, "\t\t\t\t\t\t%.0f\t%.0f\t\n", hours, saved)
	return t.Flush()
}

// WriteDecisions writes the divisions whose winner is decided.
func WriteDecisions(w io.Writer, decisions []Decision) error {
	if len(decisions) == 0 {
		_, err := io.WriteString(w, "No division has a certain winner yet.\n")
		return err
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "track\tdivision\tview\twinner\tbenchmarks\tleft for the winner\tsaved")
	for _, d := range decisions {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d of %d\t%.1f core hours\t%.1f core hours\n", d.Track, d.Division, d.View,
			d.Winner, d.Run, d.Benchmarks, d.CoreHours, d.CoreHoursSaved)
	}
	return t.Flush()
}
