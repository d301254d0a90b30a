package score

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/gocty"

	"github.com/smtpipe/smtpipe/internal/base/nearest"
)

// decoder decodes the blocks of a rule set file into a RuleSet and collects diagnostics.
type decoder struct {
	rs    *RuleSet
	diags hcl.Diagnostics
	taken map[string]hcl.Range // blocks seen so far; a track uses only one per type and name
}

func (d *decoder) report(at *hcl.Range, summary, format string, args ...any) {
	d.diags = append(d.diags, &hcl.Diagnostic{
		Severity: hcl.DiagError, Summary: summary, Detail: fmt.Sprintf(format, args...), Subject: at,
	})
}

// blockDecoders maps each block type of a rule set to its labels and decoder.
var blockDecoders = map[string]struct {
	labels []string
	decode func(*decoder, *hcl.Block)
}{
	"rule_set":      {nil, (*decoder).header},
	"reading":       {[]string{"name"}, (*decoder).reading},
	"practice":      {[]string{"id"}, (*decoder).practice},
	"drop":          {[]string{"name"}, (*decoder).drop},
	"score":         {[]string{"name"}, (*decoder).score},
	"view":          {[]string{"name"}, (*decoder).view},
	"competitive":   {nil, (*decoder).contest},
	"disagreements": {nil, (*decoder).removal},
	"derived":       {nil, (*decoder).derived},
	"disqualify":    {nil, (*decoder).disqualify},
	"recognition":   {[]string{"name"}, (*decoder).recognition},
	exampleBlock:    {[]string{"name"}, (*decoder).example},
	"profile":       {[]string{"name"}, (*decoder).moved},
	"divisions":     {[]string{"name"}, (*decoder).moved},
}

// moved warns about a block that belonged in rule sets before each year had its own folder.
func (d *decoder) moved(block *hcl.Block) {
	d.diags = append(d.diags, &hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: "Obsolete block",
		Detail: fmt.Sprintf("%q blocks in rule sets are obsolete. This one has no effect. Divisions come from "+
			"the competition (year.rules.hcl, or tracks = ...); published practice is in published.rules.hcl.",
			block.Type),
		Subject: &block.DefRange})
}

func (d *decoder) ruleSet(body hcl.Body) {
	schema := &hcl.BodySchema{}
	for _, name := range sortedKeys(blockDecoders) {
		schema.Blocks = append(schema.Blocks, hcl.BlockHeaderSchema{Type: name, LabelNames: blockDecoders[name].labels})
	}
	content, diags := body.Content(schema)
	d.diags = append(d.diags, diags...)
	if content == nil {
		return
	}
	for _, block := range content.Blocks {
		blockDecoders[block.Type].decode(d, block)
	}
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// attributes holds one block's attributes. The schema reports attributes that were not requested.
type attributes struct {
	d     *decoder
	block *hcl.Block
	attrs hcl.Attributes
	inner hcl.Blocks
}

// open decodes a block that can contain the named attributes and inner blocks.
func (d *decoder) open(block *hcl.Block, names, inner []string) attributes {
	schema := &hcl.BodySchema{}
	for _, n := range names {
		schema.Attributes = append(schema.Attributes, hcl.AttributeSchema{Name: n})
	}
	for _, n := range inner {
		schema.Blocks = append(schema.Blocks, hcl.BlockHeaderSchema{Type: n})
	}
	content, diags := block.Body.Content(schema)
	d.diags = append(d.diags, diags...)
	if content == nil {
		content = &hcl.BodyContent{}
	}
	return attributes{d: d, block: block, attrs: content.Attributes, inner: content.Blocks}
}

// expr returns an attribute's expression, or nil.
func (a attributes) expr(name string) hcl.Expression {
	if attr := a.attrs[name]; attr != nil {
		return attr.Expr
	}
	return nil
}

// value evaluates a constant attribute.
func value[V any](a attributes, name string, want cty.Type, out *V) bool {
	attr := a.attrs[name]
	if attr == nil {
		return false
	}
	v, diags := attr.Expr.Value(nil)
	a.d.diags = append(a.d.diags, diags...)
	if diags.HasErrors() {
		return false
	}
	at := attr.Expr.Range()
	if want.IsCollectionType() && v.CanIterateElements() {
		same := true
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			same = same && e.Type().Equals(want.ElementType()) // reject conversions, such as from a number to a string
		}
		var err error
		if v, err = convert.Convert(v, want); err != nil || !same {
			v = cty.NilVal
		}
	}
	if v == cty.NilVal || v.IsNull() || gocty.FromCtyValue(v, out) != nil {
		kind := want.FriendlyName()
		if want == cty.Number {
			kind = "whole number"
		}
		a.d.report(&at, "Unsuitable value", "%s must be a %s.", name, kind)
		return false
	}
	return true
}

