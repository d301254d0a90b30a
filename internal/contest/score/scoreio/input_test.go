package scoreio

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/contest/score"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/comp/divisions"
)

func TestBadRows(t *testing.T) {
	good := "x,D,D,single_query,A,a,yes,sat,sat,1,1,4,1200"
	for _, test := range []struct{ name, table, want string }{
		{"empty", "", "runs is empty"},
		{"no rows", handHeader + "\n", "runs has no runs"},
		{"missing column", "benchmark,logic\nx,D", "lacks the columns division, track"},
		{"column twice", handHeader + ",T\n", `names the column "T" twice`},
		{"too few fields", handHeader + "\n" + good + "\nx,D",
			"line 3 (row 2): the line has 2 fields, but the header names 13 columns"},
		{"not finite", handHeader + "\n" + strings.Replace(good, ",1,1,", ",nan,1,", 1),
			`line 2 (row 1): column wall_s: "nan" is not a number of seconds`},
		{"infinite", handHeader + "\n" + strings.Replace(good, ",1,1,", ",1,inf,", 1), "line 2 (row 1): column cpu_s"},
		{"negative", handHeader + "\n" + strings.Replace(good, ",1,1,", ",-1,1,", 1), "line 2 (row 1): column wall_s"},
		{"empty time", handHeader + "\n" + strings.Replace(good, ",1,1,", ",,1,", 1),
			"line 2 (row 1): column wall_s is empty"},
		{"duplicate", handHeader + "\n" + good + "\n" + good,
			"line 3 (row 2): solver A has a second run on benchmark x of division D"},
		{"contradictory status", handHeader + "\n" + good + "\n" + strings.Replace(strings.Replace(good, "A,a", "B,b",
			1), "sat,sat", "unsat,sat", 1),
			`line 3 (row 2): benchmark x of division D has the status "unsat" here and "sat" in an earlier row`},
		{"contradictory team", handHeader + "\n" + good + "\n" + strings.Replace(strings.Replace(good, "x,", "y,", 1),
			"A,a", "A,b", 1), `line 3 (row 2): solver A has the team "b" here and "a" in an earlier row`},
		{"unknown answer", handHeader + "\n" + strings.Replace(good, "sat,sat", "sat,maybe", 1),
			`column answer cannot be "maybe"`},
		{"unknown track", handHeader + "\n" + strings.Replace(good, "single_query", "sprint", 1),
			`unknown track "sprint"`},
		{"competitive", handHeader + "\n" + strings.Replace(good, "yes", "perhaps", 1),
			`column competitive cannot be "perhaps"`},
		{"zero limit", handHeader + "\n" + strings.Replace(good, "1200", "0", 1), "column T is 0"},
		{"open quote", handHeader + "\n\"x,D", "a quote is not closed"},
		{"core larger than its benchmark", handHeader + ",n_assertions,core_size\n" + good + ",3,4",
			"core_size is 4 and n_assertions 3"},
		{"more answers than queries", handHeader + ",n_checks,n_checks_correct\n" + good + ",3,4", "n_checks is 3"},
		{"cores", handHeader + "\n" + strings.Replace(good, ",4,1200", ",1048577,1200", 1),
			"column m is 1048577; the most cores that can be scored are 1048576"},
		{"blank name", handHeader + "\n" + strings.Replace(good, "A,a", "A, ", 1),
			`line 2 (row 1): column team is blank: " "`},
		{"not UTF-8", handHeader + "\n" + strings.Replace(good, "A,a", "A\xff,a", 1),
			`line 2 (row 1): column solver has bytes that are not UTF-8: "A\xff"`},
		{"another limit in the benchmark", handHeader + "\n" + good + "\n" +
			strings.Replace(strings.Replace(good, "A,a", "B,b", 1), "1200", "600", 1),
			"line 3 (row 2): column T is 600 here and 1200 in an earlier row of division D"},
		{"another limit in the division", handHeader + "\n" + good + "\n" +
			strings.Replace(strings.Replace(good, "x,", "y,", 1), "1200", "600", 1),
			"line 3 (row 2): column T is 600 here and 1200 in an earlier row of division D"},
		{"other cores in the division", handHeader + "\n" + good + "\n" +
			strings.Replace(strings.Replace(good, "x,", "y,", 1), ",4,", ",8,", 1),
			"line 3 (row 2): column m is 8 here and 4 in an earlier row of division D"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := ReadRuns(strings.NewReader(test.table), "runs", nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestNeedsAndContradictions checks, for tables of runs and of verdicts, that the columns that a track requires must be
// present and that contradictions are rejected.
func TestNeedsAndContradictions(t *testing.T) {
	core := ",track=unsat_core,status=unsat,answer=unsat"
	incremental := ",track=incremental,n_checks=9,n_checks_correct=2,n_checks_wrong=0"
	for _, test := range []struct {
		name string
		rows []string // name=value overrides of a valid row
		want []string
	}{
		{"incremental without its columns", []string{",track=incremental"}, []string{
			"the track incremental needs the column n_checks, which the table lacks",
			"the track incremental needs the column n_checks_correct, which the table lacks",
			"the track incremental needs the column n_checks_wrong, which the table lacks"}},
		{"incremental with an empty column",
			[]string{",track=incremental,n_checks=3,n_checks_correct=,n_checks_wrong=0"},
			[]string{"line 2 (row 1): column n_checks_correct is empty; track incremental needs it"}},
		{"unsat core without sizes", []string{core}, []string{
			"the track unsat_core needs the column n_assertions, which the table lacks",
			"the track unsat_core needs the column core_size, which the table lacks"}},
		{"a core of how many", []string{core + ",n_assertions=,core_size=0"},
			[]string{"column n_assertions is empty; track unsat_core needs it"}},
		{"model validation without verdicts", []string{",track=model_validation"},
			[]string{"the track model_validation needs the column validation, which the table lacks"}},
		{"a model without a verdict", []string{",track=model_validation,validation="},
			[]string{"column validation is empty; the model of an answer sat is VALID, INVALID or UNKNOWN"}},
		{"assertions", []string{core + ",n_assertions=10,core_size=3", core +
			",n_assertions=11,core_size=3,solver=B,team=b"},
			[]string{"line 3 (row 2): benchmark x of division D has n_assertions 11 here and 10 in an earlier row"}},
		{"a stamp without an answer",
			[]string{",track=incremental,n_checks=9,n_checks_correct=0,n_checks_wrong=0,last_wall_s=0.5,last_cpu_s=0.25"}, []string{
				"last_wall_s is 0.5, but n_checks_correct and n_checks_wrong are 0, so there is no answer",
				"last_cpu_s is 0.25, but n_checks_correct and n_checks_wrong are 0, so there is no answer"}},
		{"stamps after the end", []string{incremental + ",last_wall_s=1.5,last_cpu_s=1.25"}, []string{
			"last_wall_s is 1.5 and wall_s is 1; the last answer cannot come after the end of the run",
			"last_cpu_s is 1.25 and cpu_s is 1; the last answer cannot come after the end of the run"}},
		{"solvers", []string{"", ",solver=A ,benchmark=y"},
			[]string{`line 3 (row 2): solver "A " differs from "A" in an earlier row only in blanks`}},
		{"base solvers", []string{",solver=A B", ",solver=C,team=c,base_solver=A  B,benchmark=y"},
			[]string{`solver "A  B" differs from "A B"`}},
		{"teams", []string{"", ",solver=B,team=a\u00a0"}, []string{`team "a\u00a0" differs from "a"`}},
		{"divisions", []string{"", ",division= D,benchmark=y"},
			[]string{`division " D" differs from "D"`}},
		{"logics", []string{"", ",logic=D ,benchmark=y"}, []string{`logic "D " differs from "D"`}},
		{"benchmarks", []string{",benchmark=a b", ",benchmark=ab", ",benchmark=a\tb"}, []string{
			`line 3 (row 2): benchmark "ab" differs from "a b"`,
			`line 4 (row 3): benchmark "a\tb" differs from "a b"`}},
		{"all at once", []string{"", ",T=600,m=8,team=b,status=unknown,benchmark=x",
			",wall_s=,cpu_s=nan,answer=maybe,benchmark=y", ",T=600,solver=Z,team=z,benchmark=z"}, []string{
			"line 3 (row 2): column T is 600 here and 1200 in an earlier row of division D; a division has one time " +
				"limit (also in line 5)",
			"line 3 (row 2): column m is 8", `line 3 (row 2): solver A has the team "b"`,
			`line 3 (row 2): benchmark x of division D has the status "unknown"`,
			"line 4 (row 3): column wall_s is empty", `line 4 (row 3): column cpu_s: "nan"`,
			`line 4 (row 3): column answer cannot be "maybe"`}},
	} {
		for _, verdicts := range []bool{false, true} {
			_, _, err := ReadRuns(strings.NewReader(contradictory(verdicts, test.rows)), "runs", nil)
			for _, want := range test.want {
				if verdicts { // tables of verdicts use other column names and the judging stage's words
					if strings.Contains(want, "cannot be") {
						continue
					}
				}
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s (verdicts %v): got\n%v\nwant %q", test.name, verdicts, err, want)
				}
			}
		}
	}
}

// contradictory writes a table with rows that differ from a valid one as specified.
func contradictory(verdicts bool, rows []string) string {
	good := map[string]string{"benchmark": "x", "logic": "D", "division": "D", "track": "single_query", "solver": "A",
		"team":        "a",
		"competitive": "yes", "status": "sat", "answer": "sat", "wall_s": "1", "cpu_s": "1", "m": "4", "T": "1200"}
	columns := slices.Sorted(maps.Keys(good))
	all := make([]map[string]string, len(rows))
	for i, row := range rows {
		all[i] = maps.Clone(good)
		for _, pair := range strings.Split(row, ",")[1:] {
			name, value, _ := strings.Cut(pair, "=")
			all[i][name] = value
			if !slices.Contains(columns, name) {
				columns = append(columns, name)
			}
		}
	}
	header := slices.Clone(columns)
	if verdicts {
		for i, name := range header {
			header[i] = cmp.Or(verdictNames[name], name)
		}
	}
	lines := []string{strings.Join(header, ",")}
	for _, row := range all {
		var fields []string
		for _, name := range columns {
			fields = append(fields, row[name])
		}
		lines = append(lines, strings.Join(fields, ","))
	}
	return strings.Join(lines, "\n")
}

// TestRegroupedLimits checks that a rule set that regroups must not join runs with different limits.
func TestRegroupedLimits(t *testing.T) {
	year := ruleSet(t, "2022")
	own := strings.Replace(string(year.Source()), "rule_set {", "rule_set {\nregroup = true", 1)
	rs, _, diags := rules.ParseScoring([]byte(own), "own.rules.hcl", nil)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	_, err := score.Compute(t.Context(), rs, handRuns(t, "x A sat sat 1 1 logic=QF_LRA\nx A sat sat 1 1 logic=QF_RDL "+
		"division=E T=600"), score.Readings{})
	if err == nil || !strings.Contains(err.Error(), "different T or m in division QF_LinearRealArith of track "+
		"single_query") {
		t.Error(err)
	}
}

// TestManyProblems checks that the report has one line for a problem in many rows, and that it states the number of
// omitted lines.
func TestManyProblems(t *testing.T) {
	lines := []string{handHeader}
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("x%d,D,D,single_query,A,a,yes,sat,sat,1,,4,1200", i))
		lines = append(lines, fmt.Sprintf("x%d,D,D,single_query,B,b,yes,sat,sat%d,1,1,4,1200", i, i))
	}
	_, _, err := ReadRuns(strings.NewReader(strings.Join(lines, "\n")), "runs", nil)
	for _, want := range []string{
		"runs line 2 (row 1): column cpu_s is empty (also in lines 4, 6, 8, 10, 12 and 34 more)\n",
		`line 39 (row 38): column answer cannot be "sat18"`,
		"runs: showing only the first 20 problems; there are 21 more",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in\n%v", want, err)
		}
	}
}

