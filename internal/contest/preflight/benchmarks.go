// Package preflight tries a submission before a competition. It generates trivial benchmarks for every logic, and the
// pipeline that runs the submission on them exactly as the organisers will.
package preflight

import (
	"fmt"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// Benchmark is a generated benchmark.
type Benchmark struct {
	Path string // path in a release
	Text string
}

// Benchmarks returns trivial benchmarks of a logic for a track. Each uses every sort of the logic and needs only
// propositional reasoning. They suit the track: unsatisfiable benchmarks with several assertions for unsat cores and
// proofs, satisfiable ones for models, one with two check-sats for the incremental track, and a satisfiable and an
// unsatisfiable one otherwise.
func Benchmarks(track comp.Track, logic comp.Logic) []Benchmark {
	switch track {
	case comp.Incremental:
		return []Benchmark{benchmark(logic, true, "both", body(logic)+
			"(push 1)\n"+status(comp.StatusSat)+"(check-sat)\n(pop 1)\n"+
			"(push 1)\n(assert (not p))\n"+status(comp.StatusUnsat)+"(check-sat)\n(pop 1)\n")}
	case comp.UnsatCore, comp.ProofExhibition:
		return []Benchmark{unsat(logic)}
	case comp.ModelValidation:
		return []Benchmark{sat(logic)}
	}
	return []Benchmark{sat(logic), unsat(logic)}
}

// family is the family name of generated benchmarks.
const family = "preflight"

func sat(logic comp.Logic) Benchmark {
	return benchmark(logic, false, string(comp.AnswerSat), status(comp.StatusSat)+body(logic)+"(check-sat)\n")
}

func unsat(logic comp.Logic) Benchmark {
	return benchmark(logic, false, string(comp.AnswerUnsat), status(comp.StatusUnsat)+body(logic)+
		"(assert (or (not p) q))\n(assert (not q))\n(check-sat)\n")
}

func status(s comp.Status) string { return "(set-info :status " + string(s) + ")\n" }

// benchmark wraps a script body in its header and end.
func benchmark(logic comp.Logic, incremental bool, name, text string) Benchmark {
	loc := comp.Location{Incremental: incremental, Logic: logic, Family: family, Name: name + ".smt2"}
	header := fmt.Sprintf("(set-info :smt-lib-version 2.6)\n(set-logic %s)\n(set-info :source |generated to try "+
		"solvers|)\n(set-info :category \"check\")\n", logic)
	return Benchmark{Path: loc.Path(), Text: header + text + "(exit)\n"}
}

// body declares two propositions and a constant of each sort of the logic. It asserts the first proposition, and that
// each constant equals itself.
func body(logic comp.Logic) string {
	var b strings.Builder
	b.WriteString("(declare-fun p () Bool)\n(declare-fun q () Bool)\n")
	sorts := sortsOf(logic)
	for i, s := range sorts {
		b.WriteString(s.declare)
		fmt.Fprintf(&b, "(declare-fun c%d () %s)\n", i, s.name)
	}
	if strings.Contains(theories(logic), "UF") {
		arg := "Bool"
		if len(sorts) > 0 {
			arg = sorts[0].name
		}
		fmt.Fprintf(&b, "(declare-fun f (%s) %s)\n", arg, arg)
	}
	b.WriteString("(assert p)\n")
	for i := range sorts {
		fmt.Fprintf(&b, "(assert (or p (= c%d c%d)))\n", i, i)
	}
	if !logic.QuantifierFree() {
		b.WriteString("(assert (forall ((x Bool)) (or (not x) p)))\n")
	}
	return b.String()
}

// sort is one of a logic's sorts, with the declarations that it needs.
type sort struct{ name, declare string }

// theories returns a logic's name without QF_.
func theories(logic comp.Logic) string { return strings.TrimPrefix(string(logic), "QF_") }

// sortsOf derives a logic's sorts from its name: theories in any order, followed by the arithmetic.
func sortsOf(logic comp.Logic) []sort {
	var all []sort
	rest := theories(logic)
	arrays := false
	switch rest {
	case "HORN": // constrained Horn clauses: the name does not contain the theories
		return nil
	case "AX":
		return []sort{{"Index", "(declare-sort Index 0)\n"}, {"Element", "(declare-sort Element 0)\n"},
			{"(Array Index Element)", ""}}
	}
	for rest != "" {
		switch {
		case strings.HasPrefix(rest, "UF"):
			rest = rest[2:]
			if rest == "" && len(all) == 0 {
				all = append(all, sort{"U", "(declare-sort U 0)\n"})
			}
		case strings.HasPrefix(rest, "BV"):
			rest, all = rest[2:], append(all, sort{"(_ BitVec 8)", ""})
		case strings.HasPrefix(rest, "FP"):
			rest, all = rest[2:], append(all, sort{"(_ FloatingPoint 8 24)", ""})
		case strings.HasPrefix(rest, "DT"):
			rest, all = rest[2:],
				append(all, sort{"D", "(declare-datatypes ((D 0)) (((leaf) (node (left D) (right D)))))\n"})
		case rest == "IDL":
			rest, all = "", append(all, sort{"Int", ""})
		case rest == "RDL":
			rest, all = "", append(all, sort{"Real", ""})
		case strings.HasPrefix(rest, "A"):
			rest, arrays = rest[1:], true
		case strings.HasPrefix(rest, "S"):
			rest, all = rest[1:], append(all, sort{"String", ""})
		default: // LIA, NRA, LIRA, ...
			if strings.Contains(rest, "I") {
				all = append(all, sort{"Int", ""})
			}
			if strings.Contains(rest, "R") {
				all = append(all, sort{"Real", ""})
			}
			rest = ""
		}
	}
	if arrays && len(all) > 0 {
		all = append(all, sort{fmt.Sprintf("(Array %s %s)", all[0].name, all[0].name), ""})
	}
	return all
}
