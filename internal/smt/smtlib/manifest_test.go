package smtlib

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib/smtlibtest"
	"github.com/smtpipe/smtpipe/internal/testkit"
)

// TestManifest compares Inspect with the release's published manifest, whose numbers come from another program.
func TestManifest(t *testing.T) {
	rows := readManifest(t)
	files := smtlibtest.Release(t)
	if len(files) != len(rows) {
		t.Errorf("the release has %d files, the manifest %d", len(files), len(rows))
	}
	for _, f := range files {
		info, err := Inspect(f.Text)
		if err != nil {
			t.Errorf("%s: %v", f.Path, err)
			continue
		}
		got := []string{
			strconv.FormatInt(info.Bytes, 10), string(info.Logic), runLength(info.Statuses), strconv.Itoa(info.Asserts),
			strconv.Itoa(info.CheckSats), licence(info.Licence), info.Declares, strconv.Itoa(info.MaxDepth),
		}
		if want := rows[f.Path]; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s:\n got %q\nwant %q", f.Path, got, want)
		}
	}
}

// readManifest returns each file's size, logic, statuses, asserts, check-sats, licence, version and depth, by path.
func readManifest(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(testkit.Shared(t, "smtlib-mini", "MANIFEST.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if f[0] != "path" {
			rows[f[0]] = []string{f[2], f[3], f[4], f[5], f[6], f[10], f[12], f[13]}
		}
	}
	return rows
}

func licence(text string) string {
	if text == "" {
		return "none stated in file"
	}
	return strings.Join(strings.Fields(text), " ")
}

// runLength returns sat,sat,unsat as sat*2,unsat.
func runLength(statuses []comp.Status) string {
	var parts []string
	for i := 0; i < len(statuses); {
		j := i
		for j < len(statuses) && statuses[j] == statuses[i] {
			j++
		}
		part := string(statuses[i])
		if j-i > 1 {
			part += fmt.Sprintf("*%d", j-i)
		}
		parts = append(parts, part)
		i = j
	}
	return strings.Join(parts, ",")
}

// TestParseRelease parses every file of the release and compares the counts of Parse and Inspect.
func TestParseRelease(t *testing.T) {
	for _, f := range smtlibtest.Release(t) {
		s, err := Parse(f.Text)
		if err != nil {
			t.Errorf("%s: %v", f.Path, err)
			continue
		}
		info, err := Inspect(f.Text)
		if err != nil {
			t.Errorf("%s: %v", f.Path, err)
			continue
		}
		if got, want := countSymbols(s), info.Symbols; got != want {
			t.Errorf("%s: Parse has the symbols %+v, Inspect %+v", f.Path, got, want)
		}
	}
}

// countSymbols counts the declarations in a parsed script.
func countSymbols(s *Script) (n SymbolCounts) {
	for i := range s.Commands {
		c := &s.Commands[i]
		switch c.Kind {
		case CmdDeclareSort:
			n.Sorts++
		case CmdDefineSort:
			n.DefinedSorts++
		case CmdDeclareConst:
			n.Constants++
		case CmdDeclareFun:
			if len(s.ArgSorts(c)) == 0 {
				n.Constants++
			} else {
				n.Functions++
			}
		}
		n.Definitions += len(s.Functions(c))
		for _, d := range s.Datatypes(c) {
			n.Datatypes++
			for _, ctor := range s.Constructors(&d) {
				n.Constructors++
				n.Selectors += len(s.Selectors(&ctor))
			}
		}
	}
	return n
}
