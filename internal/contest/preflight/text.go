package preflight

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// WriteEntries writes a list of the submission's entries.
func WriteEntries(w io.Writer, s *submission.Submission, entries []submission.Entry) error {
	state := "not final"
	if s.Final {
		state = "final"
	}
	fmt.Fprintf(w, "%s: the file follows all rules for submission files (%s)\n\n", s.Name, state)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "participation\ttrack\tdivisions\tlogics\texperimental\tcommand\n")
	for _, e := range entries {
		divisions, logics := NamesOf(e)
		fmt.Fprintf(t, "%d\t%s\t%d\t%d\t%s\t%s\n", e.Participation+1, e.Track, len(divisions), len(logics),
			experimentalOf(e), cmp.Or(commandOf(e), "none"))
	}
	return t.Flush()
}

// commandOf returns an entry's command in one line, or "".
func commandOf(e submission.Entry) string {
	if e.Command == nil {
		return ""
	}
	return strings.Join(append([]string{e.Command.Binary}, e.Command.Arguments...), " ")
}

// experimentalOf returns the experimental parts of an entry: all of it, if its file says so, or divisions, by the
// year's rules.
func experimentalOf(e submission.Entry) string {
	if e.Experimental {
		return "the participation"
	}
	var divisions []string
	for _, d := range e.Trials {
		divisions = append(divisions, string(d))
	}
	if len(divisions) == 0 {
		return "nothing"
	}
	return ShortList(divisions)
}

// WriteTrial prints a line for each run, followed by the objections to the solver.
func WriteTrial(w io.Writer, rows []results.VerdictRow) error {
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "track\tbenchmark\tanswer\tending\twall time\tverdict\tremark\n")
	for i := range rows {
		v := &rows[i]
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.2f s\t%s\t%s\n", v.Track, v.Benchmark, v.Answer, v.Ending, v.WallTimeS,
			v.Verdict, v.Reason)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return writeObjections(w, rows, func(against []string) {
		fmt.Fprintf(w, "\nProblems that would count against the solver:\n")
		for _, text := range against {
			fmt.Fprintf(w, "  %s\n", text)
		}
	})
}

// writeObjections calls write with the objections to the solver, or writes that there are none. It returns an error if
// there are objections.
func writeObjections(w io.Writer, rows []results.VerdictRow, write func(against []string)) error {
	var against []string
	for i := range rows {
		if text := objection(&rows[i]); text != "" {
			against = append(against, text)
		}
	}
	if len(against) == 0 {
		_, err := fmt.Fprintf(w, "\nAll %d runs went as they should.\n", len(rows))
		return err
	}
	write(against)
	return exit.With(exit.Error, fmt.Errorf("%d of %d runs have problems", len(against), len(rows)))
}

// objection returns the objection to a run, or "". A real benchmark may be too hard; a generated one is not.
func objection(v *results.VerdictRow) string {
	// No other solver checks cores here, so only their form is validated.
	switch comp.Verdict(v.Verdict) {
	case comp.Correct:
		return ""
	case comp.Wrong:
		return fmt.Sprintf("%s on %s: an error (%s); one error ranks a solver below all solvers without errors",
			v.Track, v.Benchmark, v.Reason)
	}
	if Generated(v.Benchmark) || v.Answer == "" || v.Answer == "abort" {
		return fmt.Sprintf("%s on %s: no result (%s)", v.Track, v.Benchmark, v.Reason)
	}
	return ""
}
