package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/contest/whatif"
)

// whatIfFlags are the flags of "what-if".
type whatIfFlags struct {
	finished finishedFlags
	rules    []string
	html     string
	json     bool
	watch    bool
}

func newWhatIfCommand() *cobra.Command {
	var w whatIfFlags
	cmd := &cobra.Command{
		Use:   "what-if [STAGE...] [--official DIR] [--runs FILE --against RULES] [--rules RULES]",
		Short: "Show which winners would change under other rules, and why",
		Long: `Scores finished runs by other rules and lists the rankings with other winners, the deciding figure of each before and after, and
the benchmarks behind it. No solver runs. The divisions stay the same.

  what-if stage.score.a --rules my.hcl           runs of a pipeline, against the rules of the stage
  what-if --official DIR                         a folder of official results, against what its published tables followed;
                                                 may be repeated
  what-if --runs FILE --against 2026             a table of verdicts or runs, against the rules of a year

Without --rules, all built-in rules are tried; years with the same text count as one. --html writes a page.
--watch keeps running and shows the changes whenever a file of --rules is saved, without naming benchmarks.

` + exit.Help,
		Args: usageArgs(cobra.ArbitraryArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			return w.execute(cmd, args)
		},
	}
	f := cmd.Flags()
	w.finished.register(cmd)
	f.StringArrayVar(&w.rules, "rules", nil, "rules to try: a year, a folder, or the file of a rule set; may be repeated")
	f.StringVar(&w.html, "html", "", "file for a page with all changes")
	f.BoolVar(&w.json, "json", false, "print as JSON; docs/tools/json.md describes it")
	f.BoolVar(&w.watch, "watch", false, "keep running, and try the rules again whenever their file is saved")
	cmd.MarkFlagsMutuallyExclusive("watch", "json", "html")
	return cmd
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// whatIfFormat is the name of what-if's JSON format, which docs/tools/json.md describes.
const whatIfFormat = "smtpipe/what-if/1"

type whatIfDocument struct {
	Format string        `json:"format"`
	Data   []whatif.Data `json:"data"`
}

// data holds runs and their current scores.
type data struct {
	name string
	runs *score.Runs
	base *whatif.Scored
}

func (w *whatIfFlags) execute(cmd *cobra.Command, args []string) error {
	if w.watch && (len(w.rules) != 1 || !isFile(w.rules[0])) {
		return exit.With(exit.Usage, errors.New("--watch needs the file of one rule set: --rules my.rules.hcl"))
	}
	all, err := w.load(cmd, args)
	if err != nil {
		return err
	}
	if w.watch {
		return w.follow(cmd, all)
	}
	others, err := w.others(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	var done []whatif.Data
	for _, d := range all {
		got, err := w.compare(cmd, d, others)
		if err != nil {
			return err
		}
		done = append(done, got)
	}
	switch {
	case w.json:
		err = printJSON(cmd.OutOrStdout(), whatIfDocument{whatIfFormat, done})
	case w.html != "":
		err = writePage(cmd, w.html, whatif.Document(done, onPage))
	default:
		err = whatif.Document(done, onTerminal).WriteText(cmd.OutOrStdout())
	}
	if err == nil && slices.ContainsFunc(done, whatif.Data.Changes) {
		err = exit.With(exit.Differs, nil)
	}
	return err
}

// Maximum numbers of benchmarks for each reason.
const (
	onTerminal = 3
	onPage     = 10
)

// compare tries all other rules on the runs.
func (w *whatIfFlags) compare(cmd *cobra.Command, d *data, others []whatif.Rules) (whatif.Data, error) {
	out := whatif.Data{Name: d.name, Runs: d.runs.Len(), Rules: d.base.Name}
	for _, r := range others {
		if len(d.runs.ScoredBy(r.Set).Tracks) == 0 {
			out.Skipped = append(out.Skipped, r.Name)
			continue
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: trying %s\n", d.name, r.Name)
		other, err := whatif.Score(cmd.Context(), r, d.runs)
		if err != nil {
			return out, ruleError(cmd.ErrOrStderr(), r.Set, err)
		}
		c := whatif.Compare(d.base, other)
		if err := c.Explain(cmd.Context(), d.base, other); err != nil {
			return out, ruleError(cmd.ErrOrStderr(), r.Set, err)
		}
		out.Comparisons = append(out.Comparisons, c)
	}
	return out, nil
}

// others returns the rules that are compared with the base rules.
func (w *whatIfFlags) others(stderr io.Writer) ([]whatif.Rules, error) {
	if len(w.rules) > 0 {
		var all []whatif.Rules
		for _, name := range w.rules {
			rs, _, err := findScoring(stderr, name)
			if err != nil {
				return nil, err
			}
			all = append(all, whatif.Rules{Name: name, Set: rs})
		}
		return all, nil
	}
	var all []whatif.Rules
	var texts, last []string
	for _, year := range rules.Names() {
		rs, of, err := findScoring(stderr, year)
		if err != nil {
			return nil, err
		}
		src, _, err := of.ScoringSource()
		if err != nil {
			return nil, err
		}
		if i := slices.Index(texts, string(src)); i >= 0 {
			all[i].Name, last[i] = strings.TrimSuffix(all[i].Name, "–"+last[i])+"–"+year, year
			continue
		}
		all = append(all, whatif.Rules{Name: year, Set: rs})
		texts, last = append(texts, string(src)), append(last, year)
	}
	return all, nil
}

// load reads all runs and scores them by the current rules.
func (w *whatIfFlags) load(cmd *cobra.Command, args []string) ([]*data, error) {
	var all []*data
	err := w.finished.load(cmd, args, func(name string, r whatif.Rules, runs *score.Runs) error {
		base, err := whatif.Score(cmd.Context(), r, runs)
		if err != nil {
			return ruleError(cmd.ErrOrStderr(), r.Set, err)
		}
		all = append(all, &data{name, runs, base})
		return nil
	})
	return all, err
}

// follow tries the rules again whenever their file is saved, until it is interrupted.
func (w *whatIfFlags) follow(cmd *cobra.Command, all []*data) error {
	path, ctx := w.rules[0], cmd.Context()
	var tried, last string
	for first := true; ; first = false {
		src, err := os.ReadFile(path) // the file may be briefly missing while an editor replaces it
		whole := first || string(src) == last
		last = string(src)
		if err == nil && whole && last != tried {
			tried = last
			begun := time.Now()
			if err := w.tryOnce(cmd, all); err != nil && ctx.Err() == nil {
				report(cmd.ErrOrStderr(), err)
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "Tried in %.2f s; waiting for %s to be saved again.\n",
				time.Since(begun).Seconds(), path)
		} else if first {
			return err
		}
		select {
		case <-ctx.Done():
			return exit.With(exit.Interrupted, nil)
		case <-time.After(watchEvery):
		}
	}
}

// watchEvery is the interval at which the file is checked. A file that changes between two checks is considered still
// being written.
const watchEvery = 50 * time.Millisecond

func (w *whatIfFlags) tryOnce(cmd *cobra.Command, all []*data) error {
	others, err := w.others(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	for _, d := range all {
		other, err := whatif.Score(cmd.Context(), others[0], d.runs)
		if err != nil {
			return ruleError(cmd.ErrOrStderr(), others[0].Set, err)
		}
		got := whatif.Data{Name: d.name, Runs: d.runs.Len(), Rules: d.base.Name,
			Comparisons: []*whatif.Comparison{whatif.Compare(d.base, other)}}
		if err := whatif.Document([]whatif.Data{got}, onTerminal).WriteText(cmd.OutOrStdout()); err != nil {
			return err
		}
	}
	return nil
}
