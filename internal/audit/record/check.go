package record

import (
	"bufio"
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/smtpipe/smtpipe/internal/base/pattern"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Finding is a figure or name on a page that contradicts other pages, lists, or other lines of the page.
type Finding struct {
	Table           string // name of the division, logic or recognition, as in published.json
	Place           string // location in the table
	Made, Published string
}

// checker checks a track's pages against each other and against lists, without using results.
type checker struct {
	pages    map[string]*Page // pages of divisions and logics, by name
	old      bool             // whether pages are sorted by name
	compared int
	out      []Finding
}

func (c *checker) same(table, place, made, published string) {
	if c.compared++; made != published {
		c.out = append(c.out, Finding{table, place, cmp.Or(made, "nothing"), cmp.Or(published, "nothing")})
	}
}

func (c *checker) number(table, place string, made, published int) {
	c.same(table, place, strconv.Itoa(made), strconv.Itoa(published))
}

// Entered is the set of entries: track, division or logic, and solver.
type Entered map[[3]string]bool

// Check checks a track's pages without results, and returns the findings and the number of comparisons. old means that
// pages are sorted by name. wide is a solver's competition-wide score for a division where it has errors; if wide is
// "", these scores are not checked.
func (m *Material) Check(track string, old bool, wide string) ([]Finding, int, error) {
	c := &checker{pages: map[string]*Page{}, old: old}
	for _, p := range m.Pages[track] {
		if p.Kind == Division || p.Kind == Logic {
			c.pages[p.Name] = p
		}
	}
	drawn, err := m.drawn(track)
	if err != nil {
		return nil, 0, err
	}
	for _, p := range m.Pages[track] {
		switch p.Kind {
		case Overview:
			c.overview(p)
		case Division, Logic:
			if !old {
				for view, rows := range p.Views {
					c.order(p.Name, view+" / order", rows, view)
				}
			}
			c.winners(p)
			c.sizes(p, drawn)
			c.sums(p)
		case Wide:
			if wide != "" {
				c.wide(p, wide)
			}
		default:
			c.winners(p)
		}
		c.names(p, m.Listed)
		c.entries(p, m)
	}
	for _, twin := range m.Twins {
		if twin[0].Track == track {
			c.twins(twin[0], twin[1])
		}
	}
	slices.SortStableFunc(c.out, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Table, b.Table), strings.Compare(a.Place, b.Place))
	})
	return c.out, c.compared, nil
}

// label returns the page name to use in locations.
func (p *Page) label() string { return cmp.Or(p.Name, p.Kind) }

// view returns a view's lines and name. On old pages with only one view, the name differs.
func (c *checker) view(p *Page, view string) ([]Row, string) {
	if rows, ok := p.Views[view]; ok || !c.old || len(p.Views) != 1 {
		return rows, view
	}
	for only, rows := range p.Views {
		return rows, only
	}
	return nil, view
}

// winners compares the winners named on a page with its lines. The winner must be the first competing solver or, on old
// pages, one that no other precedes.
func (c *checker) winners(p *Page) {
	for _, named := range slices.Sorted(maps.Keys(p.Winners)) {
		rows, view := c.view(p, named)
		name := p.Winners[named]
		if name == "" || len(rows) == 0 || p.Kind == BestOverall {
			continue
		}
		made := ""
		i := slices.IndexFunc(rows, func(r Row) bool { return r.Solver == name && r.Competing })
		for j := range rows {
			if r := &rows[j]; r.Competing && made == "" && (!c.old || i < 0 || r.precedes(&rows[i], view)) {
				made = r.Solver
			}
		}
		if c.old && i >= 0 && made == "" {
			made = name
		}
		c.same(p.label(), named+" / winner", made, name)
	}
}

// order compares the order of the lines in a view, or of the names in an overview, with the figures. It checks
// competing and other lines separately.
func (c *checker) order(label, place string, rows []Row, view string) {
	for i := 1; i < len(rows); i++ {
		if rows[i].Competing != rows[i-1].Competing {
			continue
		}
		if c.compared++; rows[i].precedes(&rows[i-1], view) {
			c.out = append(c.out, Finding{label, place, rows[i].Solver + " before " + rows[i-1].Solver,
				rows[i-1].Solver + " before " + rows[i].Solver})
		}
	}
}

