package limits_test

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/smtpipe/smtpipe/internal/audit/frozen"
	"github.com/smtpipe/smtpipe/internal/audit/record"
	"github.com/smtpipe/smtpipe/internal/audit/shadow"
	"github.com/smtpipe/smtpipe/internal/audit/signature"
	"github.com/smtpipe/smtpipe/internal/base/hclsource"
	"github.com/smtpipe/smtpipe/internal/base/limits"
	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score/scoreio"
	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/contest/submission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/benchexec"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
	"github.com/smtpipe/smtpipe/internal/exec/evidence"
	"github.com/smtpipe/smtpipe/internal/smt/release"
)

// stream adapts a function that reads from a stream to read a file.
func stream(read func(io.Reader) error) func(string) error {
	return func(path string) error {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		return read(f)
	}
}

// whole adapts a function that parses a text to read a file.
func whole[T any](l limits.Of, parse func([]byte) (T, error)) func(string) error {
	return func(path string) error {
		src, err := l.ReadFile(path)
		if err == nil {
			_, err = parse(src)
		}
		return err
	}
}

// strangers are the readers of untrusted files, by file kind. Package packed covers archives and compressed data, and
// the store covers Parquet. TestReaders in archtest finds readers that are missing here.
var strangers = map[string]func(path string) error{
	"lock":             whole(limits.Lock, frozen.ParseLock),
	"list of digests":  whole(limits.Sums, frozen.ParseSums),
	"signature":        whole(limits.Signature, signature.Parse),
	"list of keys":     whole(limits.Signers, signature.ParseSigners),
	"record of Zenodo": stream(func(r io.Reader) error { _, err := release.ReadRecord(r); return err }),
	"record of a stage": func(path string) error {
		var v any
		return limits.StageRecord.ReadJSON(path, &v)
	},
	"message of an editor": func(path string) error { var v any; return limits.Message.ReadJSON(path, &v) },
	"evidence of a site": whole(limits.Document, func(src []byte) (any, error) {
		return evidence.Read(src, "x.json")
	}),
	"submission": whole(limits.Submission, func(src []byte) (any, error) {
		_, err := submission.Parse("x.json", src)
		return nil, err
	}),
	"list of submissions": stream(func(r io.Reader) error { _, err := submission.Rules{}.ReadRegister(r); return err }),
	"numbers drawn":       stream(func(r io.Reader) error { _, err := submission.ReadDrawn(r); return err }),
	"table of statuses":   stream(func(r io.Reader) error { _, err := selection.ReadStatus(r); return err }),
	"list of benchmarks":  stream(func(r io.Reader) error { _, err := selection.ReadList(r); return err }),
	"list of unfit":       stream(func(r io.Reader) error { _, err := selection.ReadUnfit(r); return err }),
	"parameters":          stream(func(r io.Reader) error { _, err := selection.ReadReplayParams(r); return err }),
	"HCL": func(path string) error {
		src, err := hclsource.ReadPath(path)
		if err != nil {
			return err
		}
		_, diags := hclsource.Parse(src, path)
		return diags
	},
	"rule set": whole(limits.HCL, func(src []byte) (any, error) {
		_, _, diags := rules.ParseScoring(src, "x.rules.hcl", nil)
		return nil, diags
	}),
	"table as CSV": stream(func(r io.Reader) error {
		schema, err := results.SchemaByName("runs/1")
		if err == nil {
			_, err = results.FromCSV(io.Discard, r, schema)
		}
		return err
	}),
	"runs to score":  func(path string) error { _, _, err := scoreio.ReadRunsFile(path, nil); return err },
	"scores as JSON": stream(func(r io.Reader) error { _, err := scoreio.ReadFigures(r, "scores"); return err }),
	"published tables": func(path string) error {
		dir, err := os.MkdirTemp(filepath.Dir(path), "")
		if err == nil {
			err = os.Symlink(path, filepath.Join(dir, "published.json"))
		}
		if err == nil {
			_, err = scoreio.ReadPublished(dir, nil)
		}
		return err
	},
	"published material": func(path string) error { _, err := shadow.Find([]string{filepath.Dir(path)}); return err },
	"StarExec's table": stream(func(r io.Reader) error {
		return intake.ReadStarExec(r, intake.Source{}, func(*results.HistoryRow) error { return nil })
	}),
	"organisers' results": stream(func(r io.Reader) error {
		return intake.ReadResults(r, 2025, func(*results.HistoryRow) error { return nil })
	}),
	"organisers' benchmarks": stream(func(r io.Reader) error {
		return intake.ReadBenchmarks(r, func(*results.BenchmarkRow) error { return nil })
	}),
	"table of runs of an earlier year": func(path string) error {
		_, err := intake.History(path, intake.Source{Year: 2025, Track: comp.SingleQuery})
		return err
	},
	"BenchExec's results": stream(func(r io.Reader) error {
		_, err := benchexec.Read(r, func(*benchexec.Header, benchexec.Run) error { return nil })
		return err
	}),
	"page":    func(path string) error { _, err := record.ReadPage(path); return err },
	"mapping": func(path string) error { return (&intake.Mapping{}).Read(path) },
}

