package report

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

func urlValue(s string) string { return url.QueryEscape(s) }

// solverList lists every solver in every track.
func (s *site) solverList() *table {
	tab := &table{ID: "solvers", Caption: "Solvers", Filter: true, Cols: []col{{"Solver", "", false},
		{"Team", "", false}, {"Tracks", "", false},
		{"Version", "as the program reports it", false},
		{"Program", "first digits of the program's or archive's SHA-256", false},
		{"System description", "", false},
		{"Runs", "", true}, {"Correct", "", true}, {"Wrong", "", true}, {"CPU time", "of all runs", true}}}
	for _, v := range s.m.solvers {
		name := head(v.name, v.href())
		name.Badges = solverMarks(v)
		cpu := cell{Text: longTime(v.sums.CPUSeconds), Sort: fmt.Sprint(v.sums.CPUSeconds), Num: true}
		wrong := count(v.sums.WrongTotal)
		if v.sums.WrongTotal > 0 {
			wrong.Class = "bad"
		}
		tab.Rows = append(tab.Rows, row{Cells: []cell{name, text(v.team), {Links: s.tracksOf(v)}, version(v.entries),
			v.program(), v.describedIn(), count(v.sums.Runs), count(v.sums.Correct), wrong, cpu}})
	}
	tab.prune()
	return tab
}

// solversBody fills the page about all solvers.
type solversBody struct{ Solvers, Questions *table }

// questions lists what people must decide; nil if the rules contain no questions.
func (s *site) questions() *table {
	if len(s.m.in.Questions) == 0 {
		return nil
	}
	tab := &table{ID: "questions", Caption: "For people to check", Cols: []col{{"Requirement", "", false},
		{"Solvers", "concerned", false}}}
	for _, q := range s.m.in.Questions {
		var concerned []link
		for _, v := range s.m.solvers {
			if slices.Contains(q.Solvers, v.name) {
				concerned = append(concerned, link{clean(v.name), v.href()})
			}
		}
		tab.Rows = append(tab.Rows, row{Cells: []cell{head(q.Text, ""), {Links: concerned}}})
	}
	return tab
}

// version lists the versions of the participations' programs. The versions that programs report are evidence; without
// evidence, the cell states whether there is a program to ask.
func version(entries []results.SolverRow) cell {
	c := cell{Text: "not published"}
	for _, e := range entries {
		digest := first(e.ProgramSHA256, e.ArchiveSHA256)
		if digest == "" || len(e.Command) == 0 {
			continue
		}
		c.Text = "not asked"
		if p := digest + " " + clean(e.Command[0]); !slices.Contains(c.Programs, p) {
			c.Programs = append(c.Programs, p)
		}
	}
	return c
}

// commit matches the commit hash in an archive's address.
var commit = pattern.Lazy(`\b[0-9a-f]{40}\b`)

// program returns the digest that identifies the runs' program.
func (v *solver) program() cell {
	for _, e := range v.entries {
		if digest := first(e.ProgramSHA256, e.ArchiveSHA256); digest != "" {
			return cell{Text: clean(digest[:min(12, len(digest))]), Class: "code"}
		}
	}
	return cell{}
}

// describedIn links to the system description.
func (v *solver) describedIn() cell {
	for _, e := range v.entries {
		if href := webAddress(e.Description); href != "" {
			return cell{Outside: href, Text: "description"}
		}
	}
	return cell{}
}

func solverMarks(v *solver) []badge {
	var b []badge
	if !v.competitive {
		b = append(b, badge{"not competing", "plain", "entered for comparison"})
	}
	if v.base != "" {
		b = append(b, badge{"derived from " + clean(v.base), "plain", "derived solver"})
	}
	for _, e := range v.entries {
		if e.Problem != "" {
			b = append(b, badge{"cannot win", "warn", clean(e.Problem)})
			break
		}
	}
	return b
}

func (s *site) tracksOf(v *solver) []link {
	var links []link
	for _, t := range s.m.tracks {
		if slices.Contains(t.solvers, v.name) || slices.ContainsFunc(v.entries,
			func(e results.SolverRow) bool { return e.Track == t.name }) {
			links = append(links, link{t.title, t.href()})
		}
	}
	return links
}

// solverBody fills a solver's page.
type solverBody struct {
	Facts   []factLine
	Badges  []badge
	Entries *table
	// Questions lists what people must decide about the solver.
	Questions []string
	Results   []*table
	// Strong and Weak are benchmarks on which the solver was better or worse than the best other solver.
	Strong, Weak *table
	Wrong        *table
	Total        int64
	Listed       int
}

type factLine struct {
	Name, Text string
	Href       string
	Versions   string // programs whose versions form the text, one per line; see cell.Programs
}

func (s *site) solverPage(v *solver) *solverBody {
	body := &solverBody{Badges: solverMarks(v), Total: v.sums.WrongTotal, Listed: len(v.sums.Wrong)}
	fact := func(name, text, href string) {
		if text != "" {
			body.Facts = append(body.Facts, factLine{Name: name, Text: clean(text), Href: href})
		}
	}
	fact("Team", v.team, "")
	said := version(v.entries)
	body.Facts = append(body.Facts, factLine{Name: "Version", Text: said.Text,
		Versions: strings.Join(said.Programs, "\n")})
	if len(v.entries) > 0 {
		e := v.entries[0]
		fact("Kind", e.Type, "")
		fact("Website", e.Website, webAddress(e.Website))
		fact("System description", e.Description, webAddress(e.Description))
		fact("Archive", e.ArchiveURL, webAddress(e.ArchiveURL))
		fact("Commit", commit().FindString(e.ArchiveURL), "")
	}
	fact("Runs", fmt.Sprintf("%s: %s correct, %s wrong", grouped(v.sums.Runs),
		grouped(v.sums.Correct), grouped(v.sums.WrongTotal)), "")
	fact("CPU time", longTime(v.sums.CPUSeconds), "")
	body.Entries = entries(v)
	for _, t := range s.m.tracks {
		if tab := s.solverResults(v, t); tab != nil {
			body.Results = append(body.Results, tab)
		}
	}
	for _, q := range s.m.in.Questions {
		if slices.Contains(q.Solvers, v.name) {
			body.Questions = append(body.Questions, clean(q.Text))
		}
	}
	body.Wrong = s.wrongTable(v)
	if x := s.duels()[v.name]; x != nil {
		body.Strong = duelTable("strong", "Divisions where it beat all other solvers", v.name, x.Strong)
		body.Weak = duelTable("weak", "Divisions where another solver was better", v.name, x.Weak)
	}
	return body
}

