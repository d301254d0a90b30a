package intake

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
)

// maxSpaces is the maximum nesting depth of StarExec's spaces. The library's spaces have 12 levels.
const maxSpaces = 100

// readSpaces reads StarExec's spaces: nested elements <Space name="QF_BV">, with <Benchmark id="1" name="x.smt2"/>.
func (m *Mapping) readSpaces(r io.Reader) error {
	if m.spaces == nil {
		m.spaces = map[string]string{}
	}
	var folder []string
	in := limits.Table.Parts(r)
	for d := xml.NewDecoder(in); ; in.Begin(d.InputOffset()) { // with limits.Table
		token, err := d.RawToken()
		if err == io.EOF && len(folder) == 0 && len(m.spaces) > 0 {
			return nil
		}
		if err == io.EOF {
			return errors.New("not a mapping: the StarExec spaces end prematurely, or contain no benchmark")
		}
		if err != nil {
			return fmt.Errorf("spaces of StarExec: %w", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			id, name := "", ""
			for _, a := range token.Attr {
				switch a.Name.Local {
				case "id":
					id = a.Value
				case "name":
					name = a.Value
				}
			}
			switch token.Name.Local {
			case "Space":
				if folder = append(folder, name); len(folder) > maxSpaces {
					return fmt.Errorf("spaces of StarExec: more than %d are nested, at %.100q", maxSpaces, name)
				}
			case "Benchmark":
				m.spaces[id] = strings.Join(append(slices.Clone(folder), name), "/")
			}
		case xml.EndElement:
			if token.Name.Local == "Space" && len(folder) > 0 {
				folder = folder[:len(folder)-1]
			}
		}
	}
}

// readExpected reads a table of numbered benchmarks' statuses, with the columns benchmark_id and expected.
func (m *Mapping) readExpected(r io.Reader) error {
	rows := limits.Table.CSV(r)
	rows.ReuseRecord = true
	head, err := rows.Read()
	if err != nil {
		return err
	}
	id, expected := slices.Index(head, "benchmark_id"), slices.Index(head, "expected")
	if id < 0 || expected < 0 {
		return fmt.Errorf("the columns are %.100q; a table of statuses has benchmark_id and expected", head)
	}
	if m.expected == nil {
		m.expected = map[string]string{}
	}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		m.expected[strings.Clone(row[id])] = strings.Clone(row[expected])
	}
}

// ofStarExec returns a benchmark's path by its number, and its status if known.
func (m *Mapping) ofStarExec(id string) (path, status string, err error) {
	if m == nil {
		m = &Mapping{}
	}
	path, ok := m.spaces[id]
	if !ok {
		return "", "", fmt.Errorf("benchmark %s is not known; give the spaces of StarExec in which it is, such as "+
			"non-incremental.xml of SMT-LIB_spaces.tar.xz", id)
	}
	return path, m.expected[id], nil
}
