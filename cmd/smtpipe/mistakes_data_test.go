package main

import (
	"bytes"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/base/exit"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

// overData is the start of each pipeline in TestMistakesOfData: three benchmarks in LIA and one in QF_UF.
const overData = `competition {
  name = "Cup"
  year = 2026
}
stage "fetch" "library" { path = "release" }
stage "index" "library" { source = stage.fetch.library.files }
`

// smallScript is a benchmark's text.
const smallScript = "(set-info :status sat)\n(set-logic LIA)\n(assert true)\n(check-sat)\n"

// member returns a benchmark's path below non-incremental, and its text.
func member(place string) stagetest.Member {
	return stagetest.Member{Path: "non-incremental/" + place, Text: smallScript}
}

// historyHeader is the header of a table history/1 as CSV.
const historyHeader = "benchmark,year,track,solver,logic,status," +
	"answer,result,cpu_time_s,wall_time_s,memory_bytes,answers\n"

// alphaFile is a submission in the organisers' format.
const alphaFile = `{
 "name": "Alpha",
 "contributors": ["Ann"],
 "contacts": ["Ann <ann@example.org>"],
 "archive": {"url": "https://archives.example/files/alpha.zip"},
 "website": "https://solver.example/",
 "system_description": "https://solver.example/d.pdf",
 "command": ["bin/run"],
 "solver_type": "Standalone",
 "seed": 10,
 "participations": [{"tracks": ["SingleQuery"], "logics": ["LIA"]}]
}
`

// officialList and officialResults are files in the organisers' published format.
const (
	officialList = `{"non_incremental": [{"file": {"incremental": false, "logic": "LIA", "family": ["f"],
 "name": "a.smt2"}, "status": "sat", "asserts": 1}], "incremental": []}
`
	officialResults = `{"results": [
 {"track": "SingleQuery", "solver": "A", "file": {"incremental": false, "logic": "LIA", "family": ["f"],
  "name": "a.smt2"}, "result": "sat", "cpu_time": 2.0, "wallclock_time": 2.0, "memory_usage": 1000000.0}
]}
`
)

// TestMistakesOfData makes mistakes that only the data reveals. plan --deep must report each of them before any run,
// with the stage's address, the position, the reason and the remedy.
func TestMistakesOfData(t *testing.T) {
	t.Parallel()
	lia := string(stagetest.Archive(t, member("LIA/f/a.smt2"), member("LIA/f/b.smt2"), member("LIA/g/c-7.smt2")))
	uf := string(stagetest.Archive(t, member("QF_UF/f/d.smt2")))
	sound := map[string]string{"release/LIA.tar.zst": lia, "release/QF_UF.tar.zst": uf}
	const usable = "stage \"filter\" \"x\" {\n  benchmarks = stage.index.library.benchmarks\n"
	const someOf = "stage \"cap\" \"x\" {\n  benchmarks = stage.index.library.benchmarks\n  seed = 1\n"
	const list = "stage \"unfit\" \"x\" {\n  benchmarks = stage.index.library.benchmarks\n  list = \"list.csv\"\n}\n"
	const entrants = "stage \"submissions\" \"x\" {\n  folder = \"entrants\"\n}\n"
	const past = "stage \"import\" \"x\" { results = [\"history-2025.csv\"] }\n"
	const official = "stage \"import\" \"x\" {\n  results = [\"results-sq-2025.json\"]\n  benchmarks = \"benchmarks.json\"\n" +
		"  wall_time = \"20m\"\n}\n"
	const run = "non-incremental/LIA/f/a.smt2,2025,single_query,one,LIA,sat,sat,sat,1,1,0,-1\n"
	swap := func(old, new string) string { return strings.Replace(alphaFile, old, new, 1) }

	for _, m := range []struct {
		name, stages string
		files        map[string]string
		want         []string // address, position, reason, remedy
	}{
		{"torn archive", "", map[string]string{"release/LIA.tar.zst": lia[:len(lia)/2]},
			[]string{
				`Error: stage.index.library: `,
				`on competition.hcl line 6, in stage`,
				`archive LIA.tar.zst is cut`,
				`fetch it again`,
			}},
		{"page instead of an archive", "", map[string]string{"release/LIA.tar.zst": "<html>Not found</html>"},
			[]string{
				`Error: stage.index.library: `,
				`on competition.hcl line 6, in stage`,
				`archive LIA.tar.zst is a web page, not an archive`,
				`fetch the archive again`,
			}},
		{"empty archive", "", map[string]string{"release/LIA.tar.zst": ""},
			[]string{
				`Error: stage.index.library: `,
				`on competition.hcl line 6, in stage`,
				`archive LIA.tar.zst is empty`,
				`fetch it again`,
			}},
		{"no benchmark in the archives", "", map[string]string{
			"release/LIA.tar.zst":   string(stagetest.Archive(t, stagetest.Member{Path: "README", Text: "x"})),
			"release/QF_UF.tar.zst": string(stagetest.Archive(t, stagetest.Member{Path: "README", Text: "x"}))},
			[]string{
				`Error: stage.index.library: `,
				`on competition.hcl line 6, in stage`,
				`there is no benchmark in the archives`,
				`is named *.smt2`,
			}},
		{"benchmark in two archives", "", map[string]string{"release/copy.tar.zst": lia},
			[]string{
				`Error: stage.index.library: `,
				`on competition.hcl line 6, in stage`,
				`is in two archives, LIA.tar.zst and copy.tar.zst`,
				`remove one of them`,
			}},
		{"checksum of another file", "", map[string]string{"release/record.json": `{"files": [{"key": "LIA.tar.zst", ` +
			`"checksum": "md5:00000000000000000000000000000000"}]}`},
			[]string{
				`Error: stage.fetch.library: `,
				`on competition.hcl line 5, in stage`,
				`LIA.tar.zst has the MD5`,
				`Download the file again`,
			}},
		{"sha256 of another file", "stage \"fetch\" \"x\" {\n  path = \"release\"\n  sha256 = { \"LIA.tar.zst\" = \"" +
			strings.Repeat("0", 64) + "\" }\n}\n", nil,
			[]string{
				`Error: stage.fetch.x: `,
				`on competition.hcl line 7, in stage`,
				`LIA.tar.zst has the SHA-256`,
				`Download the file again`,
			}},
		{"negative places", someOf + "  take = n < 3 ? 1 : 2 - n\n}\n", nil,
			[]string{
				`Error: stage.cap.x: `,
				`on competition.hcl line 10, in stage`,
				`take returned -1 places`,
				`write max(0, ...)`,
			}},
		{"rule that fails for a row",
			usable + "  drop \"odd\" {\n    when = split(\"-\", b.name)[1] == \"7.smt2\"\n  }\n}\n",
			nil,
			[]string{
				`Error: stage.filter.x: `,
				`on competition.hcl line 10, in stage`,
				`rule "odd": Invalid index`,
				`with b.name = "a.smt2"`,
				`try(EXPRESSION, VALUE)`,
			}},
		{"rule that is null", usable + "  drop \"odd\" {\n    when = b.logic == \"LIA\" ? null : false\n  }\n}\n", nil,
			[]string{
				`Error: stage.filter.x: `,
				`on competition.hcl line 10, in stage`,
				`the value is null`,
				`must be true or false`,
			}},
		{"where that fails", someOf + "  take = n\n  where = parseint(b.name, 10) > 1\n}\n", nil,
			[]string{
				`Error: stage.cap.x: `,
				`on competition.hcl line 11, in stage`,
				`where: Invalid function argument`,
				`with b.name = "a.smt2"`,
				`try(EXPRESSION, VALUE)`,
			}},
		{"always that fails", someOf + "  take = n\n  always = parseint(b.name, 10) > 1\n}\n", nil,
			[]string{
				`Error: stage.cap.x: `,
				`on competition.hcl line 11, in stage`,
				`always: Invalid function argument`,
				`with b.name = "a.smt2"`,
				`try(EXPRESSION, VALUE)`,
			}},
		{"new that fails",
			"stage \"index\" \"x\" {\n  source = stage.fetch.library.files\n  new = parseint(b.family, 10) > 1\n" +
				"}\n", nil,
			[]string{
				`Error: stage.index.x: `,
				`on competition.hcl line 9, in stage`,
				`new: Invalid function argument`,
				`with b.family = "f"`,
				`try(EXPRESSION, VALUE)`,
			}},
		{"unfit that the release lacks", list, map[string]string{
			"list.csv": "benchmark,reason\nnon-incremental/LIA/f/z.smt2,unsound\n"},
			[]string{
				`Error: stage.unfit.x: `,
				`on competition.hcl line 9, in stage`,
				`list.csv: line 2: there is no benchmark`,
				`2: non-incremental/LIA/f/z.smt2,unsound`,
				`Correct the list`,
			}},
		{"unfit twice, in two ways", list, map[string]string{
			"list.csv": "benchmark,reason\nnon-incremental/LIA/f/a.smt2,unsound\nLIA/f/a.smt2,large\n"},
			[]string{
				`Error: stage.unfit.x: `,
				`on competition.hcl line 9, in stage`,
				`list.csv: line 3`,
				`is already in line 2`,
				`remove the line`,
			}},
		{"submission with a slip", entrants, map[string]string{"entrants/alpha.json": swap(`"command"`, `"comand"`)},
			[]string{
				`Error: stage.submissions.x: `,
				`on competition.hcl line 8, in stage`,
				`alpha.json: line 8, column 12`,
				`unknown field "comand"`,
				`did you mean "command"? The fields here are `,
			}},
		{"submission of no logic", entrants, map[string]string{"entrants/alpha.json": swap(`["LIA"]`, `["LAI"]`)},
			[]string{
				`Error: stage.submissions.x: `,
				`on competition.hcl line 8, in stage`,
				`alpha.json: line 11, column 60`,
				`unknown logic "LAI"`,
				`did you mean "LIA"?`,
			}},
		{"submission without a seed", entrants, map[string]string{"entrants/alpha.json": swap(`"seed": 10,`, "")},
			[]string{
				`Error: stage.submissions.x: `,
				`on competition.hcl line 7, in stage`,
				`no seed in the submissions of Alpha`,
				`must give one`,
			}},
		{"open source of nobody",
			"stage \"submissions\" \"x\" {\n  folder = \"entrants\"\n  open_source = [\"alpha\"]\n}\n",
			map[string]string{"entrants/alpha.json": alphaFile},
			[]string{
				`Error: stage.submissions.x: `,
				`on competition.hcl line 9, in stage`,
				`no submission is of a solver "alpha"`,
				`Write the name as in its file`,
			}},
		{"header of a history", past, map[string]string{
			"history-2025.csv": strings.Replace(historyHeader, "wall_time_s", "walltime", 1) + run},
			[]string{
				`Error: stage.import.x: `,
				`on competition.hcl line 7, in stage`,
				`history-2025.csv`,
				`unknown column "walltime"`,
				`the columns are answer`,
			}},
		{"history without a header", past, map[string]string{"history-2025.csv": run},
			[]string{
				`Error: stage.import.x: `,
				`on competition.hcl line 7, in stage`,
				`history-2025.csv`,
				`unknown column "non-incremental`,
				`the columns are answer`,
			}},
		{"name submitted twice", entrants, map[string]string{"entrants/alpha.json": alphaFile,
			"entrants/beta.json": alphaFile},
			[]string{
				`Error: stage.submissions.x: `,
				`on competition.hcl line 8, in stage`,
				`alpha.json and beta.json both submit a solver "Alpha"`,
				`Remove one of the files`,
			}},
		{"submission that is cut", entrants, map[string]string{"entrants/alpha.json": alphaFile[:200]},
			[]string{
				`Error: stage.submissions.x: `,
				`on competition.hcl line 8, in stage`,
				`alpha.json: line 7, column 11: not JSON: the file ends too early`,
				`7: "system_d`,
				`ask its authors`,
			}},
		{"comma that is missing in a submission", entrants, map[string]string{
			"entrants/alpha.json": swap(`"seed": 10,`, `"seed": 10`)},
			[]string{
				`on competition.hcl line 8, in stage`,
				`alpha.json: line 11, column 2: not JSON`,
				`11: "participations": [`,
				`ask its authors`,
			}},
		{"short row of a history", past, map[string]string{"history-2025.csv": historyHeader + run[:40] + "\n"},
			[]string{
				`Error: stage.import.x: `,
				`on competition.hcl line 7, in stage`,
				`history-2025.csv: record on line 2: wrong number of fields`,
				`2: non-incremental/LIA/f/a.smt2,2025,single`,
				`as many fields as the first`,
			}},
		{"run in two files",
			"stage \"import\" \"x\" {\n  results = [\"history-2025.csv\", \"again-2025.csv\"]\n}\n",
			map[string]string{"history-2025.csv": historyHeader + run, "again-2025.csv": historyHeader + run},
			[]string{
				`Error: stage.import.x: again-2025.csv: 1 runs also occur in history-2025.csv;`,
				`on competition.hcl line 8, in stage`,
				`of one on non-incremental/LIA/f/a.smt2 in track single_query`,
				`Remove one of the two files from results`,
			}},
		{"semicolons in a history", past, map[string]string{
			"history-2025.csv": strings.ReplaceAll(historyHeader+run, ",", ";")},
			[]string{
				`Error: stage.import.x: history-2025.csv: line 1: not a file of results`,
				`on competition.hcl line 7, in stage`,
				`CSV with commas`,
				`1: benchmark;year;track`,
				`Fetch or export the file again`,
			}},
		{"results that are cut", official, map[string]string{"benchmarks.json": officialList,
			"results-sq-2025.json": officialResults[:len(officialResults)-4]},
			[]string{
				`Error: stage.import.x: results-sq-2025.json: official results`,
				`on competition.hcl line 8, in stage`,
				`the file ends too early`,
				`"memory_usage": 1000000.0}`,
				`Fetch or export the file again`,
			}},
		{"word for a number in results", official, map[string]string{"benchmarks.json": officialList,
			"results-sq-2025.json": strings.Replace(officialResults, "2.0", "two", 1)},
			[]string{
				`on competition.hcl line 8, in stage`,
				`invalid character 'w' in literal true`,
				`"cpu_time": two,`,
				`fix the place`,
			}},
		{"value that a row does not have", past + "stage \"filter\" \"x\" {\n  benchmarks = stage.index.library.benchmarks\n" +
			"  history = stage.import.x.runs\n  drop \"d\" {\n    when = h.max_cpu < 1\n  }\n}\n",
			map[string]string{"history-2025.csv": historyHeader + run},
			[]string{
				`Error: stage.filter.x: rule "d"`,
				`on competition.hcl line 12, in stage`,
				`with h.max_cpu = null`,
				`ask for it first`,
			}},
		{"word for a number in a history", past, map[string]string{"history-2025.csv": historyHeader +
			strings.Replace(run, ",1,1,", ",1,fast,", 1)},
			[]string{
				`Error: stage.import.x: `,
				`on competition.hcl line 7, in stage`,
				`line 2, column wall_time_s`,
				`"fast" is not a number`,
			}},
	} {
		t.Run(m.name, func(t *testing.T) {
			dir := t.TempDir()
			files := maps.Clone(sound)
			maps.Copy(files, m.files)
			files["competition.hcl"] = overData + m.stages
			writeFiles(t, dir, files)
			code, text := deepPlan(dir)
			if code != exit.Error {
				t.Errorf("exit code %d, want %d", code, exit.Error)
			}
			plain := strings.Join(strings.Fields(text), " ")
			for _, part := range m.want {
				if !strings.Contains(plain, part) {
					t.Errorf("nothing says %q", part)
				}
			}
			if t.Failed() {
				t.Log(text)
			}
		})
	}
}

// TestNoneLeft excludes all benchmarks. The first plan --deep lists the values in the benchmarks. Each later plan
// reports that none is left.
func TestNoneLeft(t *testing.T) {
	const given = "  benchmarks = stage.index.library.benchmarks\n"
	for _, m := range []struct {
		name, stage string
		first, each []string
	}{
		{"where", "stage \"cap\" \"x\" {\n" + given + "  seed = 1\n  take = n\n  where = b.logic == \"BV\"\n}\n",
			[]string{`0 of 4 benchmarks are left (4: where does not hold)`, `b.logic = "LIA", "QF_UF"`},
			[]string{`on competition.hcl line 11, in stage "cap" "x"`, `stage.cap.x leaves 0 of 4 benchmarks`,
				`show 'stage.cap.x.choices'`}},
		{"rules", "stage \"filter\" \"x\" {\n" + given + "  drop \"one\" { when = b.family == \"g\" }\n" +
			"  drop \"two\" { when = b.family != \"g\" }\n}\n",
			[]string{`0 of 4 benchmarks are left (1: one; 3: two)`, `b.family = "f", "g"`},
			[]string{`on competition.hcl line 7, in stage "filter" "x"`, `stage.filter.x leaves 0 of 4 benchmarks`}},
	} {
		t.Run(m.name, func(t *testing.T) {
			dir := t.TempDir()
			writeFiles(t, dir, map[string]string{
				"competition.hcl": overData + m.stage,
				"release/LIA.tar.zst": string(stagetest.Archive(t, member("LIA/f/a.smt2"), member("LIA/f/b.smt2"),
					member("LIA/g/c.smt2"))),
				"release/QF_UF.tar.zst": string(stagetest.Archive(t, member("QF_UF/f/d.smt2"))),
			})
			for round, want := range [][]string{append(m.first, m.each...), m.each} {
				code, text := deepPlan(dir)
				plain := strings.Join(strings.Fields(text), " ")
				for _, part := range want {
					if !strings.Contains(plain, part) {
						t.Errorf("plan %d: nothing says %q:\n%s", round+1, part, text)
					}
				}
				if code != exit.Done {
					t.Errorf("plan %d: exit code %d\n%s", round+1, code, text)
				}
			}
		})
	}
}

// deepPlan plans the pipeline in a folder with --deep.
func deepPlan(dir string) (int, string) {
	var stdout, stderr bytes.Buffer
	code := run([]string{"plan", "--deep", "-p", dir}, strings.NewReader(""), &stdout, &stderr)
	return code, strings.ReplaceAll(stderr.String(), dir+string(filepath.Separator), "")
}
