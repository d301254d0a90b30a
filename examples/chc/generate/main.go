// Command generate writes the example's release: small systems of constrained Horn clauses for five tracks. Each family
// is safe (satisfiable) or unsafe (unsatisfiable) by construction.
//
// The program always writes the same bytes. It needs only the standard library.
package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "examples/chc/release", "folder to write the release to")
	flag.Parse()
	if err := writeRelease(*out); err != nil {
		log.Fatal(err)
	}
}

// family is a group of systems of one kind. write returns the clauses of system i, one assertion each.
type family struct {
	track, name, status string
	declare             string
	write               func(i int) []string
}

const perFamily = 3

// The statuses of systems.
const (
	sat   = "sat"
	unsat = "unsat"
)

var families = []family{
	{"BV", "steps/safe", sat, "(declare-fun inv ((_ BitVec 8)) Bool)", func(i int) []string {
		return steps(i, fmt.Sprintf("#x%02x", 2*i+7)) // an odd number
	}},
	{"BV", "steps/unsafe", unsat, "(declare-fun inv ((_ BitVec 8)) Bool)", func(i int) []string {
		return steps(i, fmt.Sprintf("#x%02x", 2*i+6))
	}},
	{"LIA-Lin", "counters/safe", sat, "(declare-fun inv (Int Int) Bool)", func(i int) []string {
		return counter(i, "(not (= y %d))")
	}},
	{"LIA-Lin", "counters/unsafe", unsat, "(declare-fun inv (Int Int) Bool)", func(i int) []string {
		return counter(i, "(= y %d)")
	}},
	{"LIA-Lin-Arrays", "copies/safe", sat,
		"(declare-fun inv ((Array Int Int) Int) Bool)", func(i int) []string {
			return copies(i, "(not (= (select a i) 5))")
		}},
	{"LIA-Lin-Arrays", "copies/unsafe", unsat, "(declare-fun inv ((Array Int Int) Int) Bool)",
		func(i int) []string { return copies(i, "(= (select a i) 5)") }},
	{"LIA-Nonlin", "sums/safe", sat, "(declare-fun sum (Int Int) Bool)", func(i int) []string {
		return sums(i, "(< s 0)")
	}},
	{"LIA-Nonlin", "sums/unsafe", unsat, "(declare-fun sum (Int Int) Bool)", func(i int) []string {
		return sums(i, fmt.Sprintf("(= s %d)", 2*(i+1))) // the sum of two leaves with i+1 each
	}},
	{"LRA-TS", "tanks/safe", sat, "(declare-fun state (Real Real) Bool)", func(i int) []string {
		return tank(i, "(< x t)")
	}},
	{"LRA-TS", "tanks/unsafe", unsat, "(declare-fun state (Real Real) Bool)", func(i int) []string {
		return tank(i, "(> x (+ t 1.0))")
	}},
}

// steps counts in twos from zero. It must not reach a given number.
func steps(_ int, never string) []string {
	const x = "((x (_ BitVec 8)))"
	return []string{
		forall(x, "(= x #x00)", "(inv x)"),
		forall(x, "(inv x)", "(inv (bvadd x #x02))"),
		forall(x, "(and (inv x) (= x "+never+"))", "false"),
	}
}

// counter adds 1 to x and 2 to y until x has a given value. bad is a condition on y at that point, with a placeholder
// for the right value.
func counter(i int, bad string) []string {
	const xy = "((x Int) (y Int))"
	n := 3 + i
	return []string{
		forall(xy, "(and (= x 0) (= y 0))", "(inv x y)"),
		forall(xy, fmt.Sprintf("(and (inv x y) (< x %d))", n), "(inv (+ x 1) (+ y 2))"),
		forall(xy, fmt.Sprintf("(and (inv x y) (>= x %d) %s)", n, fmt.Sprintf(bad, 2*n)), "false"),
	}
}

// copies copies a 5 from cell to cell of an array.
func copies(i int, bad string) []string {
	const ai = "((a (Array Int Int)) (i Int))"
	n := 2 + i
	return []string{
		forall(ai, "(= i 0)", "(inv (store a 0 5) i)"),
		forall(ai, fmt.Sprintf("(and (inv a i) (< i %d))", n), "(inv (store a (+ i 1) (select a i)) (+ i 1))"),
		forall(ai, fmt.Sprintf("(and (inv a i) (= i %d) %s)", n, bad), "false"),
	}
}

// sums adds up the leaves of a binary tree; the second clause has two relations in its body.
func sums(i int, bad string) []string {
	const d = "((d Int) (s Int) (t Int))"
	return []string{
		forall(d, fmt.Sprintf("(and (= d 0) (= s %d))", i+1), "(sum d s)"),
		forall(d, "(and (sum d s) (sum d t))", "(sum (+ d 1) (+ s t))"),
		forall(d, "(and (sum d s) "+bad+")", "false"),
	}
}

// tank is filled at least as fast as time passes.
func tank(i int, bad string) []string {
	const xtd = "((x Real) (t Real) (d Real))"
	return []string{
		forall(xtd, "(and (= x 0.0) (= t 0.0))", "(state x t)"),
		forall(xtd, "(and (state x t) (>= d 0.0) (<= d 1.0))", fmt.Sprintf("(state (+ x (* %d.0 d)) (+ t d))", i+2)),
		forall(xtd, "(and (state x t) "+bad+")", "false"),
	}
}

func forall(vars, body, head string) string {
	return fmt.Sprintf("(assert (forall %s (=> %s %s)))\n", vars, body, head)
}

func (f *family) text(i int) string {
	text := "(set-info :smt-lib-version 2.6)\n(set-logic HORN)\n(set-info :status " + f.status + ")\n" + f.declare + "\n"
	for _, clause := range f.write(i) {
		text += clause
	}
	return text + "(check-sat)\n(exit)\n"
}

// writeRelease writes one archive. The top folder of a family is its track.
func writeRelease(dir string) error {
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	t := tar.NewWriter(z)
	for _, f := range families {
		for i := range perFamily {
			text := f.text(i)
			h := &tar.Header{Name: fmt.Sprintf("non-incremental/HORN/%s/%s/%d.smt2", f.track, f.name, i), Mode: 0o644,
				Size: int64(len(text)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
			if err := t.WriteHeader(h); err != nil {
				return err
			}
			if _, err := t.Write([]byte(text)); err != nil {
				return err
			}
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	dir = filepath.Join(dir, "non-incremental")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "HORN.tar.gz"), buf.Bytes(), 0o666)
}
