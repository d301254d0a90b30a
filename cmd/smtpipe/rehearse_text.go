package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/smtpipe/smtpipe/internal/contest/preflight"
	"github.com/smtpipe/smtpipe/internal/lang/rehearse"
)

const rehearsalFormat = "smtpipe/rehearse/1"

// rehearsalDocument is the JSON form of a rehearsal.
type rehearsalDocument struct {
	Format   string             `json:"format"`
	Entries  []rehearse.Entry   `json:"entries"`
	Findings []rehearse.Finding `json:"findings"`
}

func (f *rehearseFlags) write(w io.Writer, entries []rehearse.Entry, findings []rehearse.Finding) error {
	switch f.format {
	case "json":
		return printJSON(w, rehearsalDocument{rehearsalFormat, append([]rehearse.Entry{}, entries...),
			append([]rehearse.Finding{}, findings...)})
	case "github":
		return writeRehearsalComment(w, entries, findings)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "entrant\ttrack\truns\tas they should\n")
	for _, e := range entries {
		fmt.Fprintf(t, "%s\t%s\t%d\t%d\n", e.Solver, e.Track, e.Runs, e.Right)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, set := range []struct {
		title string
		bad   bool
	}{{"What went wrong", true}, {"What to look at", false}} {
		title := "\n" + set.title + ":\n"
		for _, x := range findings {
			if x.Bad != set.bad {
				continue
			}
			fmt.Fprintf(w, "%s  %s: %s\n", title, placeOfFinding(x), x.What)
			if x.Said != "" {
				fmt.Fprintf(w, "      it wrote: %s\n", x.Said)
			}
			title = ""
		}
	}
	return nil
}

// placeOfFinding describes a finding's entrant, track and logics.
func placeOfFinding(x rehearse.Finding) string {
	place := x.Solver
	if x.Track != "" {
		place += ", " + x.Track
	}
	if len(x.Logics) > 0 {
		place += ", " + preflight.ShortList(x.Logics)
	}
	return place
}

func writeRehearsalComment(w io.Writer, entries []rehearse.Entry, findings []rehearse.Finding) error {
	fmt.Fprint(w, "### Rehearsal\n\n| entrant | track | runs | as they should |\n|---|---|---|---|\n")
	for _, e := range entries {
		fmt.Fprintf(w, "| %s | %s | %d | %d |\n", preflight.Markdown(e.Solver), preflight.Markdown(e.Track), e.Runs,
			e.Right)
	}
	if len(findings) > 0 {
		fmt.Fprint(w, "\n| | where | what | the solver wrote |\n|---|---|---|---|\n")
	}
	const many = 50 // a comment may have at most 65,536 characters
	for _, x := range findings[:min(len(findings), many)] {
		mark := "look"
		if x.Bad {
			mark = "**wrong**"
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s |\n", mark, preflight.Markdown(placeOfFinding(x)),
			preflight.Markdown(x.What), preflight.Markdown(x.Said))
	}
	if n := len(findings) - many; n > 0 {
		fmt.Fprintf(w, "\nand %d more\n", n)
	}
	return nil
}
