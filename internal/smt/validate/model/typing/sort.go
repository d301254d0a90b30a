package typing

import (
	"strconv"

	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/fp"
	"github.com/smtpipe/smtpipe/internal/smt/validate/model/sorts"
)

// maxWidth is the maximum width of bit-vectors.
const maxWidth = 1 << 24

// basicSorts are the sorts without arguments, by name.
var basicSorts = map[string]sorts.ID{
	"Bool": sorts.BoolID, "Int": sorts.IntID, "Real": sorts.RealID, "String": sorts.StringID, "RegLan": sorts.RegLanID,
	"RoundingMode": sorts.RoundingModeID,
}

// floatSorts are the short names of floating-point sorts in the theory FloatingPoint.
var floatSorts = map[string]fp.Format{
	"Float16": {EB: 5, SB: 11}, "Float32": {EB: 8, SB: 24}, "Float64": {EB: 11, SB: 53}, "Float128": {EB: 15, SB: 113},
}

// maxSortDepth limits the nesting of sorts, because comparing, expanding and printing them is recursive.
const maxSortDepth = 10_000

// Sort resolves a sort of the script. pos is the position of its use, for errors.
func (c *Checker) Sort(id smtlib.SortID, pos uint32) (sorts.ID, error) {
	if id == 0 {
		return 0, errorf(pos, "a sort is missing")
	}
	c.nesting++
	defer func() { c.nesting-- }()
	if c.nesting > maxSortDepth {
		return 0, tooDeep(pos)
	}
	if len(c.params) == 0 && c.closed[id] != 0 {
		c.newest = max(c.newest, c.since[id])
		if c.since[id] > pos && !c.model {
			return 0, errorf(pos, "the sort %s is used before its declaration", c.Sorts.String(c.closed[id]))
		}
		return c.closed[id], nil
	}
	outer := c.newest
	c.newest = 0
	sort, err := c.resolve(id, pos)
	if err == nil && c.Sorts.Depth(sort) > maxSortDepth {
		err = tooDeep(pos)
	}
	if err == nil && len(c.params) == 0 {
		c.closed[id], c.since[id] = sort, c.newest
	}
	c.newest = max(c.newest, outer)
	return sort, err
}

func tooDeep(pos uint32) *Error {
	return unsupported(pos, "a sort is nested more than %d levels deep", maxSortDepth)
}

