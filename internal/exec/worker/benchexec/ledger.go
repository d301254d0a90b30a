package benchexec

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// ledger maps the log names of a job's tasks to work ids. A work's id is the key of its run, which identifies program,
// arguments, script and limits. A result is therefore never mistaken for another run's.
type ledger map[string]string

const ledgerFile = "works.csv"

func readLedger(folder string) (ledger, error) {
	l := ledger{}
	text, err := os.ReadFile(filepath.Join(folder, ledgerFile))
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
	if err != nil || len(rows) == 0 || strings.Join(rows[0], ",") != "task,run_key" {
		return nil, fmt.Errorf("%s in %s is not what smtpipe wrote (%w); remove the folder, or give another one",
			ledgerFile, folder, errors.Join(err, errors.New("it has no header task,run_key")))
	}
	for _, row := range rows[1:] {
		l[row[0]] = row[1]
	}
	return l, nil
}

// check returns an error if a task belongs, or belonged, to another work.
func (l ledger) check(t *task, id string, hasResult bool) error {
	known, ok := l[t.logName()]
	switch {
	case ok && known != id:
		return fmt.Errorf("belongs to other runs: task %s has a different script, solver or limit", t.logName())
	case !ok && hasResult:
		return fmt.Errorf("contains a result of %s, which was not handed over", t.logName())
	}
	return nil
}

// add records the works of tasks and writes the ledger.
func (l ledger) add(j *job, tasks []*task) error {
	for _, t := range tasks {
		l[t.logName()] = t.id
	}
	lines := [][]string{{"task", "run_key"}}
	for _, name := range slices.Sorted(maps.Keys(l)) {
		lines = append(lines, []string{name, l[name]})
	}
	return j.putCSV(ledgerFile, lines)
}