func (a attributes) text(name string) (s string) {
	value(a, name, cty.String, &s)
	return s
}

// oneOf reads an attribute whose value must be one of the given words. It returns "" if the attribute is absent.
func (a attributes) oneOf(name string, words ...string) string {
	s := a.text(name)
	if s != "" && !slices.Contains(words, s) {
		at := a.attrs[name].Expr.Range()
		a.d.report(&at, "Unsuitable value", `%s must be one of "%s".`, name, strings.Join(words, `", "`))
	}
	return s
}

func (a attributes) flag(name string) (b bool) {
	value(a, name, cty.Bool, &b)
	return b
}

func (a attributes) texts(name string) (list []string) {
	value(a, name, cty.List(cty.String), &list)
	return list
}

func (a attributes) number(name string, missing int64) int64 {
	n := missing
	value(a, name, cty.Number, &n)
	return n
}

// seconds reads a duration such as "24s" or "20m". ok is false if the attribute is absent.
func (a attributes) seconds(name string) (t Time, ok bool) {
	var s string
	if !value(a, name, cty.String, &s) {
		return 0, false
	}
	at := a.attrs[name].Expr.Range()
	factor := map[byte]Time{'s': 1, 'm': 60, 'h': 3600}[lastByte(s)]
	t, err := ParseTime(s[:max(len(s)-1, 0)])
	if err != nil || factor == 0 {
		a.d.report(&at, "Unsuitable duration", `%s must be a duration with a unit, such as "24s" or "20m".`, name)
		return 0, false
	}
	if t > Time(maxTime)/factor {
		a.d.report(&at, "Unsuitable duration", `%s exceeds the maximum of %d days.`, name, maxDays)
		return 0, false
	}
	return t * factor, true
}

func lastByte(s string) byte {
	if s == "" {
		return 0
	}
	return s[len(s)-1]
}

// within reports a number outside the meaningful range.
func (a attributes) within(name string, least, most int64) {
	if n := a.number(name, least); n < least || n > most {
		at := a.attrs[name].Expr.Range()
		limit := fmt.Sprintf("at least %d", least)
		if most < math.MaxInt32 {
			limit = fmt.Sprintf("from %d to %d", least, most)
		}
		a.d.report(&at, "Unsuitable value", "%s must be %s.", name, limit)
	}
}

// ownTracks reads the tracks that a block claims for itself. Blocks of the same type and name must not share a track,
// because only one of them would be used for it.
func (a attributes) ownTracks(name string) []string {
	tracks, kind := a.tracks(), a.block.Type
	if len(tracks) == 0 && len(a.texts("published")) == 0 {
		a.d.report(&a.block.DefRange, "Block without a track",
			"No track has this %s, so it is never used. Name its tracks, such as tracks = [\"single_query\"].", kind)
	}
	for _, t := range tracks {
		key := kind + "\x00" + name + "\x00" + t
		if first, ok := a.d.taken[key]; ok {
			a.d.report(&a.block.DefRange, "Track twice", "The track %s has this %s already in line %d, and only one of the "+
				"two is used. Give it another name, or take the track out of one of them.", t, kind, first.Start.Line)
			break
		}
		if a.d.taken == nil {
			a.d.taken = map[string]hcl.Range{}
		}
		a.d.taken[key] = a.block.DefRange
	}
	return tracks
}

// tracks reads track names and reports unknown ones.
func (a attributes) tracks() []string { return a.trackList("tracks") }

func (a attributes) trackList(attribute string) []string {
	names := a.texts(attribute)
	for i, n := range names {
		name, _, err := a.d.rs.Kinds.Parse(n)
		if err != nil {
			at := a.attrs[attribute].Expr.Range()
			a.d.report(&at, "Unknown track", "There is no track %q.%s", n, nearest.Question(n, a.d.rs.Kinds.Names()))
			continue
		}
		names[i] = name
	}
	return names
}

