package prove

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/smtpipe/smtpipe/internal/score"
)

// format is the version of the file.
const format = "cell/1"

// cell names the cell and has its value.
type cell struct {
	Stage    string `json:"stage"`
	Track    string `json:"track"`
	Division string `json:"division"`
	Logic    string `json:"logic"` // empty: the whole division
	View     string `json:"view"`
	Solver   string `json:"solver"`
	Column   string `json:"column"`
	Value    string `json:"value"` // times in seconds, exact
}

// encode writes the file: JSON, with a line for each run. The last line is the digest of all that is before it.
func (p *proof) encode() ([]byte, error) {
	signature, err := p.signature()
	if err != nil {
		return nil, err
	}
	sum := func(e, n int64, w, c, aw, ac score.Sum) string {
		return map[string]string{"e": fmt.Sprint(e), "n": fmt.Sprint(n), "w": w.String(), "c": c.String(),
			"aw": aw.String(), "ac": ac.String()}[p.name.Column]
	}
	points := func(n, points int64) int64 {
		if p.row.View == "points" {
			return points
		}
		return n
	}
	x := &p.cell.Cell
	value := sum(x.Errors, points(x.Correct, x.Points), x.Wall, x.CPU, x.ActualWall, x.ActualCPU)
	e := &encoder{}
	e.field("format", format)
	e.field("cell", cell{p.stage, p.row.Track, p.row.Division, p.row.Logic, p.row.View, p.row.Solver, p.name.Column,
		value})
	e.field("year", p.year)
	e.field("rules", p.cites())
	e.field("lock", string(p.folder.Bytes))
	e.field("signature", signature)
	var lines []any
	for _, c := range p.record.Components {
		lines = append(lines, []string{c.Name, c.Value})
	}
	e.list("components", lines)
	lines = nil
	for i := range p.rows {
		lines = append(lines, []any{p.rows[i].at, p.rows[i].table, texts(p.rows[i].values)})
	}
	e.list("runs", lines)
	e.list("path", each(p.path))
	e.field("judged_columns", judgedColumns)
	judged := map[string][]string{}
	for at, values := range p.isJudged {
		judged[strconv.Itoa(at)] = values
	}
	e.field("judged", judged)
	lines = nil
	for i := range p.cell.Terms {
		t := &p.cell.Terms[i]
		n := int64(0)
		if t.Error {
			n = 1
		}
		if t.Counted {
			lines = append(lines, []string{t.Benchmark, sum(n, points(t.N, t.Points), t.Wall, t.CPU, t.ActualWall,
				t.ActualCPU)})
		}
	}
	e.list("terms", lines)
	return e.close()
}

// cites are the sections of the rules that the cell follows from.
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

// text is a value of a table, of any bytes: solvers print what they like.
type text string

// MarshalJSON implements json.Marshaler. A byte that is not UTF-8 is the lone surrogate DC00 + byte, as Python has it.
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

func texts(values []string) []text {
	all := make([]text, len(values))
	for i, v := range values {
		all[i] = text(v)
	}
	return all
}

func each(values []string) (all []any) {
	for _, s := range values {
		all = append(all, s)
	}
	return all
}

// encoder writes an object, a field a line.
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

func (e *encoder) value(v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil && e.err == nil {
		e.err = err
	}
	e.b.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// close ends the object with the digest of all before it.
func (e *encoder) close() ([]byte, error) {
	e.b.WriteString("\n")
	digest := sha256.Sum256(e.b.Bytes())
	fmt.Fprintf(&e.b, "%q: \"%x\"\n}\n", "sha256", digest)
	return e.b.Bytes(), e.err
}
