package report

import (
	"fmt"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// sentence is a statement about results, with a link to its source.
type sentence struct {
	Text  string
	Links []link
}

// won describes who won the main view, what decided the win, how certain it is, and who won the other views.
func (s *site) won(d *division) []sentence {
	if len(d.track.views) == 0 || d.ranking(d.track.views[0].Name) == nil {
		return nil
	}
	r := d.ranking(d.track.views[0].Name)
	names := winnerNames(r)
	if names == "" {
		why := "fewer than two teams compete"
		if r.rows[0].Contested {
			why = strings.TrimSuffix(clean(r.noWinner()), ".")
		}
		return []sentence{{Text: trackTitle(s.m.wording().Nobody) + prefixed(": ", why) + "."}}
	}
	winners := r.winners()
	verb := " wins"
	switch {
	case s.m.in.Progress != nil && len(winners) > 1:
		verb = " are first so far"
	case s.m.in.Progress != nil:
		verb = " is first so far"
	case len(winners) > 1:
		verb = " win"
	}
	w := winners[0]
	text := names + verb + " with " + strings.Replace(r.figure(w), "score ", "a score of ", 1)
	if r.counts {
		text += " solved"
	}
	first := sentence{Text: text + prefixed(", ", r.ahead()) + "."}
	if x := r.sure[w.Solver]; x != nil {
		var why []string
		if x.WinShare >= 0 {
			why = append(why, "it wins "+share(x.WinShare).Text+" of the resamples")
		}
		if x.RemovedLeast > 0 {
			why = append(why, "without "+bounds(x.RemovedLeast, x.RemovedMost).Text+
				" of the benchmarks another solver would be as good")
		}
		if how := strings.Join(why, ", and "); how != "" {
			first.Text += " " + capital(how) + "."
			first.Links = []link{{"How certain", "confidence.html"}}
		}
	}
	return append([]sentence{first}, otherViews(d, names)...)
}

func prefixed(before, text string) string {
	if text == "" {
		return ""
	}
	return before + text
}

func winnerNames(r *ranking) string {
	var names []string
	for _, w := range r.winners() {
		names = append(names, clean(w.Solver))
	}
	return listed(names)
}

// listed joins names for a sentence.
func listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// otherViews describes who won the views after the first one.
func otherViews(d *division, first string) []sentence {
	titles := map[string][]string{} // view titles by winners
	var order []string
	for _, v := range d.track.views[1:] {
		if r := d.ranking(v.Name); r != nil {
			who := winnerNames(r)
			if titles[who] == nil {
				order = append(order, who)
			}
			titles[who] = append(titles[who], clean(v.Title))
		}
	}
	var parts []string
	for _, who := range order {
		switch who {
		case "":
			parts = append(parts, "nobody wins "+listed(titles[who]))
		case first:
			verb := "it also wins "
			if strings.Contains(first, " and ") {
				verb = "they also win "
			}
			parts = append(parts, verb+listed(titles[who]))
		default:
			parts = append(parts, listed(titles[who])+" goes to "+who)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	text := strings.Join(parts, "; ")
	return []sentence{{Text: capital(text) + "."}}
}

// hard describes the benchmarks that nobody solved or that only one solver solved.
func (s *site) hard(d *division) []sentence {
	none, alone := d.runs.hard()
	matrix := d.track.matrixHref() + "#division=" + urlValue(d.name) + "&show="
	n := int64(d.runs.Benchmarks)
	var all []sentence
	if none > 0 {
		all = append(all, sentence{fmt.Sprintf("No solver solved %s of the %s.", grouped(none),
			plural(n, "benchmark")), []link{{"Unsolved benchmarks", matrix + "none"}}})
	}
	var names []string
	sum := int64(0)
	for _, i := range d.runs.sortedSolvers() {
		if alone[i] > 0 {
			names = append(names, fmt.Sprintf("%s (%s)", clean(d.runs.Solvers[i]), grouped(alone[i])))
			sum += alone[i]
		}
	}
	if sum > 0 {
		verb := "were"
		if sum == 1 {
			verb = "was"
		}
		all = append(all, sentence{fmt.Sprintf("%s %s solved by one solver only: %s.", plural(sum, "benchmark"), verb,
			listed(names)), []link{{"Solved by one", matrix + "one"}}})
	}
	return all
}

// hard counts the benchmarks that nobody solved and, for each solver, the benchmarks that nobody else solved.
func (t *runTable) hard() (none int64, alone []int64) {
	correct, ok := t.verdicts.at[string(comp.Correct)]
	alone = make([]int64, len(t.Solvers))
	if !ok {
		return int64(len(t.benches)), alone
	}
	for from := 0; from < len(t.bench); {
		to, solved, who := from, 0, uint16(0)
		for ; to < len(t.bench) && t.bench[to] == t.bench[from]; to++ {
			if int(t.verdict[to]) == correct {
				solved, who = solved+1, t.solver[to]
			}
		}
		switch solved {
		case 0:
			none++
		case 1:
			alone[who]++
		}
		from = to
	}
	return none, alone
}

// bad lists the endings that a solver's author wants to know about.
var bad = []struct {
	ending comp.Ending
	text   string
	title  string // title of the link
}{
	{comp.Signalled, "crashed", "Crashes"}, {comp.OutOfMemory, "ran out of memory", "Out of memory"},
	{comp.WallTimeout, "reached the wall time limit", "Out of time"},
	{comp.CPUTimeout, "reached the CPU time limit", "Out of CPU time"},
	{comp.OutputLimit, "wrote too much", "Too much output"},
	{comp.PidsLimit, "had too many processes", "Too many processes"},
	{comp.FilesLimit, "filled their scratch space", "Full scratch space"},
}

// wrong describes who gave wrong answers, and how abnormal runs ended.
func (d *division) wrong() []sentence {
	t := d.runs
	errors, endings := make([]int64, len(t.Solvers)), map[string]int64{}
	verdict, known := t.verdicts.at[string(comp.Wrong)]
	for i := range t.bench {
		if known && int(t.verdict[i]) == verdict {
			errors[t.solver[i]]++
		}
		endings[t.endings.list[t.ending[i]]]++
	}
	var all []sentence
	for _, i := range t.sortedSolvers() {
		if name := t.Solvers[i]; errors[i] > 0 {
			all = append(all, sentence{fmt.Sprintf("%s gave %s.", clean(name), plural(errors[i], "wrong answer")),
				[]link{{"The runs", d.runsHref() + "#solver=" + urlValue(name) + "&verdict=" + string(comp.Wrong)}}})
		}
	}
	var texts []string
	var links []link
	for _, b := range bad {
		if n := endings[string(b.ending)]; n > 0 {
			texts = append(texts, grouped(n)+" "+b.text)
			links = append(links, link{b.title, d.runsHref() + "#ending=" + string(b.ending)})
		}
	}
	if len(texts) > 0 {
		all = append(all, sentence{fmt.Sprintf("Of %s, %s.", plural(int64(t.Runs), "run"), listed(texts)), links})
	}
	return all
}