func (d *decoder) header(block *hcl.Block) {
	a := d.open(block, []string{"year", "title", "open_source", "regroup"}, nil)
	d.rs.Regroup = a.flag("regroup")
	d.rs.OpenSource = a.flag("open_source")
	d.rs.Year = int(a.number("year", 0))
	d.rs.Title = a.text("title")
}

func (d *decoder) reading(block *hcl.Block) {
	a := d.open(block, []string{"values", "cite", "doc"}, nil)
	r := Reading{Name: block.Labels[0], Values: a.texts("values"), Cite: a.text("cite"), Doc: a.text("doc")}
	if len(r.Values) < 2 {
		d.report(&block.DefRange, "Reading without a choice",
			"Reading %q needs two values or more; the first is the default.", r.Name)
	}
	d.rs.Readings = append(d.rs.Readings, r)
}

func (d *decoder) practice(block *hcl.Block) {
	a := d.open(block, []string{"cite", "doc"}, nil)
	d.rs.Practices = append(d.rs.Practices, Practice{ID: block.Labels[0], Cite: a.text("cite"), Doc: a.text("doc"),
		at: block.DefRange})
}

func (d *decoder) drop(block *hcl.Block) {
	a := d.open(block, []string{"when", "cite", "tracks"}, nil)
	if when := a.require("when"); when != nil {
		drop := Drop{Name: block.Labels[0], When: when, Cite: a.text("cite")}
		if a.attrs["tracks"] != nil {
			drop.Tracks = a.tracks()
		}
		d.rs.Drops = append(d.rs.Drops, drop)
	}
}

// require returns a required attribute's expression.
func (a attributes) require(name string) hcl.Expression {
	e := a.expr(name)
	if e == nil {
		a.d.report(&a.block.DefRange, "Missing attribute", "This block needs the attribute %q.", name)
	}
	return e
}

// let reads the definitions in inner let blocks, in file order.
func (a attributes) let() []Definition {
	var defs []Definition
	for _, b := range a.inner {
		if b.Type != "let" {
			continue
		}
		attrs, diags := b.Body.JustAttributes()
		a.d.diags = append(a.d.diags, diags...)
		list := make([]*hcl.Attribute, 0, len(attrs))
		for _, attr := range attrs {
			list = append(list, attr)
		}
		slices.SortFunc(list, func(x, y *hcl.Attribute) int {
			return cmp.Compare(x.Range.Start.Byte,
				y.Range.Start.Byte)
		})
		for _, attr := range list {
			defs = append(defs, Definition{attr.Name, attr.Expr})
		}
	}
	return defs
}

func (d *decoder) score(block *hcl.Block) {
	a := d.open(block, []string{"tracks", "cite", "e", "n", "solved", "claim", "points", "timeout", "memout", "w", "c",
		"aw", "ac"},
		[]string{"let"})
	d.rs.Scores = append(d.rs.Scores, &ScoreRule{
		Name: block.Labels[0], Cite: a.text("cite"), Tracks: a.ownTracks(""), Let: a.let(),
		Error: a.require("e"), Count: a.require("n"), Solved: a.expr("solved"), Claim: a.expr("claim"),
		Points:  a.expr("points"),
		Timeout: a.expr("timeout"), Memout: a.expr("memout"),
		Wall: a.expr("w"), CPU: a.require("c"), ActualWall: a.expr("aw"), ActualCPU: a.expr("ac"),
	})
}

