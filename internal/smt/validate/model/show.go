package model

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/fp"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

// maxShown is the maximum nesting depth of values in texts.
const maxShown = 8

// show returns a value as SMT-LIB text, with ... for deeply nested parts and for values without a short text.
func (v *validation) show(sort sorts.ID, val value.Value, depth int) string {
	s := v.check.Sorts.At(sort)
	if depth > maxShown {
		return "..."
	}
	switch p := val.P.(type) {
	case *value.Unknown:
		return "(no value)"
	case *value.Data:
		return v.showData(sort, p, depth)
	case *value.Array:
		return v.showArray(sort, p, depth)
	case value.Text:
		return showString(p)
	}
	switch s.Kind {
	case sorts.Bool:
		return fmt.Sprint(val.True())
	case sorts.RoundingMode:
		return fp.Mode(val.N).String()
	case sorts.Int, sorts.Real:
		return showNumber(val, s.Kind == sorts.Real)
	case sorts.BitVec:
		return showBits(val.BigBits(), s.N)
	case sorts.Float:
		return showFloat(val.BigBits(), s.N, s.M)
	case sorts.Uninterpreted:
		for name, n := range v.abstracts {
			switch {
			case n == val.N && strings.HasPrefix(name, "@"):
				return "(as " + name + " " + v.check.Sorts.String(sort) + ")"
			case n == val.N:
				return name
			}
		}
	}
	return "..."
}

func (v *validation) showData(sort sorts.ID, d *value.Data, depth int) string {
	if v.check.Sorts.Kind(sort) == sorts.Seq {
		return v.showSeq(sort, d, depth)
	}
	con := v.check.Sorts.Constructors(sort)[d.Constructor]
	if len(d.Args) == 0 {
		return con.Name
	}
	parts := []string{con.Name}
	for i, a := range d.Args {
		parts = append(parts, v.show(con.Fields[i].Sort, a, depth+1))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

func (v *validation) showSeq(sort sorts.ID, d *value.Data, depth int) string {
	const most = 10 // elements
	switch {
	case len(d.Args) == 0:
		return "(as seq.empty " + v.check.Sorts.String(sort) + ")"
	case len(d.Args) > most:
		return "..."
	}
	var units []string
	for _, a := range d.Args {
		units = append(units, "(seq.unit "+v.show(v.check.Sorts.At(sort).Args[0], a, depth+1)+")")
	}
	if len(units) == 1 {
		return units[0]
	}
	return "(seq.++ " + strings.Join(units, " ") + ")"
}

func (v *validation) showArray(sort sorts.ID, a *value.Array, depth int) string {
	const most = 10 // entries
	if a.Rule != nil || a.Len() > most {
		return "..."
	}
	parts := v.check.Sorts.At(sort).Args
	text := fmt.Sprintf("((as const %s) %s)", v.check.Sorts.String(sort), v.show(parts[1], a.Default, depth+1))
	for _, e := range a.Entries() {
		text = fmt.Sprintf("(store %s %s %s)", text, v.show(parts[0], e.Index, depth+1),
			v.show(parts[1], e.Elem, depth+1))
	}
	return text
}

func showNumber(val value.Value, real bool) string {
	switch val.P.(type) {
	case nil, *big.Int, *big.Rat:
	default:
		return "..." // an irrational number
	}
	r := val.BigRat()
	if r.Num().BitLen() > 8*maxText || r.Denom().BitLen() > 8*maxText {
		return "..."
	}
	point := ""
	if real {
		point = ".0"
	}
	text := new(big.Int).Abs(r.Num()).String() + point
	if r.Sign() < 0 {
		text = "(- " + text + ")"
	}
	if r.IsInt() {
		return text
	}
	return "(/ " + text + " " + r.Denom().String() + point + ")"
}

func showBits(b *big.Int, width int) string {
	if width > 4*maxText {
		return "..."
	}
	if width%4 == 0 {
		return fmt.Sprintf("#x%0*x", width/4, b)
	}
	return fmt.Sprintf("#b%0*b", width, b)
}

// showFloat writes a floating-point number's bits: sign, exponent, and the significand without its hidden bit.
func showFloat(b *big.Int, eb, sb int) string {
	bits := fmt.Sprintf("%0*b", eb+sb, b)
	return fmt.Sprintf("(fp #b%s #b%s #b%s)", bits[:1], bits[1:1+eb], bits[1+eb:])
}

// showString writes a string literal, doubling quotes and escaping non-printable characters.
func showString(s value.Text) string {
	var out strings.Builder
	for _, c := range s[:min(len(s), maxText)] {
		switch {
		case c == '"':
			out.WriteString(`""`)
		case c < ' ' || c > '~' || c == '\\':
			fmt.Fprintf(&out, `\u{%x}`, c)
		default:
			out.WriteRune(c)
		}
	}
	return `"` + out.String() + `"`
}
