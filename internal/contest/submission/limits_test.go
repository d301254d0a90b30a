package submission_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// many returns a submission with n equal participations, one per line.
func many(n int, participation string) string {
	return `{"name": "X", "contributors": ["A"], "contacts": ["a@b.org"], "archive": {"url": "https://b.org/a.zip"},
"command": ["./x"], "website": "https://b.org", "system_description": "https://b.org/x.pdf",
"solver_type": "Standalone", "seed": 1, "participations": [
` + strings.TrimSuffix(strings.Repeat(participation+",\n", n), ",\n") + "]}\n"
}

func TestLargeFiles(t *testing.T) {
	for _, row := range []struct{ name, src, want string }{
		// 29 bytes per participation, minus the last comma and line feed, plus 261 bytes around them.
		{"bytes", many(200_000, `{"tracks": ["SingleQuery"]}`),
			"x.json:1:1: the file: x.json has 5800259 bytes, and a submission has at most 1048576"},
		// Two brackets per participation and 29,999 commas between them, plus 6 brackets and 9 commas around them.
		{"values", many(30_000, `{"tracks":["Y"]}`),
			"x.json:1:1: the file: x.json has 90014 values, and a submission has at most 20000"},
		{"brackets", strings.Repeat("[", 10_000),
			"x.json:1:1: the file: x.json has brackets nested 10000 deep, and a submission has at most 64"},
	} {
		_, problems := submission.Read("x.json", []byte(row.src))
		if len(problems) != 1 || problems[0].Error() != row.want {
			t.Errorf("%s: %.300v, want %s", row.name, problems, row.want)
		}
	}
}

// TestLargestFiles checks that the time to check a file within the limits is linear in its size. Each check takes about
// a second; quadratic algorithms used to take from seven seconds to a minute.
func TestLargestFiles(t *testing.T) {
	var parts []submission.Part
	for _, track := range []string{"single_query", "incremental", "unsat_core", "model_validation",
		"parallel"} {
		for d := range 10 {
			part := submission.Part{Track: track, Division: comp.Division(fmt.Sprintf("D%d", d))}
			for l := range 9 {
				part.Logics = append(part.Logics, comp.Logic(fmt.Sprintf("QF_%d%d", d, l)))
			}
			parts = append(parts, part)
		}
	}
	catalog, err := submission.NewCatalog(parts, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, participation string
		n                   int
	}{
		{"equal participations", `{"tracks": ["SingleQuery", "UnsatCore"], "logics": "QF_.*"}`, 3_900},
		{"errors", `{"tracks": ["SingleQuery", "B"], "logics": 7, "logics": 8}`, 2_800},
		{"unknown logics", `{"tracks": ["SingleQuery"], "logics": ["Q` + strings.Repeat(`","Q`, 19_900) + `"]}`, 1},
		{"fields", `{"a": 1` + strings.Repeat(`, "a": 1`, 19_900) + "}", 1},
	} {
		src := many(row.n, row.participation)
		start := cpuTime(t)
		review := submission.Rules{}.Review("x.json", []byte(src), catalog, &submission.Known{}, "")
		if review.Submission == nil {
			t.Errorf("%s: %v", row.name, review.Problems)
		}
		took := cpuTime(t) - start
		if took > 8*time.Second {
			t.Errorf("%s: %v for %d bytes", row.name, took, len(src))
		}
		t.Log(row.name, took, len(review.Problems), len(review.Warnings))
	}
}

// cpuTime returns the CPU time that this process has used, which, unlike wall time, does not depend on other processes.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// endless returns a text that repeats a line. It ends after 100 MB, so that a reader without a limit does not fill the
// memory.
func endless(begin, line string) io.Reader {
	const most = 100 << 20
	return io.LimitReader(io.MultiReader(strings.NewReader(begin), &repeated{line: line}), most)
}

type repeated struct {
	line string
	at   int
}

func (r *repeated) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = r.line[r.at]
		r.at = (r.at + 1) % len(r.line)
	}
	return len(p), nil
}

// TestEndlessTables checks that a register and a record of the seed are not read into memory however long they are. A
// quote that is not closed makes a single row of the text after it.
func TestEndlessTables(t *testing.T) {
	_, numbers := submission.ReadDrawn(endless("file,solver,number\n\"", "x.json,X,1\n"))
	_, register := submission.Rules{}.ReadRegister(endless("file,entered,updated\n\"", "x.json,2026-01-01,\n"))
	for what, err := range map[string]error{"numbers": numbers, "register": register} {
		if _, ok := errors.AsType[*limits.Error](err); !ok {
			t.Errorf("%s: %.200v", what, err)
		}
	}
}
