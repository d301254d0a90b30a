// Package record reads what organisers published about a competition in their repositories: HTML and Markdown pages,
// and results files. It converts them to folders of official results, which package scoreio scores and compares.
package record

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/base/pattern"
)

// The kinds of pages.
const (
	Division     = "division"
	Logic        = "logic" // page of a division
	Overview     = "overview"
	BiggestLead  = "biggest_lead"
	Contribution = "largest_contribution"
	BestOverall  = "best_overall"
	Wide         = "competition_wide"
)

// Page is a published results page.
type Page struct {
	File  string
	Year  int    // 0 if not stated
	Track string // as in folders of official results: single-query, application, ...
	Kind  string
	Name  string // name of the division or logic

	Uncontested  bool // whether the page says that the division is not competitive
	Benchmarks   int  // -1 if not stated, like the figures below
	Industrial   int
	TimeLimitS   int
	Logics       map[string]int     // number of benchmarks by logic
	Winners      map[string]string  // winners by view; empty if there is none
	WinnerScores map[string]float64 // winning scores by view
	Views        map[string][]Row
	Orders       []Order // only on overviews
}

// Row is a line in a view.
type Row struct {
	Solver    string
	Competing bool
	Division  string // only in recognitions
	Second    string
	Figures   map[string]float64 // figures by their names in published.json
}

// Order is what an overview states about a division's view.
type Order struct {
	Division, View string
	Benchmarks     int // -1 if not stated
	Winner         string
	HasWinner      bool
	Solvers        []string
}

// Page titles.
var (
	ofDivision = pattern.Lazy(`^([A-Za-z0-9_+-]+) \((.* Track.*)\)(?: non-competitive)?$`)
	ofRanking  = pattern.Lazy(`^(Biggest Lead|Largest Contribution|Best Overall) Ranking ?- (.* Track.*)$`)
	ofOverview = pattern.Lazy(`^(?:SMT-COMP \d+ Results - )?(.* Track.*?)(?: \(Summary\))?$`)
	ofWide     = pattern.Lazy(`^Competition-Wide Scoring for the (.* Track)$`)
	yearOfPath = pattern.Lazy(`(?:^|/)([0-9]{4})/results/`)
)

// ReadPage reads a results page. It returns nil if the file is not a results page.
func ReadPage(path string) (*Page, error) {
	data, err := limits.Page.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p, err := parse(path, data)
	if err == nil && filepath.Ext(path) == ".html" && !bytes.Contains(data, []byte("</html>")) {
		err = errors.New("the page ends too early, without </html>; get the whole file")
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return p, err
}

func parse(path string, data []byte) (p *Page, err error) {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("<")) {
		p, err = fromHTML(data)
	} else {
		p, err = fromMarkdown(data)
	}
	if err != nil || p == nil {
		return nil, err
	}
	if p.File = path; p.Year == 0 {
		p.Year = YearOf(path)
	}
	if p.Year == 0 {
		return nil, nil
	}
	return p, nil
}

// YearOf returns the year whose results a path contains, or 0.
func YearOf(path string) int {
	year := 0
	if m := yearOfPath().FindStringSubmatch(filepath.ToSlash(path)); m != nil {
		year, _ = strconv.Atoi(m[1]) // the pattern allows only digits
	}
	return year
}

func newPage(kind, track string) *Page {
	return &Page{Kind: kind, Track: track, Benchmarks: -1, Industrial: -1, TimeLimitS: -1, Logics: map[string]int{},
		Winners: map[string]string{}, WinnerScores: map[string]float64{}, Views: map[string][]Row{}}
}

// trackName returns a track's name without "Track" and "experimental", in lower case with hyphens.
func trackName(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return r == ' ' || r == '(' || r == ')' })
	words = slices.DeleteFunc(words, func(w string) bool { return w == "track" || w == "experimental" })
	return strings.Join(words, "-")
}

var (
	benchmarksOf = pattern.Lazy(`(?i)(industrial )?\bbenchmarks(?: in this division)? ?[:=] ?(\d+)`)
	timeLimitOf  = pattern.Lazy(`(?i)Time Limit ?: ?(\d+)`)
	logicOf      = pattern.Lazy(`^([A-Za-z0-9_]+) : (\d+) benchmarks?$`)
	winnerOf     = pattern.Lazy(`^(?:Division COMPLETE: )?(?:The )?[Ww]inner (on industrial benchmarks )?` +
		`(?:is|:)(?: :)? (.+?)(?: - [A-Z]+ medal winner)?$`)
)

