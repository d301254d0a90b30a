package main

import (
	"fmt"
	"html"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/submission"
)

// annotate writes what is wrong with a file as commands of GitHub's workflows, which show it at the line.
func annotate(w io.Writer, file string, r *submission.Review) {
	for _, set := range []struct {
		level    string
		problems submission.Problems
	}{{"error", r.Problems}, {"warning", r.Warnings}} {
		for _, p := range set.problems {
			fmt.Fprintf(w, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", set.level,
				property(filepath.ToSlash(file)), p.Line, p.Column, property(placeOf(p)), commandText(p.Text))
		}
	}
}

// placeOf is the pointer of a problem, or "the file".
func placeOf(p submission.Problem) string {
	if p.Pointer == "" {
		return "the file"
	}
	return p.Pointer
}

// commandText escapes the message of a workflow command, which ends at the line.
func commandText(s string) string { return escapeCommand.Replace(s) }

// property escapes a property of a workflow command.
func property(s string) string { return escapeProperty.Replace(s) }

var (
	escapeCommand  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// markdown escapes a text for a cell of a table: it is shown as it is, and calls nobody.
func markdown(s string) string { return escapeMarkdown.Replace(html.EscapeString(s)) }

var escapeMarkdown = strings.NewReplacer("\r", " ", "\n", " ", "|", "&#124;", "@", "&#64;", "`", "&#96;", "*", "&#42;",
	"_", "&#95;", "[", "&#91;", "]", "&#93;", "#", "&#35;", "\\", "&#92;", "~", "&#126;", "!", "&#33;",
	"://", "&#58;//")

// writeComment writes what is to be said of a submission, in Markdown.
func writeComment(w io.Writer, r *submission.Review) {
	name := "The submission"
	if r.Submission != nil && r.Submission.Name != "" {
		name = r.Submission.Name
	}
	verdict := "keeps the rules"
	if n := len(r.Problems); n > 0 {
		verdict = "has " + counted(n, "problem")
	}
	fmt.Fprintf(w, "### %s %s\n", markdown(name), verdict)
	for _, set := range []struct {
		title    string
		problems submission.Problems
	}{{"Problems", r.Problems}, {"Warnings", r.Warnings}} {
		if len(set.problems) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n**%s**\n\n| line | where | what |\n|---|---|---|\n", set.title)
		for _, p := range set.problems {
			fmt.Fprintf(w, "| %d | %s | %s |\n", p.Line, markdown(placeOf(p)), markdown(p.Text))
		}
	}
	if len(r.Entries) == 0 {
		return
	}
	fmt.Fprint(w, "\n**What it enters**\n\n| participation | track | divisions | logics | experimental | command |\n"+
		"|---|---|---|---|---|---|\n")
	for _, e := range r.Entries {
		divisions, logics := namesOf(e)
		command := ""
		if e.Command != nil {
			command = strings.Join(append([]string{e.Command.Binary}, e.Command.Arguments...), " ")
		}
		fmt.Fprintf(w, "| %d | %s | %d | %s | %s | %s |\n", e.Participation+1, markdown(e.Track.String()),
			len(divisions), markdown(shortList(logics)), markdown(experimentalOf(e)), markdown(command))
	}
}

// namesOf lists the divisions and logics of an entry.
func namesOf(e submission.Entry) (divisions, logics []string) {
	for _, p := range e.Places {
		divisions, logics = append(divisions, string(p.Division)), append(logics, string(p.Logic))
	}
	slices.Sort(divisions)
	slices.Sort(logics)
	return slices.Compact(divisions), slices.Compact(logics)
}

// shortList names a few words, or counts many.
func shortList(words []string) string {
	const few = 12
	switch {
	case len(words) == 0:
		return "none"
	case len(words) <= few:
		return strings.Join(words, ", ")
	}
	return fmt.Sprintf("%d, from %s to %s", len(words), words[0], words[len(words)-1])
}

// commentTrial writes what happened on the trivial benchmarks, and on those of a release, in Markdown. It fails if
// something counts against the solver.
func commentTrial(w io.Writer, rows []results.VerdictRow) error {
	type counts struct{ runs, correct, wrong, other int }
	by := map[string]*counts{}
	var tracks, against []string
	for i := range rows {
		v := &rows[i]
		c := by[v.Track]
		if c == nil {
			c = &counts{}
			by[v.Track], tracks = c, append(tracks, v.Track)
		}
		c.runs++
		switch comp.Verdict(v.Verdict) {
		case comp.Correct:
			c.correct++
		case comp.Wrong:
			c.wrong++
		default:
			c.other++
		}
		if text := objection(v); text != "" {
			against = append(against, text)
		}
	}
	fmt.Fprint(w, "\n**What happened when it was executed**\n\n| track | runs | correct | wrong | no result |\n"+
		"|---|---|---|---|---|\n")
	for _, t := range tracks {
		c := by[t]
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d |\n", markdown(t), c.runs, c.correct, c.wrong, c.other)
	}
	if len(against) == 0 {
		_, err := fmt.Fprintf(w, "\nAll %d runs are as they should be.\n", len(rows))
		return err
	}
	fmt.Fprint(w, "\nWhat would count against the solver:\n\n")
	for _, text := range against {
		fmt.Fprintf(w, "- %s\n", markdown(text))
	}
	return withExit(exitError, fmt.Errorf("%d of %d runs are not as they should be", len(against), len(rows)))
}

// counted is "1 problem" or "2 problems".
func counted(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
