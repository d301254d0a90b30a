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

	"github.com/smtpipe/smtpipe/internal/base/packed"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/language"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
)

// Index reads the benchmarks of one archive and returns a row for each, in archive order. The rows contain archive, the
// archive's digest in hexadecimal. lang is the language of the benchmarks, or nil for SMT-LIB. Index reads in the
// caller's goroutine, which also inspects files when all other workers are busy. A file is skipped unless its name ends
// in .smt2 or .smt and it is in a folder of a collection and logic. A benchmark that cannot be parsed, is a link, has a
// path that cannot be shown, or occurs more than once becomes one row that states the problem. An archive that exceeds
// the limits is an error.
func Index(ctx context.Context, name, archive string, lang *language.Reader, r io.Reader, limits packed.Limits,
	workers int) ([]results.BenchmarkRow, error) {
	parts := make([][]placed, workers+1)
	work := func(w int, j job) {
		parts[w] = append(parts[w], placed{j.place, rowOf(j, archive, lang)})
		keepBuffer(j.content)
	}
	jobs := make(chan job, workers)
	var group sync.WaitGroup
	for w := range workers {
		group.Go(func() {
			for j := range jobs {
				work(w, j)
			}
		})
	}
	count := 0
	times, err := eachBenchmark(ctx, name, lang, r, limits, func(j job) {
		j.place = count
		count++
		select {
		case jobs <- j:
		default:
			work(workers, j)
		}
	})
	close(jobs)
	group.Wait()
	if err != nil {
		return nil, err
	}
	rows := make([]results.BenchmarkRow, count)
	for _, part := range parts {
		for _, p := range part {
			if n := times[p.row.Path]; n > 1 {
				p.row.Problem = fmt.Sprintf("is in the archive %d times; leave one of them", n)
			}
			rows[p.place] = p.row
		}
	}
	return rows, nil
}

// job is a benchmark to inspect.
type job struct {
	place   int // index among the benchmarks of the archive
	path    string
	loc     comp.Location
	content *[]byte // taken from buffers
	problem string  // problem with the archive member
}

type placed struct {
	place int
	row   results.BenchmarkRow
}

// eachBenchmark calls visit for each benchmark in an archive, once per path, and returns how often each path occurs.
// visit takes ownership of the content.
func eachBenchmark(ctx context.Context, name string, lang *language.Reader, r io.Reader, limits packed.Limits,
	visit func(job)) (map[string]int, error) {
	times := map[string]int{}
	err := Walk(name, r, limits, func(m Member, content io.Reader) (err error) {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		loc, ok := locate(lang, m.Path)
		if !ok {
			return nil
		}
		if times[m.Path]++; times[m.Path] > 1 {
			return nil
		}
		b := buffers.Get().(*[]byte)
		if *b, err = readMember(*b, m, content); err != nil {
			return err
		}
		visit(job{path: m.Path, loc: loc, content: b, problem: m.Problem})
		return nil
	})
	return times, err
}

// locate returns a benchmark's location. ok is false if the file is not a benchmark.
func locate(lang *language.Reader, path string) (loc comp.Location, ok bool) {
	if lang != nil {
		return lang.Locate(path)
	}
	loc, ok = comp.ParseLocation(path)
	return loc, ok && (strings.HasSuffix(path, ".smt2") || strings.HasSuffix(path, ".smt"))
}

// rowOf returns the row of a benchmark. A problem with the archive member takes precedence over a problem with the
// content.
func rowOf(j job, archive string, lang *language.Reader) results.BenchmarkRow {
	row := inspect(j.path, j.loc, archive, lang, *j.content)
	if j.problem != "" {
		row.Problem = j.problem
	}
	return row
}

// buffers reuses content buffers across archives, because most benchmarks are small.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// Sizes of reused buffers. Smaller buffers are enlarged to the minimum, which reduces allocations. Buffers larger than
// the maximum are not kept, because their memory is worth more than the time saved.
const minBuffer, maxBuffer = 256 << 10, 64 << 20

func keepBuffer(b *[]byte) {
	if cap(*b) <= maxBuffer {
		buffers.Put(b)
	}
}

// readMember reads a whole member, into buffer if it is large enough.
func readMember(buffer []byte, m Member, content io.Reader) ([]byte, error) {
	if int64(cap(buffer)) < m.Size {
		buffer = make([]byte, max(m.Size, min(2*m.Size, maxBuffer), minBuffer))
	}
	buffer = buffer[:m.Size]
	_, err := io.ReadFull(content, buffer)
	return buffer, err
}

// IndexFile returns the row of a benchmark outside an archive. ok is false if the file is not a benchmark.
func IndexFile(path string, lang *language.Reader, content []byte) (row results.BenchmarkRow, ok bool) {
	loc, ok := locate(lang, path)
	if !ok {
		return row, false
	}
	return inspect(path, loc, "", lang, content), true
}

// inspect returns the row of the benchmark at path, which has the location loc.
func inspect(path string, loc comp.Location, archive string, lang *language.Reader,
	content []byte) results.BenchmarkRow {
	sum := sha256.Sum256(content)
	row := results.BenchmarkRow{
		Path:          path,
		Logic:         string(loc.Logic),
		Family:        string(loc.Family),
		Name:          loc.Name,
		Incremental:   loc.Incremental,
		SizeBytes:     int64(len(content)),
		SHA256:        hex.EncodeToString(sum[:]),
		ArchiveSHA256: archive,
	}
	if lang != nil {
		row.CheckSats, row.Status = 1, string(lang.Status(content))
		row.Statuses = row.Status
		return row
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

// problemOf returns the reason why a script cannot be used as a benchmark, or "".
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

// statusOf returns the status of a whole benchmark: the status of its only check-sat, or "incremental".
func statusOf(statuses []comp.Status) string {
	switch {
	case len(statuses) > 1:
		return "incremental"
	case len(statuses) == 1 && statuses[0].Known():
		return string(statuses[0])
	}
	return string(comp.StatusUnknown)
}

// RunLength returns statuses in order and run-length coded, such as sat*3,unsat. A check-sat without a status counts as
// unknown.
func RunLength(statuses []comp.Status) string {
	if len(statuses) == 1 {
		return runName(statuses[0])
	}
	var buf bytes.Buffer
	for i := 0; i < len(statuses); {
		j := i
		for j < len(statuses) && statuses[j] == statuses[i] {
			j++
		}
		if buf.Len() > 0 {
			buf.WriteByte(',')
		}
		buf.WriteString(runName(statuses[i]))
		if j-i > 1 {
			fmt.Fprintf(&buf, "*%d", j-i)
		}
		i = j
	}
	return buf.String()
}

func runName(s comp.Status) string {
	if s == "" {
		return string(comp.StatusUnknown)
	}
	return string(s)
}
