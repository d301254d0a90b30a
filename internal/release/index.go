package release

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/smtpipe/smtpipe/internal/comp"
	"github.com/smtpipe/smtpipe/internal/results"
	"github.com/smtpipe/smtpipe/internal/smtlib"
)

// Index reads the benchmarks of one archive and gives a row for each, in the order of the archive. archive is the hex
// digest of the archive, for the rows. Reading and inspecting go on at one time, in workers goroutines. A file that is
// no benchmark (another name than *.smt2 or *.smt, or not in a folder of the collection and logic) is passed over; one
// that cannot be read as a script is a row with its problem. done is told the bytes of every benchmark.
func Index(ctx context.Context, name, archive string, r io.Reader, workers int, done func(bytes int64)) ([]results.BenchmarkRow, error) {
	type job struct {
		place   int
		loc     comp.Location
		content *[]byte
	}
	jobs := make(chan job, workers)
	buffers := sync.Pool{New: func() any { return new([]byte) }} // contents that were inspected, to be written over
	group, ctx := errgroup.WithContext(ctx)
	parts := make([][]placed, workers)
	for w := range workers {
		group.Go(func() error {
			for j := range jobs {
				parts[w] = append(parts[w], placed{j.place, inspect(j.loc, archive, *j.content)})
				done(int64(len(*j.content)))
				buffers.Put(j.content)
			}
			return nil
		})
	}
	count := 0
	seen := map[string]bool{}
	group.Go(func() error {
		defer close(jobs)
		return Walk(name, r, func(m Member, content io.Reader) (err error) {
			loc, ok := comp.ParseLocation(m.Path)
			if !ok || (!strings.HasSuffix(m.Path, ".smt2") && !strings.HasSuffix(m.Path, ".smt")) {
				return nil
			}
			if seen[m.Path] {
				return fmt.Errorf("archive %s has %s twice; take one of them out", name, m.Path)
			}
			seen[m.Path] = true
			b := buffers.Get().(*[]byte)
			if *b, err = readMember(*b, m, content); err != nil {
				return err
			}
			select {
			case jobs <- job{count, loc, b}:
				count++
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	rows := make([]results.BenchmarkRow, count)
	for _, part := range parts {
		for _, p := range part {
			rows[p.place] = p.row
		}
	}
	return rows, nil
}

type placed struct {
	place int
	row   results.BenchmarkRow
}

// readMember reads a member whole, into the memory of buffer if that is large enough.
func readMember(buffer []byte, m Member, content io.Reader) ([]byte, error) {
	if int64(cap(buffer)) < m.Size {
		buffer = make([]byte, m.Size)
	}
	buffer = buffer[:m.Size]
	_, err := io.ReadFull(content, buffer)
	return buffer, err
}

// inspect makes the row of one benchmark.
func inspect(loc comp.Location, archive string, content []byte) results.BenchmarkRow {
	sum := sha256.Sum256(content)
	row := results.BenchmarkRow{
		Path:          loc.Path(),
		Logic:         string(loc.Logic),
		Family:        string(loc.Family),
		Name:          loc.Name,
		Incremental:   loc.Incremental,
		SizeBytes:     int64(len(content)),
		SHA256:        hex.EncodeToString(sum[:]),
		ArchiveSHA256: archive,
	}
	info, err := smtlib.Inspect(content)
	if err != nil {
		row.Problem = "cannot be read: " + err.Error()
		return row
	}
	row.Asserts, row.CheckSats = int64(info.Asserts), int64(info.CheckSats)
	row.Category, row.MaxDepth = info.Category, int64(info.MaxDepth)
	row.Status, row.Statuses = statusOf(info.Statuses), RunLength(info.Statuses)
	row.Problem = problemOf(loc, &info)
	return row
}

// problemOf says why a script cannot be used as a benchmark; empty: it can.
func problemOf(loc comp.Location, info *smtlib.Info) string {
	switch {
	case info.Logic == "":
		return "no logic is set"
	case info.CheckSats == 0:
		return "no check-sat"
	case info.CheckSats > 1 && !loc.Incremental:
		return fmt.Sprintf("%d check-sats in a benchmark that is not incremental", info.CheckSats)
	}
	return ""
}

// statusOf is the status of a benchmark as a whole: that of its only check-sat, or "incremental".
func statusOf(statuses []comp.Status) string {
	switch {
	case len(statuses) > 1:
		return "incremental"
	case len(statuses) == 1 && statuses[0].Known():
		return string(statuses[0])
	}
	return string(comp.StatusUnknown)
}

// RunLength writes statuses in order, with repetition counted: sat*3,unsat. A check-sat without a status is unknown.
func RunLength(statuses []comp.Status) string {
	var buf bytes.Buffer
	for i := 0; i < len(statuses); {
		j := i
		for j < len(statuses) && statuses[j] == statuses[i] {
			j++
		}
		if buf.Len() > 0 {
			buf.WriteByte(',')
		}
		if statuses[i] == "" {
			buf.WriteString(string(comp.StatusUnknown))
		} else {
			buf.WriteString(string(statuses[i]))
		}
		if j-i > 1 {
			fmt.Fprintf(&buf, "*%d", j-i)
		}
		i = j
	}
	return buf.String()
}
