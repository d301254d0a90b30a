package main

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// script collects a benchmark's commands.
type script struct{ lines []string }

func (s *script) add(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *script) declare(name, sort string) { s.add("(declare-fun %s () %s)", name, sort) }

func (s *script) assert(format string, args ...any) {
	s.add("(assert %s)", fmt.Sprintf(format, args...))
}

// text returns the benchmark with the header that SMT-LIB requires.
func (s *script) text(f family, status string) string {
	head := []string{
		"(set-info :smt-lib-version 2.6)",
		"(set-logic " + f.logic + ")",
		"(set-info :source |\nGenerated for the quickstart of smtpipe: " + f.about + "\n|)",
		"(set-info :license \"https://creativecommons.org/publicdomain/zero/1.0/\")",
		"(set-info :category \"" + f.category + "\")",
		"(set-info :status " + status + ")",
	}
	lines := append(head, s.lines...)
	return strings.Join(append(lines, "(check-sat)", "(exit)"), "\n") + "\n"
}

// random returns the random generator of a family's instance i. Each instance has its own stream, so adding a family
// does not change other instances.
func random(family string, i int) *rand.Rand {
	var seed uint64 = 14695981039346656037 // FNV-1a of the family's name
	for _, c := range []byte(family) {
		seed = (seed ^ uint64(c)) * 1099511628211
	}
	return rand.New(rand.NewPCG(seed, uint64(i)))
}

// sum returns (+ a b c), the only term, or 0.
func sum(terms []string) string {
	switch len(terms) {
	case 0:
		return "0"
	case 1:
		return terms[0]
	}
	return "(+ " + strings.Join(terms, " ") + ")"
}

// integer formats a whole number as SMT-LIB does.
func integer(n int) string {
	if n < 0 {
		return fmt.Sprintf("(- %d)", -n)
	}
	return fmt.Sprint(n)
}

// or returns a disjunction of at least one term.
func or(terms []string) string {
	if len(terms) == 1 {
		return terms[0]
	}
	return "(or " + strings.Join(terms, " ") + ")"
}

const (
	sat     = string(comp.AnswerSat)
	unsat   = string(comp.AnswerUnsat)
	unknown = "unknown"
)

// either returns sat or unsat.
func either(satisfiable bool) string {
	if satisfiable {
		return sat
	}
	return unsat
}
