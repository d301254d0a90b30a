package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/preflight"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
)

// checkFolder checks all submission files in a folder and prints a table with a line for each file.
func (f *checkFlags) checkFolder(cmd *cobra.Command, folder string, catalog *submission.Catalog,
	year *rules.Rules,
) error {
	names, err := fs.Glob(os.DirFS(folder), "*.json") // the folder's own name may look like a pattern
	if err != nil || len(names) == 0 {
		return exit.With(exit.Usage, fmt.Errorf("the folder %s has no submissions (*.json)", folder))
	}
	var rows [][]string
	contacts := map[string]bool{} // contacts of the competing entrants
	var all []*submission.Submission
	broken := 0
	for _, name := range names {
		name = filepath.Join(folder, name)
		known, _, err := submission.ReadKnown(name, f.bases, catalog)
		if err != nil {
			return err
		}
		var review *submission.Review
		if data, err := limits.Submission.ReadFile(name); err != nil {
			review = &submission.Review{Problems: submission.Problems{{File: filepath.Base(name), Line: 1, Column: 1,
				Text: err.Error()}}}
		} else {
			review = year.Entrants.Review(filepath.Base(name), data, catalog, known, f.received)
		}
		if f.format == "github" {
			preflight.Annotate(cmd.ErrOrStderr(), name, review)
		} else {
			for _, p := range review.Problems {
				fmt.Fprintln(inert{cmd.ErrOrStderr()}, p)
			}
		}
		if len(review.Problems) > 0 {
			broken++
		}
		if review.Submission != nil {
			all = append(all, review.Submission)
		}
		if s := review.Submission; s != nil && s.Competitive {
			for _, c := range s.Contacts {
				contacts[fmt.Sprintf("%s <%s>", c.Name, c.Address)] = true
			}
		}
		rows = append(rows, tableRow(filepath.Base(name), review))
	}
	for _, text := range submission.TeamQuestions(all, nil) {
		if f.format == "github" {
			preflight.AnnotateFolder(cmd.ErrOrStderr(), text)
		} else {
			fmt.Fprintf(inert{cmd.ErrOrStderr()}, "Question: %s.\n", words.OneLine(text))
		}
	}
	if f.contacts {
		for _, c := range sortedKeys(contacts) {
			fmt.Fprintln(cmd.OutOrStdout(), words.OneLine(c))
		}
	} else {
		f.writeTable(cmd.OutOrStdout(), rows)
	}
	if broken > 0 {
		return exit.With(exit.Error, fmt.Errorf("%d of %d submissions have problems", broken, len(names)))
	}
	return nil
}

// tableRow returns a submission's line.
func tableRow(file string, r *submission.Review) []string {
	row := []string{file, "", "", "", "", "", fmt.Sprint(len(r.Problems)), fmt.Sprint(len(r.Warnings))}
	s := r.Submission
	if s != nil {
		var tracks, logics []string
		for _, e := range r.Entries {
			tracks = append(tracks, e.Track)
			_, more := preflight.NamesOf(e)
			logics = append(logics, more...)
		}
		slices.Sort(tracks)
		slices.Sort(logics)
		row[1], row[2] = s.Name, strings.ToLower(string(s.Type))
		row[3] = yesNo(s.Competitive)
		row[4] = strings.Join(slices.Compact(tracks), " ")
		row[5] = fmt.Sprint(len(slices.Compact(logics)))
	}
	return row
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func (f *checkFlags) writeTable(w io.Writer, rows [][]string) {
	head := []string{"file", "entrant", "type", "competes", "tracks", "logics", "problems", "warnings"}
	if f.format == "github" {
		fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
		for _, r := range rows {
			for i := range r {
				r[i] = preflight.Markdown(r[i])
			}
			fmt.Fprintf(w, "| %s |\n", strings.Join(r, " | "))
		}
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range append([][]string{head}, rows...) {
		for i, cell := range r {
			r[i] = strings.ReplaceAll(words.OneLine(cell), "\t", " ")
		}
		fmt.Fprintln(t, strings.Join(r, "\t"))
	}
	t.Flush()
}
