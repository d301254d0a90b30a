package scoreio

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/contest/score"
)

// Difference is a cell in which computed tables differ from published ones.
type Difference struct {
	Table  string // division, logic, or recognition name
	Kind   string // division, logic or recognition
	View   string // named as in published.json; empty: the table's head
	Row    string // solver; in recognitions, division and solver
	Column string
	Got    string
	Want   string
	// Missing means that the cell was not computed because its data is not in the folder, or because nothing computes
	// it.
	Missing bool
	Known   string // reason why the difference is expected; empty: unexpected
}

// String returns the difference in one line.
func (d Difference) String() string {
	place := []string{d.Table}
	for _, s := range []string{d.View, d.Row, d.Column} {
		if s != "" {
			place = append(place, s)
		}
	}
	line := fmt.Sprintf("%s: computed %s, published %s", strings.Join(place, " / "), d.Got, d.Want)
	if d.Missing {
		line = fmt.Sprintf("%s: not computed, published %s", strings.Join(place, " / "), d.Want)
	}
	if d.Known != "" {
		line += " (known: " + d.Known + ")"
	}
	return line
}

// comparer compares a year's tables for one track.
type comparer struct {
	o        *Official
	computed *Published
	by       tolerances
	out      []Difference
	cells    int
}

// compare returns the cells that were not computed or that differ from the folder's published tables, and the number of
// compared cells. Tolerances describes the precision. Rows that tie on every column that the pages sort by may be in
// any order, unless the pages define one.
func (o *Official) compare(computed, want *Published) (differences []Difference, cells int) {
	c := &comparer{o: o, computed: computed, by: o.tolerances()}
	c.tables("division", computed.Divisions, want.Divisions, want.Sample)
	c.tables("logic", computed.Logics, want.Logics, want.Sample)
	c.summary(computed.SummaryOrder, want.SummaryOrder)
	c.recognition("biggest_lead", computed.BiggestLead, want.BiggestLead)
	c.recognition("largest_contribution", computed.LargestContribution, want.LargestContribution)
	c.recognition("best_overall", computed.BestOverall, want.BestOverall)
	for i := range c.out {
		c.out[i].Known = o.knownLimit(&c.out[i])
	}
	return c.out, c.cells
}

func (c *comparer) differ(d Difference, got, want any) {
	d.Got, d.Want = text(got), text(want)
	c.out = append(c.out, d)
}

func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return v
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}

// same compares a computed cell with the published one. Times may differ by slack in addition to the rounding of the
// printed value.
func (c *comparer) same(at Difference, got, want any, slack float64) {
	c.cells++
	if w, ok := want.(float64); ok {
		g, err := strconv.ParseFloat(text(got), 64)
		if err == nil && math.Abs(g-w) <= c.by.of(at.Column, w)+slack {
			return
		}
	} else if text(got) == text(want) {
		return
	}
	c.differ(at, got, want)
}

// member compares a member of an object. A missing member was not computed.
func (c *comparer) member(at Difference, got map[string]any, key string, want any, slack float64) {
	g, ok := got[key]
	if !ok && want != nil {
		at.Missing = true
		c.differ(at, nil, want)
		return
	}
	c.same(at, g, want, slack)
}

// lacks records the rows of a view that was not computed, one difference per cell.
func (c *comparer) lacks(at Difference, rows []any) {
	at.Missing = true
	for _, raw := range rows {
		row, _ := raw.(map[string]any)
		at.Row = strings.TrimSpace(text(cmp.Or(row["division"], any(""))) + " " + text(row["solver"]))
		for _, k := range sorted(row) {
			if at.Column = k; k != "solver" && k != "division" && row[k] != nil {
				c.differ(at, nil, row[k])
			}
		}
	}
}

// hasView reports whether a view was computed: whether it has rows, or an entry for its winner.
func hasView(table map[string]any, view string) bool {
	winners, _ := table["winners"].(map[string]any)
	_, rows := table[view]
	_, winner := winners[view]
	return rows || winner
}

