package smtcompsite

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// certificateTracks are the tracks on certificates, in order. The parallel and cloud tracks are not included.
var certificateTracks = []string{"single_query", "incremental", "unsat_core", "model_validation"}

// macros are the LaTeX macros for the views, in the order of views.
var macros = [5]string{`\seq`, `\paral`, `\sat`, `\unsat`, `\fast`}

// wins records the views in which a solver won a title, by track.
type wins map[string]*[5]bool

// titles maps each title that a solver won to its wins.
type titles map[string]wins

func (t titles) add(title, track string, view int) {
	if t[title] == nil {
		t[title] = wins{}
	}
	if t[title][track] == nil {
		t[title][track] = &[5]bool{}
	}
	t[title][track][view] = true
}

// certificate holds one solver's titles.
type certificate struct{ overall, divisions, logics titles }

// certificates returns the input of the LaTeX document: two lines for every competing solver that won something, sorted
// by its name in lower case. As in the organisers' tool, non-competitive and experimental divisions count too.
func (b *builder) certificates() string {
	all := map[string]*certificate{}
	of := func(solver string) *certificate {
		if all[solver] == nil {
			all[solver] = &certificate{titles{}, titles{}, titles{}}
		}
		return all[solver]
	}
	for _, p := range b.list {
		if slices.Contains(certificateTracks, p.track.name) {
			p.certify(of)
		}
	}
	competes := map[string]bool{}
	for _, p := range b.site.Participants {
		competes[p.Name] = competes[p.Name] || p.Competitive
	}
	names := slices.DeleteFunc(sorted(all), func(name string) bool { return !competes[name] })
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) })
	var out strings.Builder
	for _, name := range names {
		fmt.Fprintf(&out, "%s\n\\newpage\n", all[name].line(name))
	}
	return out.String()
}

// certify adds a track's winners to their certificates.
func (p *trackPages) certify(of func(solver string) *certificate) {
	each := func(w winners, fn func(solver string, view int)) {
		for view, solver := range w.list() {
			if solver != nobody {
				fn(solver, view)
			}
		}
	}
	for _, page := range p.recognitions {
		title := recognitions[slices.IndexFunc(recognitions, func(r recognition) bool {
			return r.kind == page.Recognition
		})].title
		each(page.winners, func(solver string, view int) {
			of(solver).overall.add(title, p.track.name, view)
		})
	}
	division := map[string]*divisionPage{} // division page by the name of a logic's page
	for _, page := range p.divisions {
		for logic := range page.Logics {
			division[identifier(logic)] = page
		}
		each(page.winners, func(solver string, view int) {
			if len(page.Logics) > 0 {
				of(solver).divisions.add(page.Division, p.track.name, view)
				return
			}
			// A solver that won the whole division in a view also won each of the division's logics.
			if d := division[page.Division]; d != nil && d.winners.list()[view] != solver {
				of(solver).logics.add(page.Division, p.track.name, view)
			}
		})
	}
}

// line returns the macro call for a solver.
func (c *certificate) line(name string) string {
	var overall []string
	for _, r := range recognitions {
		if text := item(r.title, c.overall[r.title]); text != "" {
			overall = append(overall, text)
		}
	}
	list := func(won titles) (string, string) {
		var items []string
		for _, title := range sorted(won) {
			if text := item(title, won[title]); text != "" {
				items = append(items, text)
			}
		}
		plural := ""
		if len(items) >= 2 {
			plural = "s"
		}
		return strings.Join(items, ", "), plural
	}
	divisions, s1 := list(c.divisions)
	logics, s2 := list(c.logics)
	return fmt.Sprintf(`\MakeOnePage{%s}{%s}{%s}{%s}{%s}{%s}`, latexText.Replace(name), strings.Join(overall, ", "),
		divisions, logics, s1, s2)
}

// item formats a title with the categories in which it was won; empty if certificates include none of them.
func item(title string, w wins) string {
	var categories []string
	for _, track := range certificateTracks {
		if views := w[track]; views != nil {
			categories = append(categories, categoriesOf(track, views)...)
		}
	}
	if len(categories) == 0 {
		return ""
	}
	return fmt.Sprintf(`\withtrack{%s}{%s}`, latexText.Replace(title), strings.Join(categories, ","))
}

// categoriesOf names a track's views. Only the single-query track has views other than the sequential and the parallel
// one.
func categoriesOf(track string, views *[5]bool) []string {
	const seq, par = 0, parallelView
	switch track {
	case "single_query":
		var names []string
		for i, won := range views {
			if won {
				names = append(names, macros[i])
			}
		}
		return names
	case "incremental":
		if views[par] {
			return []string{`\inc`}
		}
		return nil
	}
	name, link := `\uc`, `\textsuperscript`
	if track == "model_validation" {
		name, link = `\mv`, ""
	}
	switch {
	case views[seq] && views[par]:
		return []string{name}
	case views[seq]:
		return []string{name + link + macros[seq]}
	case views[par]:
		return []string{name + link + macros[par]}
	}
	return nil
}

// latexText escapes LaTeX's special characters. The organisers' tool escapes only _ in titles, and nothing in names.
var latexText = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`,
	"{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "\n", " ", "\r", " ")
