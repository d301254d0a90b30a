package report

import (
	"bytes"
	"errors"
	"os"

	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/stages"
)

// readPrevious reads last year's scores.
func (act *action) readPrevious() ([]results.ScoreRow, error) {
	var all []results.ScoreRow
	var errs []error
	for _, f := range act.previous {
		rows, err := readScores(f.Path)
		errs = append(errs, stages.InFile("previous", f, err, "It must be a scores/1 table, as written by an output "+
			"block "+
			"with format = \"csv\" or \"parquet\"."))
		all = append(all, rows...)
	}
	return all, errors.Join(errs...)
}

// readScores reads a table scores/1 as Parquet, which it recognises by the first bytes, or else as CSV.
func readScores(path string) ([]results.ScoreRow, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(data, []byte("PAR1")) {
		var table bytes.Buffer
		if _, err := results.FromCSV(&table, bytes.NewReader(data), results.SchemaOf[results.ScoreRow]()); err != nil {
			return nil, err
		}
		data = table.Bytes()
	}
	return results.Read[results.ScoreRow](bytes.NewReader(data), int64(len(data)))
}