// sizes compares a page's number of benchmarks with the draw and with the page's logics, and the numbers of the logics
// with the logics' own pages.
func (c *checker) sizes(p *Page, drawn map[string]int) {
	sum := 0
	for _, logic := range slices.Sorted(maps.Keys(p.Logics)) {
		sum += p.Logics[logic]
		if of := c.pages[logic]; of != nil {
			c.number(p.Name, logic+" / logic", of.Benchmarks, p.Logics[logic])
		}
	}
	if len(p.Logics) > 0 && p.Benchmarks >= 0 {
		c.number(p.Name, "n_benchmarks, of its logics", sum, p.Benchmarks)
	} else if n, ok := drawn[p.Name]; ok && p.Benchmarks >= 0 {
		c.number(p.Name, "n_benchmarks, in the list of selected benchmarks", n, p.Benchmarks)
	}
}

// summed lists a division's figures that are sums over its logics.
var summed = []string{"correct", "solved", "solved_sat", "solved_unsat", "timeout", "memout"}

// sums compares a division's lines with those of its logics, and the total in a line with its parts.
func (c *checker) sums(p *Page) {
	var parts []*Page
	for logic := range p.Logics {
		if c.pages[logic] != nil {
			parts = append(parts, c.pages[logic])
		}
	}
	for view, rows := range p.Views {
		for i := range rows {
			r := &rows[i]
			if sat, ok := r.Figures["solved_sat"]; ok {
				if unsat, ok := r.Figures["solved_unsat"]; ok {
					place := view + " / " + r.Solver + " / solved, sat and unsat"
					c.number(p.Name, place, int(sat+unsat), int(r.Figures["solved"]))
				}
			}
			if len(parts) == 0 || len(parts) != len(p.Logics) {
				continue
			}
			for _, figure := range summed {
				want, ok := r.Figures[figure]
				sum := 0.0
				for _, part := range parts {
					for j := range part.Views[view] {
						if part.Views[view][j].Solver == r.Solver {
							sum += part.Views[view][j].Figures[figure]
						}
					}
				}
				if ok {
					c.number(p.Name, view+" / "+r.Solver+" / "+figure+", of its logics", int(sum), int(want))
				}
			}
		}
	}
}

// precedes reports whether the printed figures place r before other. Times that are printed as equal decide nothing.
// The sequential view may be ordered by either time, depending on the year.
func (r *Row) precedes(other *Row, view string) bool {
	f, g := r.Figures, other.Figures
	if n := cmp.Or(cmp.Compare(f["error"], g["error"]), cmp.Compare(g["correct"], f["correct"])); n != 0 {
		return n < 0
	}
	_, wall := f["wall"]
	return (!wall || f["wall"] < g["wall"]) && (wall && !strings.HasPrefix(view, "sequential") || f["cpu"] < g["cpu"])
}

// overview compares an overview's orders, winners and sizes with the pages.
func (c *checker) overview(p *Page) {
	for i := range p.Orders {
		o := &p.Orders[i]
		of := c.pages[o.Division]
		if of == nil || len(o.Solvers) == 0 && c.old { // old overviews lack the order of some views
			continue
		}
		at := o.View + " / overview"
		if o.Benchmarks >= 0 && of.Benchmarks >= 0 {
			c.number(o.Division, "n_benchmarks, in the overview", o.Benchmarks, of.Benchmarks)
		}
		if o.HasWinner {
			c.same(o.Division, at+" / winner", of.Winners[o.View], o.Winner)
		}
		rows, view := c.view(of, o.View)
		left, in := slices.Clone(rows), []Row{}
		for i, name := range o.Solvers {
			j := slices.IndexFunc(left, func(r Row) bool { return r.Solver == name })
			if j < 0 {
				j = slices.IndexFunc(left, func(r Row) bool { return shortened(r.Solver, name) })
			}
			if j < 0 {
				c.same(o.Division, at+" / "+name, "", "place "+strconv.Itoa(i+1))
				continue
			}
			in = append(in, left[j])
			left = slices.Delete(left, j, j+1)
		}
		for i := range left {
			c.same(o.Division, at+" / "+left[i].Solver, "a line", "")
		}
		c.order(o.Division, at+" / order", in, view)
	}
}

var version = pattern.Lazy(`\bv([0-9])`)

// shortened reports whether short equals full or is a prefix of it, as in old overviews, which also spell versions
// differently.
func shortened(full, short string) bool {
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, version().ReplaceAllString(s, "$1"))
	}
	return strings.HasPrefix(letters(full), letters(short))
}

