package validate

import (
	"bytes"
	"fmt"
	"strings"
)

// ReduceCore returns the script that validation solvers receive for a core. Of the named assertions, it contains only
// those in the core, without their annotations. It omits commands about cores. Everything else stays unchanged,
// including unnamed assertions and the order.
//
// For a script of the unsat-core track, the result equals the scrambler's output with -seed 0 -term_annot false -core
// FILE, except for the comment with the names and for annotations inside terms. Deviation: names are compared as in
// SMT-LIB, where |a| equals a.
func ReduceCore(script []byte, core Core) ([]byte, error) {
	keep := make(map[string]bool, len(core.Names))
	for _, name := range core.Names {
		keep[name] = true
	}
	src := string(script)
	var out bytes.Buffer
	out.Grow(len(src))
	written, kept := 0, 0
	err := eachCommand(src, func(c command) error {
		named := c.head == "assert" && c.label != ""
		if !named && !asksForCores(c) {
			return nil
		}
		out.WriteString(src[written:c.start])
		written = c.end
		if named && keep[bare(c.label)] {
			kept++
			fmt.Fprintf(&out, "(assert %s)", src[c.termStart:c.termEnd])
		} else {
			written = lineEnd(src, c.end)
		}
		return nil
	})
	if err == nil && kept != len(keep) {
		err = fmt.Errorf("it has %d of the %d names of the core", kept, len(keep))
	}
	if err != nil {
		return nil, fmt.Errorf("reduce a script to its core: %w", err)
	}
	out.WriteString(src[written:])
	return out.Bytes(), nil
}

// asksForCores reports whether a command's only purpose is to request cores.
func asksForCores(c command) bool {
	return c.head == "get-unsat-core" || (c.head == "set-option" && c.first == ":produce-unsat-cores")
}

// lineEnd returns the start of the next line if the rest of the current line is blank, so that no empty line remains.
// Otherwise it returns from.
func lineEnd(src string, from int) int {
	for i := from; i < len(src); i++ {
		switch src[i] {
		case ' ', '\t', '\r':
		case '\n':
			return i + 1
		default:
			return from
		}
	}
	return from
}

// ReduceTo is like ReduceCore, but takes the core as numbers: N represents smtcompN, a name that the scrambler assigned
// to an assertion.
func ReduceTo(script []byte, numbers []int) ([]byte, error) {
	names, err := ScriptNames(script)
	if err != nil {
		return nil, err
	}
	var response strings.Builder
	for _, n := range numbers {
		fmt.Fprintf(&response, " smtcomp%d", n)
	}
	core, err := ParseCore(names, []byte("("+response.String()+")"))
	if err != nil {
		return nil, err
	}
	return ReduceCore(script, core)
}