func (d *decoder) view(block *hcl.Block) {
	a := d.open(block, []string{"tracks", "published", "cite", "limit", "cut", "where", "of", "clock", "e", "n", "w",
		"c", "order", "show", "time", "recognise", "upside_down"},
		[]string{"let", "absent"})
	v := &View{
		Name: block.Labels[0], Cite: a.text("cite"), Tracks: a.ownTracks(block.Labels[0]), Let: a.let(),
		Where: a.expr("where"),
		Of:    a.expr("of"),
		Error: a.expr("e"), Count: a.expr("n"), Wall: a.expr("w"), CPU: a.expr("c"),
		Published: a.trackList("published"), Show: a.texts("show"), Time: cmp.Or(a.text("time"), "w"),
		Recognise: a.flag("recognise"), UpsideDown: a.text("upside_down"), at: block.DefRange,
	}
	if t, ok := a.seconds("limit"); ok {
		v.Limit = &t
	}
	v.Cut = a.oneOf("cut", "wall", "cpu")
	v.Sequential = a.oneOf("clock", "wall", "cpu") == "cpu"
	for _, b := range a.inner {
		if b.Type == "absent" {
			inner := d.open(b, []string{"w", "c"}, nil)
			v.Absent = &Absent{Wall: inner.expr("w"), CPU: inner.expr("c")}
		}
	}
	for _, k := range a.texts("order") {
		key := d.key(a, k)
		if slices.ContainsFunc(v.Order, func(before Key) bool { return before.Column == key.Column }) {
			at := a.attrs["order"].Expr.Range()
			d.report(&at, "Column twice", "The order has %q twice, and only the first counts. Take one out.", key.Column)
		}
		v.Order = append(v.Order, key)
	}
	if len(v.Order) == 0 {
		d.report(&block.DefRange, "View without an order", `View %q needs order, such as ["e", "-n", "w", "c"].`,
			v.Name)
	}
	if v.Time != "w" && v.Time != "c" {
		d.report(&block.DefRange, "Unsuitable value", `time of view %q must be "w" or "c".`, v.Name)
	}
	d.rs.Views = append(d.rs.Views, v)
}

// keyColumns are the columns that views can order by.
var keyColumns = []string{"e", "n", "w", "c", "aw", "ac", "points", "avg_cpu"}

func (d *decoder) key(a attributes, s string) Key {
	column, desc := strings.CutPrefix(s, "-")
	if !slices.Contains(keyColumns, column) {
		at := a.attrs["order"].Expr.Range()
		d.report(&at, "Unknown column", "Views cannot be ordered by %q; the columns are %s.", column,
			strings.Join(keyColumns, ", "))
	}
	return Key{Column: column, Desc: desc}
}

func (d *decoder) contest(block *hcl.Block) {
	a := d.open(block, []string{"teams", "when", "cite"}, nil)
	a.within("teams", 1, math.MaxInt32)
	d.rs.Contest = Contest{Teams: int(a.number("teams", 2)), When: a.expr("when"), Cite: a.text("cite")}
}

func (d *decoder) removal(block *hcl.Block) {
	a := d.open(block, []string{"remove", "report", "cite"}, nil)
	d.rs.Removal = Removal{Remove: a.trackList("remove"), Report: a.trackList("report"), Cite: a.text("cite")}
}

func (d *decoder) derived(block *hcl.Block) {
	a := d.open(block, []string{"view", "percent", "cite"}, nil)
	a.within("percent", 0, 99)
	d.rs.Derived = &Derived{View: a.text("view"), Percent: a.number("percent", 0), Cite: a.text("cite")}
}

func (d *decoder) disqualify(block *hcl.Block) {
	a := d.open(block, []string{"errors", "wrappers", "qualified_only", "cite"}, nil)
	d.rs.Disqualify = &Disqualify{Errors: a.number("errors", 0), Wrappers: a.flag("wrappers"), Cite: a.text("cite"),
		QualifiedOnly: a.expr("qualified_only")}
}

func (d *decoder) recognition(block *hcl.Block) {
	a := d.open(block, []string{"kind", "cite", "tracks", "published", "views", "term", "best", "best_new",
		"time_breaks_ties",
		"empty_time", "small", "where", "wins"}, nil)
	a.within("best", 1, math.MaxInt32)
	r := &Recognition{
		Name: block.Labels[0], Kind: cmp.Or(a.text("kind"), block.Labels[0]), Cite: a.text("cite"),
		Tracks: a.ownTracks(block.Labels[0]), Published: a.trackList("published"),
		Views: a.texts("views"), Term: a.expr("term"), Best: a.number("best", 1),
		BestNew:        a.flag("best_new"),
		TimeBreaksTies: a.flag("time_breaks_ties"),
		Small:          a.number("small", 0), Where: a.expr("where"), Wins: a.expr("wins"),
	}
	r.EmptyTime, _ = a.seconds("empty_time")
	if _, ok := recognisers[r.Kind]; !ok {
		d.report(&block.DefRange, "Unknown kind of recognition",
			"There is no recognition of kind %q; the kinds are %s.%s",
			r.Kind, strings.Join(sortedKeys(recognisers), ", "), nearest.Question(r.Kind, sortedKeys(recognisers)))
	}
	d.rs.Recognition = append(d.rs.Recognition, r)
}