func fromHTML(data []byte) (*Page, error) {
	d, err := parseHTML(data)
	if err != nil {
		return nil, err
	}
	var p *Page
	if m := ofDivision().FindStringSubmatch(d.title); m != nil {
		p = newPage(Division, trackName(m[2]))
		p.Name = m[1]
		if strings.Contains(d.text, "Competition results for the "+m[1]+" logic") {
			p.Kind = Logic
		}
	} else if m := ofRanking().FindStringSubmatch(d.title); m != nil {
		p = newPage(strings.ReplaceAll(strings.ToLower(m[1]), " ", "_"), trackName(m[2]))
	} else if m := ofWide().FindStringSubmatch(d.title); m != nil {
		p = newPage(Wide, trackName(m[1]))
	} else if m := ofOverview().FindStringSubmatch(d.title); m != nil {
		p = newPage(Overview, trackName(m[1]))
	} else {
		return nil, nil
	}
	for _, m := range benchmarksOf().FindAllStringSubmatch(d.text, -1) {
		of := &p.Benchmarks
		if m[1] != "" {
			of = &p.Industrial
		}
		if n, err := strconv.Atoi(m[2]); err == nil && *of < 0 {
			*of = n
		}
	}
	if m := timeLimitOf().FindStringSubmatch(d.text); m != nil {
		p.TimeLimitS, _ = strconv.Atoi(m[1]) // a limit that is not a number is ignored
	}
	for _, item := range d.lists {
		if m := logicOf().FindStringSubmatch(item); m != nil {
			p.Logics[m[1]], _ = strconv.Atoi(m[2])
		}
	}
	p.Uncontested = strings.Contains(strings.ToLower(d.text), "non-competitive division")
	for _, h := range d.headings {
		if m := winnerOf().FindStringSubmatch(h); m != nil {
			p.winner(map[bool]string{false: "parallel", true: "parallel_industrial"}[m[1] != ""], m[2])
			p.Uncontested = p.Uncontested || somebody(m[2]) == ""
		}
	}
	for i := range d.tables {
		if err := p.table(&d.tables[i]); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// viewOf returns the view that a table's id or the heading of a column or line names, or "".
func viewOf(s string) string {
	s = strings.ToLower(strings.TrimSuffix(s, "-lc"))
	view := ""
	for _, v := range []struct{ begins, name string }{
		{"seq", "sequential"}, {"smtexec", "sequential"}, {"par", "parallel"}, {"unknown", "parallel"}, {"sat", "sat"},
		{"unsat", "unsat"}, {"24", "twentyfour"}, {"twentyfour", "twentyfour"},
	} {
		if strings.HasPrefix(s, v.begins) {
			view = v.name
		}
	}
	if view != "" && (s == "paralleli" || s == "sequentiali" || strings.Contains(s, "industrial")) {
		view += "_industrial"
	}
	return view
}

// columns maps column headings to the names of figures.
var columns = map[string]string{
	"errors": "error", "error score": "error",
	"correct score": "correct", "corrects": "correct", "reduction score": "correct", "score": "correct",
	"correctly solved score": "correct",
	"cpu":                    "cpu", "cpu time": "cpu", "cpu score": "cpu", "cpu time score": "cpu", "time": "cpu",
	"avg. cpu time": "cpu", "cpu time (on solved instances)": "cpu",
	"wall": "wall", "wall score": "wall", "wall time score": "wall", "avg. wall time": "wall",
	"solved": "solved", "solved sat": "solved_sat", "solved unsat": "solved_unsat", "unsolved": "unsolved",
	"not solved": "unsolved", "remaining": "remaining", "abstained": "abstained", "n/a": "abstained",
	"timeout": "timeout", "memout": "memout", "time score": "time_score", "contribution": "contribution",
}

// table adds a table's content to the page: winners, orders, or a view.
func (p *Page) table(t *table) error {
	if len(t.head) == 0 || len(t.rows) == 0 {
		return nil
	}
	if p.Kind == Wide {
		return p.wide(t)
	}
	first := strings.ToLower(t.head[0])
	view := viewOf(t.id)
	switch {
	case first == "logic":
		p.orders(t)
	case first == "scoring scheme":
		p.ranking(t)
	case view == "" && t.id == "" && viewOf(t.head[0]) != "":
		for i, c := range t.rows[0] {
			if i < len(t.head) && viewOf(t.head[i]) != "" {
				p.winner(viewOf(t.head[i]), c.text)
			}
		}
	case view == "" && first == "winner":
		p.winner("sequential", t.rows[0][0].text)
	case view != "" && p.Views[view] == nil && slices.Contains(t.head, "Solver"):
		return p.addView(view, t)
	}
	return nil
}

// wide reads competition-wide scores from a layout table that contains one table per view.
func (p *Page) wide(t *table) error {
	column := -1
	for _, cells := range t.rows {
		switch {
		case len(cells) != 3: // the line around the tables
		case cells[0].text == "Rank":
			column++
		case column >= 0 && column < len(t.head):
			view, name := viewOf(t.head[column]), cells[1].text
			f, err := strconv.ParseFloat(cells[2].text, 64)
			if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
				return fmt.Errorf("score of %s in the view %s is %.40q, not a number", name, view, cells[2].text)
			}
			p.Views[view] = append(p.Views[view], Row{Solver: name, Competing: !cells[1].marked,
				Figures: map[string]float64{"score": f}})
		}
	}
	return nil
}

var scored = pattern.Lazy(`^(.+) \((-?[0-9.]+)\)$`)

// winner records a view's winner and, if the page of the best overall shows it, the winner's score.
func (p *Page) winner(view, text string) {
	if m := scored().FindStringSubmatch(text); m != nil && p.Kind == BestOverall {
		text = m[1]
		p.WinnerScores[view], _ = strconv.ParseFloat(m[2], 64)
	}
	p.Winners[view] = somebody(text)
}

// somebody returns a winner's name, or "" for words that mean that there is no winner.
func somebody(name string) string {
	if slices.Contains([]string{"-", "—", "n/a", "N/A", "–"}, name) || strings.HasPrefix(name, "No (compet") {
		return ""
	}
	return name
}

// deltaOf matches the difference between a derived solver and its base.
var deltaOf = pattern.Lazy(`^(\S+) \(base ([+-]\d+)\)$`)

func (p *Page) addView(view string, t *table) error {
	rows := []Row{}
	for _, cells := range t.rows {
		r := Row{Competing: true, Figures: map[string]float64{}}
		for i, c := range cells {
			if i >= len(t.head) {
				break
			}
			head := strings.ToLower(t.head[i])
			switch head {
			case "solver":
				r.Solver = c.text
				r.Competing = !c.marked && !strings.HasPrefix(c.text, "[")
				continue
			case "division":
				r.Division = c.text
				continue
			}
			name := columns[head]
			if name == "correct" && p.ranks() {
				name = "score"
			}
			if m := deltaOf().FindStringSubmatch(c.text); m != nil {
				c.text = m[1]
				r.Figures["delta_base"], _ = strconv.ParseFloat(m[2], 64)
			}
			if name == "" || c.text == "" || c.text == "-" {
				continue
			}
			f, err := strconv.ParseFloat(strings.TrimSuffix(c.text, "*"), 64)
			if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
				return fmt.Errorf("%s of %s in the view %s is %.40q, not a number", name, r.Solver, view, c.text)
			}
			r.Figures[name] = f
		}
		if _, ok := r.Figures["correct"]; !ok && !p.ranks() { // pages without scores show numbers of solved ones
			if n, ok := r.Figures["solved"]; ok {
				r.Figures["correct"] = n
				delete(r.Figures, "solved")
			}
		}
		if r.Solver != "" {
			rows = append(rows, r)
		}
	}
	p.Views[view] = rows
	return nil
}

