package rowexpr

import (
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"github.com/smtpipe/smtpipe/internal/data/table"
)

// builtin returns faster forms of some of cty's functions. They handle only ASCII, for which normal forms and grapheme
// clusters do not matter.
func builtin() []Native {
	return []Native{
		{Func: stdlib.LowerFunc, StringString: func(s string) (string, bool) {
			return strings.ToLower(s),
				table.IsASCII(s)
		}},
		{Func: stdlib.UpperFunc, StringString: func(s string) (string, bool) {
			return strings.ToUpper(s),
				table.IsASCII(s)
		}},
		// "\r\n" is one grapheme cluster.
		{Func: stdlib.StrlenFunc, StringInt: func(s string) (int64, bool) {
			return int64(len(s)), table.IsASCII(s) && strings.IndexByte(s, '\r') < 0
		}},
	}
}

// native compiles a call of a function's faster form, or returns nil if there is none.
func (c *compiler) native(n *node) closure {
	for _, nat := range c.natives {
		if nat.Func != n.fn {
			continue
		}
		if run := c.nativeCall(nat, n); run != nil {
			return run
		}
	}
	return nil
}

func (c *compiler) nativeCall(nat Native, n *node) closure {
	for _, a := range n.args {
		if a.typ != cty.String {
			return nil
		}
	}
	switch {
	case nat.StringString != nil && len(n.args) == 1 && n.typ == cty.String:
		return mapStrings(c, n.args[0], table.String, nat.StringString, func(b *buffers, rows int) []string {
			b.out.strings = grow(&b.strs, rows)
			return b.out.strings
		})
	case nat.StringInt != nil && len(n.args) == 1 && n.typ == cty.Number:
		return mapStrings(c, n.args[0], table.Int, nat.StringInt, func(b *buffers, rows int) []int64 {
			b.out.ints = grow(&b.ints, rows)
			return b.out.ints
		})
	case nat.StringBool != nil && n.typ == cty.Bool:
		arg, test := nat.specialize(n)
		if test == nil {
			return nil
		}
		return mapStrings(c, arg, table.Bool, test, func(b *buffers, rows int) []bool {
			b.out.bools = grow(&b.bools, rows)
			return b.out.bools
		})
	}
	return nil
}

// specialize returns the only varying argument and a test of it, given the other arguments.
func (nat Native) specialize(n *node) (*node, func(string) (bool, bool)) {
	if len(n.args) < 2 {
		return nil, nil
	}
	varying, constants := n.args[0], n.args[1:]
	if nat.ConstFirst {
		varying, constants = n.args[len(n.args)-1], n.args[:len(n.args)-1]
	}
	texts := make([]string, len(constants))
	for i, k := range constants {
		if k.op != opConst || !k.val.IsKnown() || k.val.IsNull() {
			return nil, nil
		}
		texts[i] = k.val.AsString()
	}
	return varying, nat.StringBool(texts)
}

// mapStrings applies fn to every row. It computes equal neighbours, which are common in sorted tables, only once.
func mapStrings[T any](c *compiler, arg *node, k table.Kind, fn func(string) (T, bool), results func(b *buffers,
	rows int) []T) closure {
	run := c.node(arg)
	if run == nil {
		return nil
	}
	slot := c.slot()
	return func(ev *evaluation) *vec {
		b, a := &ev.bufs[slot], run(ev)
		b.out = vec{kind: k, doubt: merge(&b.doubt, ev.n, a.null, a.doubt)}
		out := results(b, ev.n)
		last, lastOK := "", false
		var value T
		for i, s := range a.strings {
			if b.out.doubt != nil && b.out.doubt[i] {
				continue
			}
			if i == 0 || !lastOK || s != last {
				value, lastOK = fn(s)
				if lastOK = lastOK && ev.spend(1, len(s)); !lastOK {
					var nothing T
					value = nothing
				}
				last = s
			}
			out[i] = value
			if !lastOK {
				b.out.doubt = doubtful(b, b.out.doubt, i, ev.n)
			}
		}
		return &b.out
	}
}
