package preflight

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/words"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// Annotate writes a file's errors as GitHub workflow commands, which make GitHub display them beside the lines.
func Annotate(w io.Writer, file string, r *submission.Review) {
	for _, set := range []struct {
		level    string
		problems submission.Problems
	}{{"error", r.Problems}, {"warning", r.Warnings}} {
		for _, p := range set.problems {
			fmt.Fprintf(w, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", set.level,
				escapeProperty.Replace(filepath.ToSlash(file)), p.Line, p.Column, escapeProperty.Replace(placeOf(p)),
				escapeCommand.Replace(p.Text))
		}
	}
}

// AnnotateFolder writes a question about several files as a workflow command.
func AnnotateFolder(w io.Writer, question string) {
	fmt.Fprintf(w, "::warning::%s\n", escapeCommand.Replace(question))
}

// placeOf returns a problem's JSON pointer, or "the file".
func placeOf(p submission.Problem) string {
	if p.Pointer == "" {
		return "the file"
	}
	return p.Pointer
}

// escapeCommand escapes a workflow command's message, which must not contain line breaks; escapeProperty escapes one of
// its properties.
var (
	escapeCommand  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	escapeProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// Markdown escapes a text for a table cell, so it is shown literally and mentions no user.
func Markdown(s string) string { return escapeMarkdown.Replace(s) }

var escapeMarkdown = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\r", " ", "\n", " ",
	"|", "&#124;", "@", "&#64;", "`", "&#96;", "*", "&#42;",
	"_", "&#95;", "[", "&#91;", "]", "&#93;", "#", "&#35;", "\\", "&#92;", "~", "&#126;", "!", "&#33;",
	"://", "&#58;//")

// WriteComment writes the comment on a submission, in Markdown. rows are the runs on generated benchmarks and on a
// release's benchmarks; if they are missing, failed explains why. WriteComment returns an error if there are objections
// to the solver.
func WriteComment(w io.Writer, r *submission.Review, rows []results.VerdictRow, failed error) error {
	name := "The submission"
	if r.Submission != nil && r.Submission.Name != "" {
		name = r.Submission.Name
	}
	verdict := "the file follows the rules"
	if n := len(r.Problems); n > 0 {
		verdict = words.Count(n, "problem")
	}
	fmt.Fprintf(w, "### %s: %s\n", Markdown(name), verdict)
	for _, set := range []struct {
		title    string
		problems submission.Problems
	}{{"Problems", r.Problems}, {"Warnings", r.Warnings}} {
		if len(set.problems) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n**%s**\n\n| line | where | what |\n|---|---|---|\n", set.title)
		for _, p := range set.problems {
			fmt.Fprintf(w, "| %d | %s | %s |\n", p.Line, Markdown(placeOf(p)), Markdown(p.Text))
		}
	}
	if len(r.Entries) > 0 {
		fmt.Fprint(w, "\n**What it enters**\n\n| entrant | track | divisions | logics | experimental | command | "+
			"trivial benchmarks |\n|---|---|---|---|---|---|---|\n")
	}
	for _, e := range r.Entries {
		divisions, logics := NamesOf(e)
		fmt.Fprintf(w, "| %s | %s | %d | %s | %s | %s | %s |\n", Markdown(name), Markdown(e.Track),
			len(divisions), Markdown(ShortList(logics)), Markdown(experimentalOf(e)), Markdown(commandOf(e)),
			onTrivial(e, rows))
	}
	if len(r.Checklist) > 0 {
		fmt.Fprint(w, "\n**For people to check**\n\n")
	}
	for _, text := range r.Checklist {
		fmt.Fprintf(w, "- [ ] %s\n", Markdown(text))
	}
	return commentTrial(w, rows, failed)
}

// onTrivial summarises an entry's results on the trivial benchmarks.
func onTrivial(e submission.Entry, rows []results.VerdictRow) string {
	runs, count := 0, map[comp.Verdict]int{}
	for i := range rows {
		v := &rows[i]
		entered := func(p submission.Place) bool { return string(p.Logic) == v.Logic }
		if v.Track != e.Track || !Generated(v.Benchmark) || !slices.ContainsFunc(e.Places, entered) {
			continue
		}
		runs++
		count[comp.Verdict(v.Verdict)]++
	}
	if runs == 0 {
		return "not executed"
	}
	text := fmt.Sprintf("%d of %d correct", count[comp.Correct], runs)
	if n := count[comp.Wrong]; n > 0 {
		text += fmt.Sprintf(", **%d wrong**", n)
	}
	if n := runs - count[comp.Correct] - count[comp.Wrong]; n > 0 {
		text += fmt.Sprintf(", **%d without a result**", n)
	}
	return text
}

// NamesOf lists an entry's divisions and logics.
func NamesOf(e submission.Entry) (divisions, logics []string) {
	for _, p := range e.Places {
		divisions, logics = append(divisions, string(p.Division)), append(logics, string(p.Logic))
	}
	slices.Sort(divisions)
	slices.Sort(logics)
	return slices.Compact(divisions), slices.Compact(logics)
}

// ShortList lists the words, or only counts them if there are many.
func ShortList(words []string) string {
	const few = 12
	switch {
	case len(words) == 0:
		return "none"
	case len(words) <= few:
		return strings.Join(words, ", ")
	}
	return fmt.Sprintf("%d, from %s to %s", len(words), words[0], words[len(words)-1])
}

// commentTrial writes, in Markdown, the objections to the solver and why it was not run.
func commentTrial(w io.Writer, rows []results.VerdictRow, failed error) error {
	if failed != nil {
		fmt.Fprint(w, "\n**It could not be executed**\n\n")
		for line := range strings.Lines(failed.Error()) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasSuffix(line, ": another stage failed") {
				fmt.Fprintf(w, "- %s\n", Markdown(line))
			}
		}
		return failed
	}
	if len(rows) == 0 {
		return nil
	}
	return writeObjections(w, rows, func(against []string) {
		fmt.Fprint(w, "\n**Problems that would count against the solver**\n\n")
		const many = 50 // a GitHub comment has at most 65,536 characters
		for _, text := range against[:min(len(against), many)] {
			fmt.Fprintf(w, "- %s\n", Markdown(text))
		}
		if n := len(against) - many; n > 0 {
			fmt.Fprintf(w, "- and %d more\n", n)
		}
	})
}
