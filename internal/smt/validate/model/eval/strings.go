package eval

import (
	"errors"
	"slices"

	"github.com/smtpipe/smtpipe/internal/smt/validate/model/regex"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/str"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/term"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/value"
)

func text(r []rune) value.Value { return value.Value{P: value.Text(r)} }

func position(v value.Value) int { return str.Clamp(v.BigInt()) }

// str computes the functions of the theory of strings.
func (m *Machine) str(n *term.Node, args []value.Value) value.Value {
	if n.Op >= term.InRe {
		return m.regular(n, args)
	}
	var s, t []rune
	if len(args) > 0 {
		s = args[0].Runes()
	}
	if len(args) > 1 {
		t = args[1].Runes()
	}
	switch n.Op {
	case term.StrConcat:
		parts := make([][]rune, len(args))
		total := 0
		for i, a := range args {
			parts[i] = a.Runes()
			total += len(parts[i])
		}
		if total > maxString {
			return tooLong()
		}
		return text(slices.Concat(parts...))
	case term.StrLen:
		return value.Int64(int64(len(s)))
	case term.StrAt:
		return text(str.At(s, position(args[1])))
	case term.StrSubstr:
		return text(str.Substr(s, position(args[1]), position(args[2])))
	case term.StrPrefix:
		return value.Bool(str.HasPrefix(t, s))
	case term.StrSuffix:
		return value.Bool(str.HasSuffix(t, s))
	case term.StrContains:
		return value.Bool(str.Contains(s, t))
	case term.StrIndexOf:
		from := 0
		if len(args) == 3 {
			from = position(args[2])
		}
		return value.Int64(int64(str.Index(s, t, from)))
	case term.StrReplace:
		return text(str.Replace(s, t, args[2].Runes()))
	case term.StrReplaceAll:
		if len(t) > 0 && len(s)/len(t)*len(args[2].Runes()) > maxString {
			return tooLong()
		}
		return text(str.ReplaceAll(s, t, args[2].Runes()))
	case term.StrReplaceRe, term.StrReplaceReAll, term.StrIndexOfRe:
		return m.replaceRe(n, s, args[1].P.(*regex.Regex), args[2])
	}
	return m.strConversion(n, s, t, args)
}

func tooLong() value.Value {
	return unknownf("a string of more than %d characters is not computed", maxString)
}

func (m *Machine) strConversion(n *term.Node, s, t []rune, args []value.Value) value.Value {
	switch n.Op {
	case term.StrLt, term.StrLe:
		for i := 1; i < len(args); i++ {
			c := slices.Compare(args[i-1].Runes(), args[i].Runes())
			if c > 0 || (c == 0 && n.Op == term.StrLt) {
				return value.Bool(false)
			}
		}
		return value.Bool(true)
	case term.StrIsDigit:
		return value.Bool(str.IsDigit(s))
	case term.StrToCode:
		return value.Int64(int64(str.ToCode(s)))
	case term.StrFromCode:
		return text(str.FromCode(position(args[0])))
	case term.StrToInt:
		n := str.ToInt(s)
		if n == nil {
			return unknownf("a number of so many digits is not read")
		}
		return value.Int(n)
	case term.StrFromInt:
		return text(str.FromInt(args[0].BigInt()))
	case term.StrReverse:
		return text(str.Reverse(s))
	case term.StrLower:
		return text(str.MapASCII(s, 'A', 'a'-'A'))
	case term.StrUpper:
		return text(str.MapASCII(s, 'a', 'A'-'a'))
	case term.StrUpdate:
		return text(str.Update(s, position(args[1]), args[2].Runes()))
	}
	return unknownf("the operator %d is not supported", n.Op)
}

// stopped returns the value of a match that ended without a result.
func (m *Machine) stopped(err error) value.Value {
	if m.ctx.Err() != nil {
		err = errors.New("the time limit was reached")
	}
	return unknown(&value.Unknown{Reason: err.Error(), Cause: err})
}

func (m *Machine) replaceRe(n *term.Node, s []rune, r *regex.Regex, last value.Value) value.Value {
	if n.Op == term.StrIndexOfRe {
		from := position(last)
		if from < 0 || from > len(s) {
			return value.Int64(-1)
		}
		start, _, found, err := m.Regex.Find(m.ctx, r, s, from, false)
		switch {
		case err != nil:
			return m.stopped(err)
		case !found:
			return value.Int64(-1)
		}
		return value.Int64(int64(start))
	}
	replace := m.Regex.Replace
	if n.Op == term.StrReplaceReAll {
		replace = m.Regex.ReplaceAll
	}
	out, err := replace(m.ctx, s, r, last.Runes())
	switch {
	case errors.Is(err, regex.ErrTooLong):
		return tooLong()
	case err != nil:
		return m.stopped(err)
	}
	return text(out)
}

// regular computes membership, and the functions that construct regular expressions.
func (m *Machine) regular(n *term.Node, args []value.Value) value.Value {
	b := m.Regex
	switch n.Op {
	case term.InRe:
		ok, err := b.Match(m.ctx, args[1].P.(*regex.Regex), args[0].Runes())
		if err != nil {
			return m.stopped(err)
		}
		return value.Bool(ok)
	case term.ReRange:
		lo, hi := str.ToCode(args[0].Runes()), str.ToCode(args[1].Runes())
		if lo < 0 || hi < 0 { // not single characters
			return value.Value{P: b.None()}
		}
		return value.Value{P: b.Range(rune(lo), rune(hi))}
	}
	var r *regex.Regex
	if n.Op == term.ReFromStr {
		r = b.Literal(args[0].Runes())
	} else {
		rs := make([]*regex.Regex, len(args))
		for i, a := range args {
			rs[i] = a.P.(*regex.Regex)
		}
		r = combineRegex(b, n, rs)
	}
	if err := b.Err(); err != nil {
		return m.stopped(err)
	}
	return value.Value{P: r}
}

func combineRegex(b *regex.Builder, n *term.Node, rs []*regex.Regex) *regex.Regex {
	switch n.Op {
	case term.ReConcat:
		r := b.Empty()
		for _, x := range slices.Backward(rs) {
			r = b.Concat(x, r)
		}
		return r
	case term.ReUnion:
		return b.Union(rs...)
	case term.ReInter:
		return b.Inter(rs...)
	case term.ReStar:
		return b.Star(rs[0])
	case term.RePlus:
		return b.AtLeast(rs[0], 1)
	case term.ReOpt:
		return b.Union(b.Empty(), rs[0])
	case term.ReComp:
		return b.Complement(rs[0])
	case term.ReDiff:
		r := rs[0]
		for _, x := range rs[1:] {
			r = b.Diff(r, x)
		}
		return r
	case term.RePower:
		return b.Loop(rs[0], int(n.A), int(n.A))
	case term.ReLoop:
		if n.B < 0 {
			return b.AtLeast(rs[0], int(n.A))
		}
		return b.Loop(rs[0], int(n.A), int(n.B))
	case term.ReAll:
		return b.All()
	case term.ReAllChar:
		return b.AnyChar()
	}
	return b.None()
}
