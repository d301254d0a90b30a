package shadow

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// found is a difference with its initial explanation, if any.
type found struct {
	part *Part
	Difference
	known   string // why the year's rules expect the difference
	missing bool   // whether the value is not computed at all
	entrant entrant
}

// entrant is a solver in a track's division or logic.
type entrant struct{ track, group, solver string }

// cells compares two documents that represent pages.
type cells struct {
	part  *Part
	track string
	group string // division or logic of the page
	n     int
	out   []found
}

func (c *cells) differ(at []string, made, published any, of entrant) {
	c.out = append(c.out, found{part: c.part, entrant: of, Difference: Difference{strings.Join(at, " / "), text(made),
		text(published)}})
}

func text(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case string:
		return strconv.Quote(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case map[string]any:
		return "a line"
	case []any:
		words := make([]string, len(v))
		for i, x := range v {
			words[i] = text(x)
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	return fmt.Sprint(v)
}

// value compares two values. It matches lines in lists by name; the order of other lists is irrelevant.
func (c *cells) value(at []string, made, published any) {
	switch want := published.(type) {
	case map[string]any:
		if got, ok := made.(map[string]any); ok {
			c.object(at, got, want)
			return
		}
	case []any:
		if got, ok := made.([]any); ok {
			if isLines(got) && isLines(want) {
				c.lines(at, got, want)
				return
			}
			c.words(at, got, want)
			return
		}
	}
	c.n++
	if !same(made, published) {
		c.differ(at, made, published, entrant{})
	}
}

func (c *cells) object(at []string, made, published map[string]any) {
	keys := maps.Clone(made)
	maps.Copy(keys, published)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		c.value(append(slices.Clip(at), k), made[k], published[k])
	}
}

// isLines reports whether a list contains only objects.
func isLines(list []any) bool {
	return !slices.ContainsFunc(list, func(v any) bool {
		_, ok := v.(map[string]any)
		return !ok
	})
}

// words compares lists of plain values, ignoring their order.
func (c *cells) words(at []string, made, published []any) {
	in := func(list []any) map[string]int {
		counts := map[string]int{}
		for _, v := range list {
			counts[plain(v)]++
		}
		return counts
	}
	got, want := in(made), in(published)
	all := maps.Clone(got)
	maps.Copy(all, want)
	for _, v := range slices.Sorted(maps.Keys(all)) {
		c.n++
		if got[v] != want[v] {
			c.out = append(c.out, found{part: c.part, Difference: Difference{strings.Join(at, " / ") + " / " + v,
				times(got[v]), times(want[v])}})
		}
	}
}

// times describes how often a value occurs in a list.
func times(n int) string {
	switch n {
	case 0:
		return text(nil)
	case 1:
		return "listed"
	}
	return fmt.Sprintf("listed %d times", n)
}

// same compares plain values. Numbers are compared as printed with six decimal places. The organisers' tool writes
// hosts in lower case, and adds a slash to addresses without a path.
func same(a, b any) bool {
	x, ok := a.(float64)
	y, both := b.(float64)
	if ok && both {
		return math.Abs(x-y) <= 1.5e-6*max(1, math.Abs(x))
	}
	return plain(address(a)) == plain(address(b))
}

// address normalises a web address: its host in lower case, without a trailing slash. It returns other values
// unchanged.
func address(v any) any {
	s, _ := v.(string)
	if u, err := url.Parse(s); err == nil && u.Host != "" {
		u.Host, u.Path = strings.ToLower(u.Host), strings.TrimSuffix(u.Path, "/")
		u.RawPath = strings.TrimSuffix(u.RawPath, "/")
		return u.String()
	}
	return v
}

// plain returns a value encoded as JSON.
func plain(v any) string {
	b, _ := json.Marshal(v) // cannot fail: the value was decoded from JSON
	return string(b)
}

// lines compares lists of objects. It matches lines by name and division: a line that is in only one list does not
// shift the others, and lines that tie may be in any order.
func (c *cells) lines(at []string, made, published []any) {
	used := make([]bool, len(made))
	var pairs [][2]int
	for i, raw := range published {
		want := raw.(map[string]any)
		j := find(made, used, want)
		if j < 0 {
			c.n++
			c.differ(c.line(at, want), nil, raw, c.entrant(want))
			continue
		}
		used[j] = true
		pairs = append(pairs, [2]int{i, j})
		c.object(c.line(at, want), made[j].(map[string]any), want)
	}
	for j, raw := range made {
		if !used[j] {
			c.n++
			c.differ(c.line(at, raw.(map[string]any)), raw, nil, entrant{})
		}
	}
	places := slices.SortedFunc(slices.Values(pairs), func(a, b [2]int) int { return cmp.Compare(a[1], b[1]) })
	for place, p := range pairs {
		c.n++
		if other := places[place]; other != p && !tie(made[other[1]], made[p[1]]) {
			c.differ(append(c.line(at, published[p[0]].(map[string]any)), "place"), float64(slices.Index(places, p)+1),
				float64(place+1), entrant{})
		}
	}
}

// line returns a line's location.
func (c *cells) line(at []string, line map[string]any) []string {
	name := strings.TrimSpace(word(line, "division") + " " + cmp.Or(word(line, "name"), word(line, "solver")))
	return append(slices.Clip(at), cmp.Or(name, "a line"))
}

func (c *cells) entrant(line map[string]any) entrant {
	return entrant{c.track, cmp.Or(word(line, "division"), c.group), word(line, "name")}
}

func word(line map[string]any, key string) string {
	s, _ := line[key].(string)
	return s
}

// find returns the index of the line with the same names as want, preferably an equal line.
func find(list []any, used []bool, want map[string]any) int {
	first := -1
	for j, raw := range list {
		got := raw.(map[string]any)
		if used[j] || word(got, "name") != word(want, "name") || word(got, "division") != word(want, "division") {
			continue
		}
		if first < 0 {
			first = j
		}
		if maps.EqualFunc(got, want, same) {
			return j
		}
	}
	return first
}

// ranks lists the keys that determine the order of lines.
var ranks = []string{"errorScore", "correctScore", "contribution", "timeScore", "tieBreakTimeScore", "WallScore",
	"CPUScore", "competing"}

// tie reports whether two lines agree in all keys that determine their order.
func tie(a, b any) bool {
	x, y := a.(map[string]any), b.(map[string]any)
	return !slices.ContainsFunc(ranks, func(k string) bool { return !same(x[k], y[k]) })
}