func (c *Checker) sortList(ids []smtlib.SortID, pos uint32) ([]sorts.ID, error) {
	var out []sorts.ID
	for _, id := range ids {
		s, err := c.Sort(id, pos)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

func (c *Checker) resolve(id smtlib.SortID, pos uint32) (sorts.ID, error) {
	s := c.script.Sort(id)
	args := c.script.SortArgs(id)
	text := c.script.Name(s.Sym)
	if p, ok := c.params[s.Sym]; ok && len(args) == 0 {
		return p, nil
	}
	parts, err := c.sortList(args, pos)
	if err != nil {
		return 0, err
	}
	if s.Index != 0 {
		return c.indexedSort(text, s.Index, pos)
	}
	if n := c.sortName[s.Sym]; n.kind != sorts.None {
		return c.namedSort(text, n, parts, pos)
	}
	if b, ok := basicSorts[text]; ok && len(parts) == 0 {
		return b, nil
	}
	if f, ok := floatSorts[text]; ok && len(parts) == 0 {
		return c.Sorts.Float(f.EB, f.SB), nil
	}
	if text == "Array" && len(parts) == 2 {
		return c.Sorts.Array(parts[0], parts[1]), nil
	}
	if text == "Seq" && len(parts) == 1 {
		return c.Sorts.Seq(parts[0]), nil
	}
	if text == "->" && len(parts) > 1 {
		return c.Sorts.Intern(sorts.Sort{Kind: sorts.Func, Args: parts}), nil
	}
	if text == "Set" || text == "Bag" || text == "Relation" || text == "Tuple" {
		return 0, unsupported(pos,
			"the sort %s is not of a theory that is evaluated (sets and bags are not)", text)
	}
	return 0, errorf(pos, "unknown sort %s%s", text, arityNote(text, len(parts)))
}

func arityNote(text string, n int) string {
	if n == 0 {
		return ""
	}
	return " of " + strconv.Itoa(n) + " sorts"
}

func (c *Checker) namedSort(text string, n sortName, parts []sorts.ID, pos uint32) (sorts.ID, error) {
	if n.pos > pos && !c.model {
		return 0, errorf(pos, "the sort %s is used before its declaration", text)
	}
	c.newest = max(c.newest, n.pos)
	if len(parts) != n.arity {
		return 0, errorf(pos, "sort %s takes %d sorts, not %d", text, n.arity, len(parts))
	}
	if n.kind != sorts.Param {
		return c.Sorts.Intern(sorts.Sort{Kind: n.kind, Decl: n.decl, Args: parts}), nil
	}
	const most = 100_000
	if c.expanded++; c.expanded > most {
		return 0, unsupported(pos, "sort definitions are expanded more than %d times", most)
	}
	outer := c.params
	c.params = make(map[smtlib.Sym]sorts.ID, len(parts))
	for i, p := range n.params {
		c.params[p] = parts[i]
	}
	out, err := c.Sort(n.body, pos)
	c.params = outer
	return out, err
}

func (c *Checker) indexedSort(text string, index smtlib.IndexID, pos uint32) (sorts.ID, error) {
	n, ok := c.numerals(index)
	switch {
	case text == "BitVec" && ok && len(n) == 1:
		if n[0] < 1 || n[0] > maxWidth {
			return 0, unsupported(pos, "(_ BitVec %d) is not supported; the width must be 1 to %d", n[0], maxWidth)
		}
		return c.Sorts.BitVec(n[0]), nil
	case text == "FloatingPoint" && ok && len(n) == 2:
		f := fp.Format{EB: n[0], SB: n[1]}
		if err := f.Check(); err != nil {
			return 0, errorf(pos, "%v", err)
		}
		return c.Sorts.Float(n[0], n[1]), nil
	}
	return 0, errorf(pos, "unknown indexed sort (_ %s ...)", text)
}

// numerals returns indices as numbers. It returns false if any is not a numeral or is far too large.
func (c *Checker) numerals(id smtlib.IndexID) ([]int, bool) {
	var out []int
	for _, x := range c.script.Indices(id) {
		n, err := strconv.Atoi(c.script.Name(x.Sym))
		if x.Kind != smtlib.Numeral || err != nil || n > 1<<40 {
			return nil, false
		}
		out = append(out, n)
	}
	return out, true
}

func (c *Checker) newSort(sym smtlib.Sym, pos uint32, n sortName) error {
	text := c.script.Name(sym)
	if c.sortName[sym].kind != sorts.None {
		return errorf(pos, "sort %s is declared twice", text)
	}
	if n.kind == sorts.Uninterpreted {
		c.Sorts.Names = append(c.Sorts.Names, text)
	}
	c.trail = append(c.trail, change{sym, c.names[sym], c.sortName[sym]})
	c.sortName[sym] = n
	return nil
}

// declareDatatypes declares all sorts first, because fields may have any of them.
func (c *Checker) declareDatatypes(cmd *smtlib.Command) error {
	decls := c.script.Datatypes(cmd)
	first := len(c.Sorts.Datatypes)
	for i := range decls {
		d := &decls[i]
		arity := len(c.script.DatatypeParams(d))
		n := sortName{kind: sorts.Datatype, decl: first + i, arity: arity, pos: cmd.Pos}
		if err := c.newSort(d.Sym, d.Pos, n); err != nil {
			return err
		}
		c.Sorts.Datatypes = append(c.Sorts.Datatypes, sorts.Declaration{Name: c.script.Name(d.Sym), Arity: arity})
	}
	for i := range decls {
		if err := c.declareConstructors(&decls[i], first+i, cmd.Pos); err != nil {
			return err
		}
	}
	return nil
}

func (c *Checker) declareConstructors(d *smtlib.Datatype, decl int, pos uint32) error {
	c.params = map[smtlib.Sym]sorts.ID{}
	defer func() { c.params = nil }()
	for i, p := range c.script.DatatypeParams(d) {
		c.params[p] = c.Sorts.Intern(sorts.Sort{Kind: sorts.Param, N: i})
	}
	for i, con := range c.script.Constructors(d) {
		out := sorts.Constructor{Name: c.script.Name(con.Sym)}
		if c.lookup(con.Sym).declared() {
			return errorf(con.Pos, "%s is declared twice", out.Name)
		}
		c.declare(con.Sym, name{kind: nameConstructor, index: decl, con: i, pos: pos})
		for j, sel := range c.script.Selectors(&con) {
			sort, err := c.Sort(sel.Sort, sel.Pos)
			if err != nil {
				return err
			}
			out.Fields = append(out.Fields, sorts.Field{Name: c.script.Name(sel.Sym), Sort: sort})
			if c.lookup(sel.Sym).declared() {
				return errorf(sel.Pos, "%s is declared twice", c.script.Name(sel.Sym))
			}
			c.declare(sel.Sym, name{kind: nameSelector, index: decl, con: i, field: j, pos: pos})
		}
		c.Sorts.Datatypes[decl].Constructors = append(c.Sorts.Datatypes[decl].Constructors, out)
	}
	return nil
}

// generic returns a datatype applied to its own parameters.
func (c *Checker) generic(decl int) sorts.ID {
	var args []sorts.ID
	for i := range c.Sorts.Datatypes[decl].Arity {
		args = append(args, c.Sorts.Intern(sorts.Sort{Kind: sorts.Param, N: i}))
	}
	return c.Sorts.Intern(sorts.Sort{Kind: sorts.Datatype, Decl: decl, Args: args})
}