// TestInputForms checks that all bad lines are reported together, and that a quoted field, a byte order mark and DOS
// line endings are accepted.
func TestInputForms(t *testing.T) {
	_, _, err := ReadRuns(strings.NewReader(handHeader+"\nx,D\ny,D"), "runs", nil)
	if err == nil || !strings.Contains(err.Error(), "line 2") || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("got %v", err)
	}
	runs, warnings, err := ReadRuns(strings.NewReader("\ufeff"+handHeader+
		",bench_mark\r\n\"x,\"\"1\"\"\",D,D,main,A,a,yes,sat,sat,1,1,4,1200,\r\n\r\n"), "runs", nil)
	if err != nil || runs.Len() != 1 || runs.Tracks[0].Benchmarks[0].Name != `x,"1"` ||
		runs.Tracks[0].Name != "single_query" {
		t.Fatalf("%v, %v", runs, err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], `column "bench_mark" is not known`) {
		t.Errorf("warnings %q", warnings)
	}
}

// TestLongLines checks that a line can be longer than the blocks in which the file is read.
func TestLongLines(t *testing.T) {
	name := strings.Repeat("a", 3<<20)
	runs, _, err := ReadRuns(strings.NewReader(handHeader+"\n"+name+",D,D,main,A,a,yes,sat,sat,1,1,4,1200"), "runs",
		nil)
	if err != nil || runs.Tracks[0].Benchmarks[0].Name != name {
		t.Fatal(err)
	}
}