func (c *comparer) tables(kind string, got, want map[string]map[string]any, sample bool) {
	for _, name := range sorted(want) {
		at := Difference{Kind: kind, Table: name}
		g, ok := got[name]
		if !ok {
			c.cells++
			c.differ(at, nil, "a table")
			continue
		}
		c.table(at, g, want[name])
	}
	for _, name := range sorted(got) {
		if _, ok := want[name]; !ok && len(want) > 0 && !sample {
			c.cells++
			c.differ(Difference{Kind: kind, Table: name}, "a table", nil)
		}
	}
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func (c *comparer) table(at Difference, got, want map[string]any) {
	for _, key := range sorted(want) {
		switch w := want[key].(type) {
		case []any:
			at.View = key
			if g, _ := got[key].([]any); hasView(got, key) {
				c.rows(at, g, w)
			} else {
				c.lacks(at, w)
			}
			at.View = ""
		case map[string]any:
			g, _ := got[key].(map[string]any)
			c.members(at, key, g, w)
		default:
			at.Column = key
			c.member(at, got, key, w, 0)
			at.Column = ""
		}
	}
}

// members compares winners, or the sizes of logics.
func (c *comparer) members(at Difference, name string, got, want map[string]any) {
	for _, k := range sorted(want) {
		at.View, at.Column = k, strings.TrimSuffix(name, "s")
		if name == "logics" {
			c.same(at, got[k], want[k], 0)
		} else {
			c.member(at, got, k, want[k], 0)
		}
	}
}

// rows compares a view's rows. A row with only known differences does not shift the others.
func (c *comparer) rows(at Difference, got, want []any) {
	gotPlace, placed := c.places(got)
	wantPlace, _ := c.places(want)
	c.lines(at, "a row", []string{"solver"}, got, want, func(at Difference, i, j int, g, w map[string]any) {
		for _, k := range sorted(w) {
			at.Column = k
			if k == "rank" && c.tieRank(got, g, w[k]) {
				c.cells++
				continue
			}
			c.member(at, g, k, w[k], c.by.sum(k, g))
		}
		if p := wantPlace[i]; gotPlace[j] != p && p >= 0 && !(p < len(placed) && c.mayBeAnyOrder(g, placed[p])) {
			at.Column = "place"
			c.cells++
			c.differ(at, j+1, i+1)
		}
	})
}

// lines calls compare for each published line and the computed line with the same keys, with their indexes. It records
// the lines without a counterpart, which what names.
func (c *comparer) lines(at Difference, what string, keys []string, got, want []any,
	compare func(at Difference, i, j int, got, want map[string]any)) {
	used := make([]bool, len(got))
	place := func(line map[string]any) Difference {
		var names []string
		for _, k := range keys {
			names = append(names, text(line[k]))
		}
		at.Row = strings.Join(names, " ")
		return at
	}
	for i, raw := range want {
		w, _ := raw.(map[string]any)
		j := matching(got, used, i, w, keys)
		if j < 0 {
			c.cells++
			c.differ(place(w), nil, what)
			continue
		}
		used[j] = true
		compare(place(w), i, j, got[j].(map[string]any), w)
	}
	for j, raw := range got {
		if !used[j] {
			c.cells++
			c.differ(place(raw.(map[string]any)), what, nil)
		}
	}
}

// places returns each row's position among the comparable rows, or -1, and the comparable rows.
func (c *comparer) places(rows []any) (places []int, placed []map[string]any) {
	for _, raw := range rows {
		row, _ := raw.(map[string]any)
		if c.o.unknownRow(text(row["solver"])) {
			places = append(places, -1)
			continue
		}
		places = append(places, len(placed))
		placed = append(placed, row)
	}
	return places, placed
}

// matching returns an unused row with equal keys, preferably at the same position.
func matching(rows []any, used []bool, place int, want map[string]any, keys []string) int {
	fits := func(j int) bool {
		if used[j] {
			return false
		}
		g, _ := rows[j].(map[string]any)
		return !slices.ContainsFunc(keys, func(k string) bool { return text(g[k]) != text(want[k]) })
	}
	if place < len(rows) && fits(place) {
		return place
	}
	for j := range rows {
		if fits(j) {
			return j
		}
	}
	return -1
}

// tieRank reports whether a row shares its rank with a row that ties with it.
func (c *comparer) tieRank(rows []any, row map[string]any, rank any) bool {
	for _, raw := range rows {
		r, _ := raw.(map[string]any)
		if rank != nil && text(r["rank"]) == text(rank) && c.mayBeAnyOrder(r, row) {
			return true
		}
	}
	return false
}

// mayBeAnyOrder reports whether two rows tie on every column that the pages sort by.
func (c *comparer) mayBeAnyOrder(a, b map[string]any) bool {
	for _, k := range []string{"error", "correct", "wall", "cpu"} {
		if text(a[k]) != text(b[k]) {
			return false
		}
	}
	return c.o.page.TiesInAnyOrder
}

// recognition compares a recognition's lists.
func (c *comparer) recognition(name string, got, want map[string]any) {
	at := Difference{Kind: "recognition", Table: name}
	for _, key := range sorted(want) {
		switch w := want[key].(type) {
		case []any:
			at.View, at.Row, at.Column = key, "", ""
			if g, _ := got[key].([]any); hasView(got, key) {
				c.entries(at, g, w)
			} else {
				c.lacks(at, w)
			}
		case map[string]any:
			g, _ := got[key].(map[string]any)
			at.Row = ""
			c.members(at, key, g, w)
		}
	}
}

// entries compares a recognition's lines. Lines with equal scores may be in any order.
func (c *comparer) entries(at Difference, got, want []any) {
	c.lines(at, "a line", []string{"division", "solver"}, got, want,
		func(at Difference, i, j int, g, w map[string]any) {
			for _, k := range sorted(w) {
				at.Column = k
				c.member(at, g, k, w[k], c.leadSlack(at, g))
			}
			if j != i && !sameScores(g, got[min(i, len(got)-1)]) {
				at.Column = "place"
				c.cells++
				c.differ(at, j+1, i+1)
			}
		})
}

func sameScores(a map[string]any, other any) bool {
	b, _ := other.(map[string]any)
	for _, k := range []string{"score", "time_score", "contribution"} {
		if text(a[k]) != text(b[k]) {
			return false
		}
	}
	return true
}

// summary compares the order of solvers on summary pages. These pages shorten names: a published name is a prefix of
// our name without the version.
func (c *comparer) summary(got, want map[string][]string) {
	for _, division := range sorted(want) {
		computed := slices.DeleteFunc(slices.Clone(got[division]), c.o.unknownRow)
		published := slices.DeleteFunc(slices.Clone(want[division]), func(name string) bool {
			return slices.ContainsFunc(got[division], func(full string) bool {
				return c.o.unknownRow(full) &&
					sameSolver(full, name)
			})
		})
		for i, name := range published {
			at := Difference{Kind: "division", Table: division, View: "summary", Row: name, Column: "place"}
			c.cells++
			ours := ""
			if i < len(computed) {
				ours = computed[i]
			}
			if !sameSolver(ours, name) {
				c.differ(at, ours, name)
			}
		}
	}
}

func sameSolver(full, short string) bool {
	full, short = strings.ToLower(full), strings.ToLower(short)
	rest, ok := strings.CutPrefix(full, short)
	return ok && (rest == "" || rest[0] == ' ' || len(rest) > 1 && rest[0] == '-' && rest[1] >= '0' && rest[1] <= '9')
}

// CompareResult compares a result with the folder's published tables; see compare.
func (o *Official) CompareResult(res *score.Result) (differences []Difference, cells int, err error) {
	return o.CompareOnly(o.Published, res)
}

// CompareOnly compares a result with parts of the published tables; see compare.
func (o *Official) CompareOnly(part *Published, res *score.Result) (differences []Difference, cells int, err error) {
	raw, err := o.TablesJSON(res)
	if err != nil {
		return nil, 0, err
	}
	computed := &Published{} // in a decoded document's types, like the published tables
	if err := json.Unmarshal(raw, computed); err != nil {
		return nil, 0, err
	}
	differences, cells = o.compare(computed, part)
	return differences, cells, nil
}

// TablesJSON returns Tables as a document in the format of published.json.
func (o *Official) TablesJSON(res *score.Result) ([]byte, error) { return indented(o.Tables(res)) }

// WriteComparison lists the differences between a result and the published tables, and returns how many are unexpected.
// It only counts those that follow from a known limitation of the data.
func (o *Official) WriteComparison(w io.Writer, res *score.Result) (unexpected int, err error) {
	differences, cells, err := o.CompareResult(res)
	if err != nil {
		return 0, err
	}
	known, missing := map[string]int{}, map[string]int{}
	for _, d := range differences {
		switch {
		case d.Known != "":
			known[d.Known]++
		case d.Missing:
			missing[d.Column]++
		default:
			unexpected++
			fmt.Fprintln(w, d)
		}
	}
	fmt.Fprintf(w, "compared: %s\n", o.Tolerances())
	fmt.Fprintf(w, "%d %s: %d cells compared, %d differ", o.Year, o.Track, cells, unexpected)
	for i, column := range slices.Sorted(maps.Keys(missing)) {
		fmt.Fprintf(w, "%s %d of %s", map[bool]string{true: "; not computed:", false: ","}[i == 0], missing[column],
			column)
	}
	for _, why := range slices.Sorted(maps.Keys(known)) {
		fmt.Fprintf(w, "; %d are known not to follow from the runs: %s", known[why], why)
	}
	_, err = fmt.Fprintln(w)
	return unexpected, err
}