// ranks reports whether the page belongs to a recognition.
func (p *Page) ranks() bool {
	return slices.Contains([]string{BiggestLead, Contribution, BestOverall}, p.Kind)
}

// orders reads an overview with one line per division. Consecutive lines of a division represent different views.
func (p *Page) orders(t *table) {
	views := []string{}
	for _, h := range slices.Concat(t.head, t.more) {
		if strings.HasPrefix(h, "Order") {
			_, of, _ := strings.Cut(h, "(")
			if of == "" {
				of = "parallel"
			}
			views = append(views, viewOf(of))
		}
	}
	division, benchmarks, n := "", -1, 0
	for _, cells := range t.rows {
		if len(cells) > 2 {
			division, n = cells[0].text, 0
			benchmarks, _ = strconv.Atoi(cells[2].text)
		}
		last := cells[len(cells)-1]
		if n >= len(views) || last.text == "" {
			continue
		}
		o := Order{Division: division, View: views[n], Benchmarks: benchmarks}
		for _, name := range strings.Split(last.text, ";") {
			if name = strings.TrimSpace(name); somebody(name) != "" {
				o.Solvers = append(o.Solvers, name)
			}
		}
		n++
		p.Orders = append(p.Orders, o)
	}
}

// ranking reads a division's table in an overview, which has one line per view.
func (p *Page) ranking(t *table) {
	for _, cells := range t.rows {
		o := Order{Division: t.heading, View: viewOf(cells[0].text), Benchmarks: -1}
		if len(cells) > 2 {
			o.HasWinner, o.Winner = true, somebody(cells[1].text)
		}
		for _, name := range strings.Split(cells[len(cells)-1].text, ",") {
			if name = strings.TrimSpace(name); name != "" {
				o.Solvers = append(o.Solvers, name)
			}
		}
		if o.View != "" {
			p.Orders = append(p.Orders, o)
		}
	}
}

