package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
	scorestage "github.com/smtpipe/smtpipe/internal/stages/score"
)

// sideTable is a table on one side of a comparison.
type sideTable struct {
	name   string // address of the table, or path of its file
	schema string
	load   func() ([]byte, error)
}

// tablesDiffer compares the tables that two arguments name: a file, a frozen folder, or a table in the pipeline. Tables
// in folders are paired by address, or by schema with the other side's only table.
func (d *diffFlags) tablesDiffer(cmd *cobra.Command, args []string) (all []stages.Difference, err error) {
	var sides [2][]sideTable
	for i, arg := range args {
		var closing func() error
		sides[i], closing, err = d.side(cmd, arg)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, closing()) }()
	}
	pairs, err := pairTables(args, sides)
	if err != nil {
		return nil, err
	}
	for _, pair := range pairs {
		found, err := d.pairDiffers(pair)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pair[0].name, err)
		}
		for _, x := range found {
			if len(pairs) > 1 {
				x.What = pair[0].name + ": " + x.What
			}
			all = append(all, x)
		}
	}
	return all, nil
}

// side returns the tables that an argument names.
func (d *diffFlags) side(cmd *cobra.Command, arg string) (tables []sideTable, closing func() error, err error) {
	info, err := os.Stat(arg)
	switch {
	case err != nil:
		return d.sideOfPipeline(cmd, arg)
	case info.IsDir():
		folder, err := frozen.Open(arg)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", arg, err)
		}
		for _, name := range slices.Sorted(maps.Keys(folder.Lock.Outputs)) {
			if art, ok := folder.Lock.Outputs[name].Artifact(); ok && art.IsTable() && folder.Has(art.Digest) {
				tables = append(tables, sideTable{name, art.Schema, func() ([]byte, error) {
					var b bytes.Buffer
					err := folder.Copy(art.Digest, &b)
					return b.Bytes(), err
				}})
			}
		}
		return tables, folder.Close, nil
	}
	data, schema, err := readStored(arg)
	return []sideTable{{arg, schema, func() ([]byte, error) { return data, nil }}}, func() error { return nil }, err
}

// sideOfPipeline returns the pipeline's table at an address.
func (d *diffFlags) sideOfPipeline(cmd *cobra.Command, address string) ([]sideTable, func() error, error) {
	p, err := d.project.open(cmd)
	if err != nil {
		return nil, nil, err
	}
	outputs, only, err := p.Find(address)
	if err != nil {
		return nil, nil, errors.Join(exit.With(exit.Usage, fmt.Errorf("%s is not a file, a folder or a table of the "+
			"pipeline: %w", address, err)), p.Close())
	}
	if only == "" {
		only = p.MainOutput(address, outputs)
		address += "." + only
	}
	art, ok := stages.ArtifactOf(outputs[only])
	if !ok || !art.IsTable() {
		return nil, nil, errors.Join(exit.With(exit.Usage, fmt.Errorf("%s is not a table", address)), p.Close())
	}
	load := func() ([]byte, error) {
		var b bytes.Buffer
		err := artifact.ExportTable(&b, p.Store, art, results.Parquet)
		return b.Bytes(), err
	}
	return []sideTable{{address, art.Schema, load}}, p.Close, nil
}

// readStored reads a file as a stored table: Parquet, or CSV whose columns fit a schema.
func readStored(path string) (data []byte, schema string, err error) {
	if strings.HasSuffix(path, ".json") {
		return nil, "", exit.With(exit.Usage, fmt.Errorf("%s: a result of \"smtpipe tool score -o\" can be compared with "+
			"another one, and with nothing else", path))
	}
	if data, err = limits.Stream.ReadFile(path); err != nil {
		return nil, "", err
	}
	if !bytes.HasPrefix(data, []byte("PAR1")) {
		of := results.SchemaOfCSV(data)
		if of == nil {
			return nil, "", fmt.Errorf("%s is not a table: it is not a Parquet file, and its first line does not "+
				"have the columns of a table (docs/stages/tables.md)", path)
		}
		var out bytes.Buffer
		if _, err := results.FromCSV(&out, bytes.NewReader(data), of); err != nil {
			return nil, "", fmt.Errorf("%s: %w", path, err)
		}
		data = out.Bytes()
	}
	found, _, err := results.SchemaIn(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", path, err)
	}
	return data, found.Name, nil
}

// pairTables pairs the tables of both sides by name, or else the only two that have the same schema.
func pairTables(args []string, sides [2][]sideTable) (pairs [][2]sideTable, err error) {
	for _, a := range sides[0] {
		i := slices.IndexFunc(sides[1], func(b sideTable) bool { return a.name == b.name })
		if i >= 0 {
			pairs = append(pairs, [2]sideTable{a, sides[1][i]})
		}
	}
	if len(pairs) > 0 {
		return pairs, nil
	}
	var alike []string
	for _, a := range sides[0] {
		for _, b := range sides[1] {
			if a.schema == b.schema {
				pairs, alike = append(pairs, [2]sideTable{a, b}), append(alike, a.name+" and "+b.name)
			}
		}
	}
	switch {
	case len(pairs) == 1:
		return pairs, nil
	case len(pairs) > 1:
		return nil, exit.With(exit.Usage, fmt.Errorf("it is not clear which tables of %s and %s to compare: %s",
			args[0],
			args[1], strings.Join(alike, "; ")))
	}
	return nil, exit.With(exit.Usage, fmt.Errorf("%s and %s have no tables of one schema", args[0], args[1]))
}

// pairDiffers compares two tables: scores by ranks and winners, all other tables cell by cell.
func (d *diffFlags) pairDiffers(pair [2]sideTable) ([]stages.Difference, error) {
	from, err := pair[0].load()
	if err != nil {
		return nil, err
	}
	to, err := pair[1].load()
	if err != nil {
		return nil, err
	}
	if pair[0].schema == results.SchemaOf[results.ScoreRow]().Name && pair[0].schema == pair[1].schema {
		var rows [2][]results.ScoreRow
		for i, data := range [][]byte{from, to} {
			if rows[i], err = results.Read[results.ScoreRow](bytes.NewReader(data), int64(len(data))); err != nil {
				return nil, err
			}
		}
		fromView, toView, _ := strings.Cut(d.views, "=")
		return scorestage.CompareTables(rows[0], rows[1], fromView, toView)
	}
	changes, err := results.Changes(from, to)
	var all []stages.Difference
	for _, c := range changes {
		what := strings.TrimSuffix(c.Row("/")+"/"+c.Column, "/")
		all = append(all, stages.Difference{What: what, From: c.From, To: c.To})
	}
	return all, err
}
