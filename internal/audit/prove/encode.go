package prove

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/audit/runtree"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/results"
)

// The versions of the file: cell/2 for runs that say who takes part, and cell/3 with entrants.
const (
	withoutEntrants = "cell/2"
	format          = "cell/3"
)

// cell identifies a cell and contains its value.
type cell struct {
	Stage    string `json:"stage"`
	Track    string `json:"track"`
	Division string `json:"division"`
	Logic    string `json:"logic"` // empty for the whole division
	View     string `json:"view"`
	Solver   string `json:"solver"`
	Column   string `json:"column"`
	Value    string `json:"value"` // exact value; times are in seconds
}

// encode returns the file's content, which is compressed JSON. The gzip header contains the digest of everything after
// it.
func (p *proof) encode() ([]byte, error) {
	signature, err := p.signature()
	if err != nil {
		return nil, err
	}
	sum := func(e, n, points int64, w, c, aw, ac score.Sum) string {
		return map[string]string{"e": fmt.Sprint(e), "n": fmt.Sprint(n), "points": fmt.Sprint(points),
			"w": w.String(), "c": c.String(),
			"aw": aw.String(), "ac": ac.String()}[p.name.Column]
	}
	x := &p.cell.Cell
	value := sum(x.Errors, x.Correct, x.Points, x.Wall, x.CPU, x.ActualWall, x.ActualCPU)
	e := &encoder{}
	version := format
	if p.schema != results.SchemaOf[results.RunRow]().Name {
		version = withoutEntrants
	}
	e.field("format", version)
	e.field("cell", cell{p.stage, p.row.Track, p.row.Division, p.row.Logic, p.row.View, p.row.Solver, p.name.Column,
		value})
	e.field("sections", p.cites())
	e.field("rules", string(p.rules.Tree()))
	e.field("lock", string(p.folder.Bytes))
	e.field("signature", signature)
	var lines []any
	for _, c := range p.record.Components {
		lines = append(lines, []string{c.Name, c.Value})
	}
	e.list("components", lines)
	e.field("spans", p.spans)
	e.table("scored", append([]string{"table"}, runtree.ColumnsOf(p.schema, runtree.Scored)...), p.scored)
	e.table("judged", judgedColumns, p.isJudged)
	e.table("rest", runtree.ColumnsOf(p.schema, runtree.Rest), p.rest)
	e.field("path", p.tree.Path(runtree.Scored, p.known))
	e.field("rest_path", p.tree.Path(runtree.Rest, p.own))
	if version == format {
		e.field("places", p.places)
		e.table("entrants", append([]string{"table"},
			runtree.ColumnsOf(results.SchemaOf[results.EntrantRow]().Name, runtree.Entrants)...), p.entrants)
		e.field("entrants_path", p.tree.Path(runtree.Entrants, p.entered))
	}
	terms := map[string]*string{}
	for i := range p.cell.Terms {
		t := &p.cell.Terms[i]
		n := int64(0)
		if t.Error {
			n = 1
		}
		if t.Counted {
			value := sum(n, t.N, t.Points, t.Wall, t.CPU, t.ActualWall, t.ActualCPU)
			terms[t.Benchmark] = &value
		}
	}
	added := make([]*string, len(p.benchmarks)) // null: the view does not count the run
	for i, benchmark := range p.benchmarks {
		added[i] = terms[benchmark]
	}
	e.field("terms", added)
	return e.close()
}

// cites returns the sections of the rules that apply to the cell.
func (p *proof) cites() []string {
	var all []string
	for _, s := range p.rules.Scores {
		for _, track := range s.Tracks {
			if track == p.row.Track {
				all = append(all, s.Cite)
			}
		}
	}
	for _, v := range p.rules.Views {
		if v.Name == p.row.View {
			all = append(all, v.Cite)
		}
	}
	return all
}

// text is a table value, which may contain any bytes because solvers print anything.
type text string

// MarshalJSON implements json.Marshaler. It encodes a byte that is not valid UTF-8 as the lone surrogate DC00 + byte,
// as in Python.
func (s text) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(s)) {
		return json.Marshal(string(s))
	}
	b := []byte{'"'}
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(string(s))
		if r == utf8.RuneError && n == 1 {
			b = fmt.Appendf(b, "\\udc%02x", s[0])
		} else {
			quoted, err := json.Marshal(string(s[:n]))
			if err != nil {
				return nil, err
			}
			b = append(b, quoted[1:len(quoted)-1]...)
		}
		s = s[n:]
	}
	return append(b, '"'), nil
}

// encoder writes a JSON object with one field per line.
type encoder struct {
	b   bytes.Buffer
	err error
}

func (e *encoder) field(name string, v any) {
	if e.b.Len() == 0 {
		e.b.WriteByte('{')
	}
	fmt.Fprintf(&e.b, "\n%q: ", name)
	e.value(v)
	e.b.WriteByte(',')
}

func (e *encoder) list(name string, lines []any) {
	fmt.Fprintf(&e.b, "\n%q: [", name)
	for i, v := range lines {
		if i > 0 {
			e.b.WriteByte(',')
		}
		e.b.WriteString("\n  ")
		e.value(v)
	}
	e.b.WriteString("],")
}

// table writes a table's columns, one per line. A column consists of its distinct values and, for each row, the
// difference between the indexes of the row's value and of the previous row's value. Most differences are 0 or 1 and
// compress well.
func (e *encoder) table(name string, columns []string, rows [][]string) {
	fmt.Fprintf(&e.b, "\n%q: {", name)
	for k, column := range columns {
		values, steps := []text{}, make([]int, 0, len(rows))
		places, last := map[string]int{}, 0
		for _, row := range rows {
			at, ok := places[row[k]]
			if !ok {
				at = len(values)
				places[row[k]] = at
				values = append(values, text(row[k]))
			}
			steps, last = append(steps, at-last), at
		}
		if k > 0 {
			e.b.WriteByte(',')
		}
		fmt.Fprintf(&e.b, "\n  %q: ", column)
		e.value([]any{values, steps})
	}
	e.b.WriteString("},")
}

func (e *encoder) value(v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil && e.err == nil {
		e.err = err
	}
	e.b.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// close ends the object and returns it compressed.
func (e *encoder) close() ([]byte, error) {
	if e.err != nil {
		return nil, e.err
	}
	e.b.Truncate(e.b.Len() - 1) // removes the last comma
	e.b.WriteString("\n}\n")
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(e.b.Bytes()); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	// The comment in the header is the digest of everything after the header (RFC 1952, 2.3). gunzip ignores it.
	content := packed.Bytes()[10:]
	return append(fmt.Appendf(nil, "\x1f\x8b\x08\x10\x00\x00\x00\x00\x02\xff%x\x00", sha256.Sum256(content)),
		content...), nil
}