// markdownColumns maps the keys of Markdown lines to the names of figures.
var markdownColumns = map[string]string{
	"errorScore": "error", "correctScore": "correct", "CPUScore": "cpu", "WallScore": "wall", "solved": "solved",
	"solved_sat": "solved_sat", "solved_unsat": "solved_unsat", "unsolved": "unsolved", "abstained": "abstained",
	"timeout": "timeout", "memout": "memout", "timeScore": "time_score", "contribution": "contribution",
}

// fromMarkdown parses a page's front matter, which is YAML or JSON. JSON is valid YAML.
func fromMarkdown(data []byte) (*Page, error) {
	switch {
	case bytes.HasPrefix(data, []byte("{")):
	case bytes.HasPrefix(data, []byte("---\n")):
		data, _, _ = bytes.Cut(data[4:], []byte("\n---"))
	default:
		return nil, nil
	}
	var m map[string]any
	if err := yaml.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	return matter(m), nil
}

func word(m map[string]any, key string) string {
	s, _ := m[key].(string)
	return s
}

// matter returns the page that front matter describes, or nil if it is not a results page.
func matter(m map[string]any) *Page {
	track, ok := strings.CutPrefix(word(m, "track"), "track_")
	if !ok {
		return nil
	}
	parts, _ := m["divisions"].([]any)
	p := newPage(Division, strings.ReplaceAll(track, "_", "-"))
	if kind, challenge := strings.CutSuffix(p.Track, "-challenge"); challenge {
		p.Track = "challenge-" + strings.Replace(kind, "single-query", "non-incremental", 1)
	}
	switch {
	case parts != nil || word(m, "layout") == "results_summary":
		p.Kind = Overview
	case word(m, "recognition") != "":
		p.Kind = word(m, "recognition")
	case word(m, "division") == "":
		return nil
	}
	p.Name = word(m, "division")
	for key, of := range map[string]*int{"year": &p.Year, "n_benchmarks": &p.Benchmarks, "time_limit": &p.TimeLimitS} {
		if n, ok := m[key].(int); ok {
			*of = n
		}
	}
	lists, _ := m["logics"].([]any)
	for _, raw := range append(lists, m["logics"]) {
		sizes, _ := raw.(map[string]any)
		for name, n := range sizes {
			p.Logics[name], _ = n.(int)
		}
	}
	for _, short := range []string{"seq", "par", "sat", "unsat", "24s"} {
		view := viewOf(short)
		if _, ok := m["winner_"+short]; ok {
			p.winner(view, word(m, "winner_"+short))
		}
		if lines, ok := m[view].([]any); ok {
			p.Views[view] = p.lines(lines)
		}
	}
	for _, raw := range parts {
		if part, ok := raw.(map[string]any); ok {
			if sub := matter(part); sub != nil {
				p.Year = sub.Year
				p.orderOf(sub)
			}
		}
	}
	return p
}

// orderOf adds a division's orders, which a Markdown overview contains in full.
func (p *Page) orderOf(sub *Page) {
	for _, view := range slices.Sorted(maps.Keys(sub.Views)) {
		o := Order{Division: sub.Name, View: view, Benchmarks: sub.Benchmarks, HasWinner: true,
			Winner: sub.Winners[view]}
		for _, r := range sub.Views[view] {
			o.Solvers = append(o.Solvers, r.Solver)
		}
		p.Orders = append(p.Orders, o)
	}
}

func (p *Page) lines(lines []any) []Row {
	rows := []Row{}
	for _, raw := range lines {
		line, _ := raw.(map[string]any)
		r := Row{Solver: word(line, "name"), Second: word(line, "second"), Division: word(line, "division"),
			Competing: word(line, "competing") != "no", Figures: map[string]float64{}}
		for key, name := range markdownColumns {
			if name == "correct" && p.ranks() {
				name = "score"
			}
			switch n := line[key].(type) {
			case int:
				r.Figures[name] = float64(n)
			case float64:
				if !math.IsNaN(n) && !math.IsInf(n, 0) { // YAML allows NaN and infinity
					r.Figures[name] = n
				}
			}
		}
		if n, ok := line["deltaBaseSolver"].(int); ok && word(line, "baseSolver") != "" {
			r.Figures["delta_base"] = float64(n)
		}
		rows = append(rows, r)
	}
	return rows
}