func FuzzReadRuns(f *testing.F) {
	f.Add(handHeader + "\nx,D,D,single_query,A,a,yes,sat,sat,1,1,4,1200\n")
	f.Add(handHeader + "\n\"x\",D,D,main,A,a,yes,sat,,1e1,1,4,1200\n")
	f.Fuzz(func(t *testing.T, table string) {
		runs, _, err := ReadRuns(strings.NewReader(table), "runs", nil)
		if err == nil && runs.Len() == 0 {
			t.Error("no runs and no error")
		}
	})
}

// TestOwnTrack checks that a competition's own track requires the columns of its kind.
func TestOwnTrack(t *testing.T) {
	table := handHeader + "\nb,D,D,Dialogues,A,a,yes,sat,sat,1,1,4,1200"
	divide := DivideBy(divisions.Table{}, nil, comp.Kinds{"Dialogues": comp.Incremental})
	_, _, err := ReadRuns(strings.NewReader(table), "runs", divide)
	if err == nil || !strings.Contains(err.Error(), "the track Dialogues needs the column n_checks,") {
		t.Errorf("got %v", err)
	}
	if _, _, err := ReadRuns(strings.NewReader(table), "runs", nil); err == nil ||
		!strings.Contains(err.Error(), `unknown track "Dialogues"`) {
		t.Errorf("not declared: got %v", err)
	}
	divide = DivideBy(divisions.Table{}, nil, comp.Kinds{"Dialogues": comp.SingleQuery})
	runs, _, err := ReadRuns(strings.NewReader(table), "runs", divide)
	if err != nil || runs.Tracks[0].Name != "Dialogues" {
		t.Errorf("of single queries: got %v, %v", runs, err)
	}
}
