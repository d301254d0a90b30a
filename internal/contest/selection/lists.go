package selection

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// ReadList reads a list of benchmarks, one path per line. It skips empty lines.
func ReadList(r io.Reader) ([]string, error) {
	var paths []string
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), 1<<20)
	for lines.Scan() {
		if path := strings.TrimSpace(lines.Text()); path != "" {
			paths = append(paths, path)
		}
	}
	return paths, lines.Err()
}

// StatusTable is a status table keyed by comp.LibraryPath.
type StatusTable struct {
	Lines    map[string]StatusLine
	Warnings []string // unrecognised columns and values, at most maxWarnings
}

// maxWarnings limits the warnings about one table, which can have hundreds of thousands of lines.
const maxWarnings = 10

// ReadStatus reads a status table in the format of the organisers' script: CSV with a header and the columns benchmark,
// status, number of asserts, sqSatRes and sqUnsatRes in any order. Only the first is required. As in the script, a
// status other than sat and unsat means unknown, a missing number means 0, and the last of several lines for a
// benchmark counts.
func ReadStatus(r io.Reader) (StatusTable, error) {
	rows := limits.Table.CSV(r)
	rows.ReuseRecord = true
	rows.FieldsPerRecord = -1
	header, err := rows.Read()
	if err != nil {
		return StatusTable{}, fmt.Errorf("status table: %w", err)
	}
	table := StatusTable{Lines: map[string]StatusLine{}}
	columns := statusHeader{benchmark: -1, status: -1, asserts: -1, sat: -1, unsat: -1}
	for i, name := range header {
		if !columns.set(name, i) {
			table.warn("column %.100q of the status table is not known and was ignored", name)
		}
	}
	if columns.benchmark < 0 {
		return table, fmt.Errorf("the status table has no column benchmark; its header is %.100q",
			header[:min(len(header), 10)])
	}
	for {
		row, err := rows.Read()
		if err == io.EOF {
			return table, nil
		}
		if err != nil {
			return table, fmt.Errorf("status table: %w", err)
		}
		if err := table.add(row, columns); err != nil {
			line, _ := rows.FieldPos(0)
			return table, fmt.Errorf("status table, line %d: %w", line, err)
		}
	}
}

// statusHeader contains the index of each column, or -1 if it is absent.
type statusHeader struct{ benchmark, status, asserts, sat, unsat int }

func (h *statusHeader) set(name string, i int) bool {
	switch strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff"))) {
	case "benchmark", "path", "file":
		h.benchmark = i
	case "status", "expected":
		h.status = i
	case "number of asserts", "asserts", "num_asserts", "n_asserts":
		h.asserts = i
	case "sqsatres":
		h.sat = i
	case "squnsatres":
		h.unsat = i
	default:
		return false
	}
	return true
}

func (t *StatusTable) add(row []string, columns statusHeader) error {
	field := func(i int) string {
		if i < 0 || i >= len(row) {
			return ""
		}
		return strings.TrimSpace(row[i])
	}
	name := field(columns.benchmark)
	_, path, ok := comp.LibraryPath(name)
	if !ok {
		return fmt.Errorf("benchmark %q is not below a folder named like a logic", name)
	}
	line := StatusLine{Status: comp.StatusUnknown}
	switch status := field(columns.status); {
	case comp.Status(status).Known():
		line.Status = comp.Status(status)
	case status != "" && status != string(comp.StatusUnknown) && status != "starexec-unknown":
		t.warn("treated status %q of %s as unknown", status, path)
	}
	line.Asserts = t.number(path, field(columns.asserts))
	line.Sat = t.number(path, field(columns.sat))
	line.Unsat = t.number(path, field(columns.unsat))
	t.Lines[strings.Clone(path)] = line
	return nil
}

func (t *StatusTable) number(path, text string) int {
	if text == "" {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.warn("number %q of %s was taken for 0", text, path)
		return 0 // Atoi returns the largest integer for a number that is out of range
	}
	return n
}

func (t *StatusTable) warn(format string, args ...any) {
	if len(t.Warnings) < maxWarnings {
		t.Warnings = append(t.Warnings, fmt.Sprintf(format, args...))
	}
}