// TestStrangers feeds each reader a sparse file of 1 GB, files of a million items, and files nested a million deep. It
// checks that they are rejected, and that neither memory nor time grows with the input.
func TestStrangers(t *testing.T) {
	if testing.Short() {
		t.Skip("reads large files")
	}
	const many, memory = 1_000_000, 700 << 20
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memory * 3 / 4)) // keeps garbage from counting
	dir := t.TempDir()
	files := map[string]string{ // by name: the beginning and the repeated part
		"lines": "a,b\n", "values": "0,", "brackets": "[", "objects": `{"a":`, "elements": "<a>", "parentheses": "(",
		"blocks": "a {\n", "negations": "!",
	}
	paths := map[string]string{}
	for name, part := range files {
		head := map[string]string{"values": "[", "negations": "a = "}[name]
		paths[name] = filepath.Join(dir, name, name)
		write(t, paths[name], head+strings.Repeat(part, many))
	}
	paths["sparse"] = filepath.Join(dir, "sparse", "sparse")
	write(t, paths["sparse"], "")
	if err := os.Truncate(paths["sparse"], 1<<30); err != nil {
		t.Fatal(err)
	}
	for what, read := range strangers {
		for name, path := range paths {
			begun := time.Now()
			err := read(path)
			// these readers accept any text
			isList := what == "list of benchmarks" || what == "published material" || what == "page"
			if err == nil && name != "lines" && !isList {
				t.Errorf("%s: %s is accepted", what, name)
			}
			if err != nil && len(err.Error()) > 1<<20 {
				t.Errorf("%s: %s has an error of %d bytes", what, name, len(err.Error()))
			}
			if took := time.Since(begun); took > time.Minute {
				t.Errorf("%s: %s takes %v", what, name, took)
			}
			var after runtime.MemStats
			if runtime.ReadMemStats(&after); after.Sys-after.HeapReleased > memory {
				t.Fatalf("%s: after %s the program has %d MB", what, name, (after.Sys-after.HeapReleased)>>20)
			}
		}
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestReader checks that a reader fails before it buffers an endless line or too many bytes.
func TestReader(t *testing.T) {
	l := limits.Of{What: "a test", Bytes: 100, Line: 10}
	for text, fine := range map[string]bool{
		strings.Repeat("123456789\n", 10): true,
		strings.Repeat("123456789\n", 11): false,
		"12345678901":                     false,
		"1\n12345678901":                  false,
		"12345\n67890":                    true,
	} {
		got, err := io.ReadAll(l.Reader(strings.NewReader(text)))
		if fine != (err == nil) || fine && !bytes.Equal(got, []byte(text)) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}