// names compares the solvers' names with the list of entrants.
func (c *checker) names(p *Page, listed map[string]bool) {
	if len(listed) == 0 {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(p.solvers())) {
		if c.compared++; !listed[name] {
			c.out = append(c.out, Finding{p.label(), name, "no solver in the lists", "a line"})
		}
	}
}

// entries compares a division's or logic's solvers with the submissions.
func (c *checker) entries(p *Page, m *Material) {
	if m.Submitted == nil || p.Kind != Division && p.Kind != Logic {
		return
	}
	track, lines := strings.ReplaceAll(p.Track, "-", "_"), p.solvers()
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		at := [3]string{track, p.Name, name}
		made := "a submission"
		if !m.Submitted[at] && m.Drawn[at] {
			made = "a submission of the draw only"
		} else if !m.Submitted[at] {
			made = ""
		}
		if c.compared++; made != "a submission" {
			c.out = append(c.out, Finding{p.label(), name + ", in the submissions", cmp.Or(made, "nothing"), "a line"})
		}
	}
	for at := range m.Submitted {
		if at[0] == track && at[1] == p.Name && lines[at[2]] == nil {
			c.same(p.label(), at[2]+", in the submissions", "a submission", "")
		}
	}
}

// wide compares competition-wide scores with those computed from the pages of competitive divisions (rules of 2016,
// §7.4, of 2017 and 2018, §7.5): the sum of (n/N)² ln N. With errors, the square is replaced by minus their number, or
// by minus a constant. Capitalisation of names may differ.
func (c *checker) wide(p *Page, penalty string) {
	const printed = 0.0005 // largest rounding error of e and n on pages
	for _, view := range slices.Sorted(maps.Keys(p.Views)) {
		for _, r := range p.Views[view] {
			sum, slack := 0.0, 0.005
			for _, name := range slices.Sorted(maps.Keys(c.pages)) {
				of := c.pages[name]
				i := slices.IndexFunc(of.Views[view], func(o Row) bool { return strings.EqualFold(o.Solver, r.Solver) })
				if i < 0 || of.Uncontested || of.Benchmarks <= 0 {
					continue
				}
				f, n := of.Views[view][i].Figures, float64(of.Benchmarks)
				log := math.Log(n)
				switch {
				case f["error"] == 0:
					sum += f["correct"] / n * (f["correct"] / n) * log
					slack += 2 * f["correct"] / n / n * log * printed
				case penalty == "-e":
					sum -= f["error"] * log
					slack += log * printed
				default:
					penalty, _ := strconv.ParseFloat(penalty, 64) // already validated as a value of the attribute
					sum += penalty * log
				}
			}
			made := strconv.FormatFloat(sum, 'f', 2, 64)
			if math.Abs(sum-r.Figures["score"]) <= slack {
				made = decimal(r.Figures["score"])
			}
			c.same(p.label(), view+" / "+r.Solver+" / score", made, decimal(r.Figures["score"]))
		}
	}
}

// twins compares the figures that occur in both forms of a page.
func (c *checker) twins(a, b *Page) {
	for view, rows := range a.Views {
		for i := range rows {
			j := slices.IndexFunc(b.Views[view], func(r Row) bool {
				return r.Solver == rows[i].Solver && r.Division == rows[i].Division
			})
			if j < 0 {
				c.same(a.label(), view+" / "+rows[i].Solver+", twice", "a line", "")
				continue
			}
			for figure, n := range rows[i].Figures {
				if other, ok := b.Views[view][j].Figures[figure]; ok {
					c.same(a.label(), view+" / "+rows[i].Solver+" / "+figure+", twice", decimal(n), decimal(other))
				}
			}
		}
	}
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

// drawn returns the number of a track's selected benchmarks by logic, or nil unless there is exactly one list.
func (m *Material) drawn(track string) (map[string]int, error) {
	if len(m.Lists[track]) != 1 {
		return nil, nil
	}
	excluded, err := m.readExcluded()
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	err = eachFile(m.Lists[track][0], func(_ string, in *bufio.Reader) error {
		lines := bufio.NewScanner(in)
		for lines.Scan() {
			logic, path, ok := comp.LibraryPath(lines.Text())
			if ok && !excluded[comp.Collection(strings.Contains(track, "incremental"))+"/"+path] {
				counts[string(logic)]++
			}
		}
		return lines.Err()
	})
	return counts, err
}