// webAddress returns s if it is an http or https address; otherwise it returns an empty text.
func webAddress(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return ""
	}
	return u.String()
}

// entries lists how the solver is executed in each track.
func entries(v *solver) *table {
	if len(v.entries) == 0 {
		return nil
	}
	tab := &table{ID: "entries", Caption: "Participation", Cols: []col{{"Track", "", false}, {"Command", "", false},
		{"Logics", "", false}, {"Version", "as the program reports it", false},
		{"Program", "SHA-256 of the program or archive", false}}}
	for _, e := range v.entries {
		logics := "every logic"
		if len(e.Logics) > 0 {
			logics = strings.Join(e.Logics, ", ")
		}
		command := cell{Text: clean(strings.Join(e.Command, " ")), Class: "code"}
		digest := cell{Text: clean(first(e.ProgramSHA256, e.ArchiveSHA256)), Class: "code"}
		tab.Rows = append(tab.Rows, row{Cells: []cell{head(trackTitle(e.Track), ""), command, text(logics),
			version([]results.SolverRow{e}), digest}})
	}
	return tab
}

// solverResults returns a solver's places in all of a track's divisions.
func (s *site) solverResults(v *solver, t *track) *table {
	if !slices.Contains(t.solvers, v.name) {
		return nil
	}
	tab := &table{ID: "results-" + t.slug, Caption: "Results in the " + t.title + " track"}
	tab.Cols = []col{{"Division", "", false}, {"Points", "in the main view", true}, {"Score", "in the main view", true},
		{"Errors", "", true}, {"Solved", "", true}, {"Unsolved", "", true}, {"Wall time", "seconds", true}}
	for _, view := range t.views {
		tab.Cols = append(tab.Cols, col{clean(view.Title), "place among eligible solvers; " + view.Doc, true})
	}
	for _, d := range t.divisions {
		tr := row{Cells: []cell{head(d.name, d.href())}}
		ranking := d.ranking(t.views[0].Name)
		main, _ := ranking.find(v.name)
		if main == nil {
			continue
		}
		errors := count(main.Errors)
		if main.Errors > 0 {
			errors.Class = "bad"
		}
		var points cell
		if results.ByPoints(ranking.rows) {
			points = count(main.Points)
		}
		tr.Cells = append(tr.Cells, points, score(main.Correct), errors, count(main.Solved), unsolvedCell(d, main),
			timeCell(main.WallS))
		for _, view := range t.views {
			tr.Cells = append(tr.Cells, s.m.placeCell(d.ranking(view.Name), v.name))
		}
		tab.Rows = append(tab.Rows, tr)
	}
	if tab.Rows == nil {
		return nil
	}
	tab.prune()
	return tab
}

// unsolvedCell returns the number of benchmarks that a solver did not solve, with a link to their runs.
func unsolvedCell(d *division, r *results.ScoreRow) cell {
	c := count(r.Unsolved)
	if r.Unsolved > 0 && d.runs != nil {
		c.Links, c.Text = []link{{c.Text, d.runsHref() + "#solver=" + urlValue(r.Solver) + "&verdict=unknown"}}, ""
	}
	return c
}

func (r *ranking) find(solver string) (*results.ScoreRow, int64) {
	if r == nil {
		return nil, 0
	}
	for i := range r.rows {
		if r.rows[i].Solver == solver {
			return &r.rows[i], r.place[i]
		}
	}
	return nil, 0
}

func (m *model) placeCell(r *ranking, solver string) cell {
	row, place := r.find(solver)
	if row == nil || place == 0 {
		return cell{Text: "–", Sort: "1e9", Num: true}
	}
	c := count(place)
	if row.Winner {
		c.Badges = []badge{m.winnerBadge()}
	}
	return c
}

func (s *site) wrongTable(v *solver) *table {
	if len(v.sums.Wrong) == 0 {
		return nil
	}
	tab := &table{ID: "wrong", Caption: "Wrong answers", Paths: true, Filter: len(v.sums.Wrong) > 20,
		Cols: []col{{"Benchmark", "links to the run", false}, {"Division", "", false},
			{"Status", "", false}, {"Answer", "", false}, {"Reason", "", false}, {"Wall time", "seconds", true},
			{"Output", "", false}}}
	for _, w := range v.sums.Wrong {
		href := w.division.runHref(w.Benchmark, v.name)
		tab.Rows = append(tab.Rows,
			row{Cells: []cell{head(w.Benchmark, href), linked(w.division.name, w.division.href()), text(w.Status),
				text(w.Answer), text(w.Reason), timeCell(w.Wall), s.output(&w)}})
	}
	tab.prune()
	return tab
}

// output links to a run's output if the site contains it. Otherwise it shows the start of the output.
func (s *site) output(w *wrongRun) cell {
	if s.m.logs[w.Log] {
		return linked("output", LogName(w.Log))
	}
	return cell{Text: clean(clip(strings.TrimSpace(w.Stdout), 60))}
}
