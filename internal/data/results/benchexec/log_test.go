package benchexec_test

import (
	"archive/zip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/results/benchexec"
)

// dashes is the separator that BenchExec writes after the command.
var dashes = "\n\n\n" + strings.Repeat("-", 80) + "\n\n\n"

const removed = "\n\n\nWARNING: YOUR LOGFILE WAS TOO LONG, SOME LINES IN THE MIDDLE WERE REMOVED.\n\n\n\n"

func TestParseLog(t *testing.T) {
	const mark = "\n[BenchExec: output removed]\n"
	for _, c := range []struct {
		name, text, output         string
		truncated, killer, timeout bool
	}{
		{"nothing", "", "", false, false, false},
		{"no output", "./solver a.smt2" + dashes, "", false, false, false},
		{"answer", "./solver a.smt2" + dashes + "sat\n(model)\n", "sat\n(model)\n", false, false, false},
		{"empty lines", "./solver" + dashes + "\n\nsat\n\n", "\n\nsat\n\n", false, false, false},
		{"dashes in the output", "./solver" + dashes + "a" + dashes + "b", "a" + dashes + "b", false, false, false},
		{"cut", "./solver" + dashes + "unsat\n(a b" + removed + "c d)\n", "unsat\n(a b" + mark + "c d)\n",
			true, false, false},
		{"killer", "./walltime_killer.py 1200 ./solver a" + dashes + "unsat\n\n(a b)\n\n", "unsat\n(a b)\n",
			false, true, false},
		{"killer, empty lines", "./walltime_killer.py 2 x" + dashes + "sat\n\n\n\n(m)\n\n", "sat\n\n(m)\n",
			false, true, false},
		{"killer, last line open", "./walltime_killer.py 2 x" + dashes + "sat\n", "sat\n", false, true, false},
		{"killer, a warning of its own", "./walltime_killer.py 2 x" + dashes + "ERROR - no cgroups\nsat\n\n",
			"ERROR - no cgroups\nsat\n", false, true, false},
		{"killer, timeout", "python3 /x/walltime_killer.py 2 x" + dashes + "sat\n\nTIMEOUT\n", "sat\n",
			false, true, true},
		{"killer, nothing but timeout", "./walltime_killer.py 2 x" + dashes + "TIMEOUT\n", "", false, true, true},
		{"killer, a word that ends so", "./walltime_killer.py 2 x" + dashes + "NO TIMEOUT\n\n", "NO TIMEOUT\n",
			false, true, false},
		{"killer, cut", "./walltime_killer.py 2 x" + dashes + "unsat\n\n(a\n" + removed + "\nb)\n\nTIMEOUT\n",
			"unsat\n(a\n" + mark + "\nb)\n", true, true, true},
		{"timeout without killer", "./solver" + dashes + "TIMEOUT\n", "TIMEOUT\n", false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			log, err := benchexec.ParseLog([]byte(c.text))
			if err != nil || string(log.Output) != c.output || log.Truncated != c.truncated || log.Killer != c.killer ||
				log.TimedOut != c.timeout {
				t.Errorf("got %q, %+v, %v, want %q", log.Output, log, err, c.output)
			}
		})
	}
	if _, err := benchexec.ParseLog([]byte("sat\n")); err == nil || !strings.Contains(err.Error(), "line of dashes") {
		t.Errorf("without a header: %v", err)
	}
}

// TestLogs reads logs from an archive and from a folder.
func TestLogs(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "a.2030-01-02_03-04-05.logfiles")
	archive := folder + ".zip"
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	w := zip.NewWriter(f)
	for name, text := range map[string]string{"A,0,SingleQuery.1_x.yml.log": "./a" + dashes + "sat\n",
		"A,0,SingleQuery.2_y.yml.log": "no header"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := w.Create(filepath.Base(folder) + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	h := &benchexec.Header{Name: "A,0,SingleQuery.task", Block: "task"}
	for _, path := range []string{folder, archive} {
		logs, err := benchexec.OpenLogs(path)
		if err != nil {
			t.Fatal(err)
		}
		defer logs.Close()
		log, err := logs.Read(h, &benchexec.Run{Name: "../b/QF_LIA/1_x.yml"})
		if err != nil || string(log.Output) != "sat\n" {
			t.Errorf("%s: %q, %v", path, log.Output, err)
		}
		if _, err := logs.Read(h, &benchexec.Run{Name: "QF_LIA/3_z.yml"}); !errors.Is(err, benchexec.ErrNoLog) {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := logs.Read(h, &benchexec.Run{Name: "QF_LIA/2_y.yml"}); err == nil ||
			!strings.Contains(err.Error(), "log A,0,SingleQuery.2_y.yml.log: the log does not begin") {
			t.Errorf("%s: %v", path, err)
		}
	}
	logs, err := benchexec.OpenLogs(folder)
	if err != nil {
		t.Fatal(err)
	}
	outside := &benchexec.Header{Name: "../" + filepath.Base(folder) + "/A,0,SingleQuery"} // named by the result file
	if log, err := logs.Read(outside, &benchexec.Run{Name: "QF_LIA/1_x.yml"}); err == nil {
		t.Errorf("read a log outside the folder: %q", log.Output)
	}
	if _, err := benchexec.OpenLogs(filepath.Join(folder, "A,0,SingleQuery.2_y.yml.log")); err == nil ||
		!strings.Contains(err.Error(), "not an archive of logs") {
		t.Errorf("a text: %v", err)
	}
}

func TestBaseName(t *testing.T) {
	for name, want := range map[string]string{
		"r/a.2030-01-02_03-04-05.results.A,0,SingleQuery.task.xml.bz2": "a.2030-01-02_03-04-05",
		"a.2030-01-02_03-04-05.logfiles.zip":                           "a.2030-01-02_03-04-05",
		"r/a.logfiles":                                                 "a",
		"my.results.b.results.x.xml":                                   "my.results.b", "x.xml": "x.xml",
	} {
		if got := benchexec.BaseName(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func FuzzParseLog(f *testing.F) {
	f.Add([]byte("./solver" + dashes + "sat\n"))
	f.Add([]byte("./walltime_killer.py 2 x" + dashes + "unsat\n\n(a\n" + removed + "\nb)\n\nTIMEOUT\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		log, err := benchexec.ParseLog(text)
		if err == nil && len(log.Output) > len(text) {
			t.Errorf("%d bytes of a log of %d", len(log.Output), len(text))
		}
	})
}
