// Package sides compares any two things that hold rows and that a user can name: a table of a pipeline, a pipeline, a
// store, a frozen folder, a file with a table or with a result of the scoring, and a year's rules.
package sides

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/audit/project"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/data/diff"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/engine"
	scorestage "github.com/smtpipe/smtpipe/internal/stages/score"
)

// Comparison says how two things are compared.
type Comparison struct {
	Project project.Options // pipeline of addresses and stores
	Views   string          // FIRST=SECOND: compare these views of two tables of scores; empty: views of the same name
	Stderr  io.Writer       // for diagnostics of pipelines, and notes
}

// side is one of the two things.
type side struct {
	name, kind string // kind describes what it is, such as "a frozen folder"
	parts      []part
	close      func() error // may be nil
}

// part is a set of rows of a side.
type part struct {
	name   string // address of the table, or name of the side
	schema string // schema of the table, or what the figures are
	load   func() (content, error)
}

// content is a stored table or, if there is none, figures by name.
type content struct {
	table   []byte
	figures map[string]string
}

// Compare lists the differences between two things, the weightiest first. Two stages of one kind that can say why they
// differ are compared by it. Otherwise the rows of both are paired by the address of their tables or, failing that, by
// the only two tables with the same schema.
func (c *Comparison) Compare(ctx context.Context, first, second string) ([]diff.Difference, error) {
	all, err := c.compare(ctx, first, second)
	diff.Sort(all)
	return all, err
}

func (c *Comparison) compare(ctx context.Context, first, second string) (all []diff.Difference, err error) {
	_, missing1 := os.Stat(first)
	_, missing2 := os.Stat(second)
	_, _, noPipeline := c.Project.Locate()
	if c.Views != "" || missing1 == nil || missing2 == nil || isYear(first) || isYear(second) || noPipeline != nil {
		return c.rows(ctx, first, second)
	}
	p, err := c.Project.Open(ctx, c.Stderr)
	if err != nil {
		return nil, err
	}
	e, err := p.Engine(engine.Options{})
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	all, err = e.Compare(ctx, first, second)
	if closed := p.Close(); closed != nil || err == nil {
		return all, errors.Join(err, closed)
	}
	all, rowsErr := c.rows(ctx, first, second)
	if _, known := errors.AsType[*engine.IncomparableError](err); rowsErr != nil && !known {
		rowsErr = project.MeantStage(e, err)
	}
	return all, rowsErr
}

// rows compares the rows of two things.
func (c *Comparison) rows(ctx context.Context, first, second string) (all []diff.Difference, err error) {
	var both [2]*side
	for i, name := range []string{first, second} {
		if both[i], err = c.open(ctx, name); err != nil {
			return nil, err
		}
		if both[i].close != nil {
			defer func() { err = errors.Join(err, both[i].close()) }()
		}
	}
	pairs, err := pair(both)
	if err != nil {
		return nil, err
	}
	c.noteUnpaired(both, pairs)
	for _, p := range pairs {
		found, err := c.pairDiffers(p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p[0].name, err)
		}
		for _, d := range found {
			if len(pairs) > 1 {
				d.What = p[0].name + ": " + d.What
			}
			all = append(all, d)
		}
	}
	return all, nil
}

// pair matches parts of both sides by name, or else by schema if only one part of each side has it.
func pair(both [2]*side) (pairs [][2]part, err error) {
	var alike []string
	for _, a := range both[0].parts {
		if i := slices.IndexFunc(both[1].parts, func(b part) bool { return a.name == b.name }); i >= 0 {
			pairs = append(pairs, [2]part{a, both[1].parts[i]})
		}
	}
	if len(pairs) > 0 {
		return pairs, nil
	}
	for _, a := range both[0].parts {
		for _, b := range both[1].parts {
			if stem(a.schema) == stem(b.schema) {
				pairs, alike = append(pairs, [2]part{a, b}), append(alike, a.name+" and "+b.name)
			}
		}
	}
	if len(pairs) == 1 {
		return pairs, nil
	}
	if len(pairs) > 1 {
		return nil, exit.With(exit.Usage, fmt.Errorf("it is not clear which tables of %s and %s to compare: %s",
			both[0].name, both[1].name, strings.Join(alike, "; ")))
	}
	return nil, exit.With(exit.Usage, fmt.Errorf("%s and %s have no tables of one schema: %s; %s", both[0].name,
		both[1].name, both[0].has(), both[1].has()))
}

// stem returns a schema's name without its version.
func stem(schema string) string {
	name, _, _ := strings.Cut(schema, "/")
	return name
}

// has says in words what a side is and holds.
func (s *side) has() string {
	var schemas []string
	for _, p := range s.parts {
		if p.schema != s.kind && !slices.Contains(schemas, p.schema) {
			schemas = append(schemas, p.schema)
		}
	}
	if len(s.parts) == 0 {
		schemas = []string{"no table"}
	}
	slices.Sort(schemas)
	if len(schemas) == 0 {
		return fmt.Sprintf("%s is %s", s.name, s.kind)
	}
	return fmt.Sprintf("%s is %s with %s", s.name, s.kind, strings.Join(schemas, ", "))
}

// noteUnpaired notes the tables that only one of two sides with several tables has.
func (c *Comparison) noteUnpaired(both [2]*side, pairs [][2]part) {
	if len(both[0].parts) < 2 || len(both[1].parts) < 2 {
		return
	}
	for i, s := range both {
		for _, t := range s.parts {
			if !slices.ContainsFunc(pairs, func(p [2]part) bool { return p[i].name == t.name }) {
				fmt.Fprintf(c.Stderr, "Note: only %s has %s, which was not compared.\n", s.name, t.name)
			}
		}
	}
}

// pairDiffers compares two parts: scores by ranks and winners, other tables cell by cell.
func (c *Comparison) pairDiffers(p [2]part) ([]diff.Difference, error) {
	var is [2]content
	var err error
	for i := range p {
		if is[i], err = p[i].load(); err != nil {
			return nil, err
		}
	}
	switch scores := results.SchemaOf[results.ScoreRow]().Name; {
	case is[0].table == nil:
		return scoreio.CompareFigures(is[0].figures, is[1].figures), nil
	case p[0].schema != scores || p[1].schema != scores:
		if c.Views != "" {
			return nil, exit.With(exit.Usage, fmt.Errorf("--views compares views of two tables of scores (%s)", scores))
		}
		return results.Changes(is[0].table, is[1].table)
	}
	var rows [2][]results.ScoreRow
	for i := range is {
		rows[i], err = results.Read[results.ScoreRow](bytes.NewReader(is[i].table), int64(len(is[i].table)))
		if err != nil {
			return nil, err
		}
	}
	from, to, _ := strings.Cut(c.Views, "=")
	return scorestage.CompareTables(rows[0], rows[1], from, to)
}
