package scoreio

import (
	"strings"
	"testing"
)

func TestBadRows(t *testing.T) {
	good := "x,D,D,single_query,A,a,yes,sat,sat,1,1,4,1200"
	for _, test := range []struct{ name, table, want string }{
		{"empty", "", "runs is empty"},
		{"no rows", handHeader + "\n", "runs has no runs"},
		{"missing column", "benchmark,logic\nx,D", "lacks the columns division, track"},
		{"column twice", handHeader + ",T\n", `names the column "T" twice`},
		{"too few fields", handHeader + "\n" + good + "\nx,D", "line 3 (row 2): there are 2 fields, and the header names 13 columns"},
		{"not finite", handHeader + "\n" + strings.Replace(good, ",1,1,", ",nan,1,", 1), `line 2 (row 1): column wall_s: "nan" is not a number of seconds`},
		{"infinite", handHeader + "\n" + strings.Replace(good, ",1,1,", ",1,inf,", 1), "line 2 (row 1): column cpu_s"},
		{"negative", handHeader + "\n" + strings.Replace(good, ",1,1,", ",-1,1,", 1), "line 2 (row 1): column wall_s"},
		{"empty time", handHeader + "\n" + strings.Replace(good, ",1,1,", ",,1,", 1), "line 2 (row 1): column wall_s is empty"},
		{"duplicate", handHeader + "\n" + good + "\n" + good, "line 3 (row 2): solver A has a second run on benchmark x of division D"},
		{"contradictory status", handHeader + "\n" + good + "\n" + strings.Replace(strings.Replace(good, "A,a", "B,b", 1), "sat,sat", "unsat,sat", 1), `line 3 (row 2): benchmark x of division D has the status "unsat" here and "sat" in an earlier row`},
		{"contradictory team", handHeader + "\n" + good + "\n" + strings.Replace(strings.Replace(good, "x,", "y,", 1), "A,a", "A,b", 1), `line 3 (row 2): solver A is of team "b" here and of team "a" in an earlier row`},
		{"unknown answer", handHeader + "\n" + strings.Replace(good, "sat,sat", "sat,maybe", 1), `column answer cannot be "maybe"`},
		{"unknown track", handHeader + "\n" + strings.Replace(good, "single_query", "sprint", 1), `unknown track "sprint"`},
		{"competitive", handHeader + "\n" + strings.Replace(good, "yes", "perhaps", 1), `column competitive cannot be "perhaps"`},
		{"zero limit", handHeader + "\n" + strings.Replace(good, "1200", "0", 1), "column T is 0"},
		{"open quote", handHeader + "\n\"x,D", "a quote is not closed"},
		{"core larger than its benchmark", handHeader + ",n_assertions,core_size\n" + good + ",3,4", "core_size is 4 and n_assertions 3"},
		{"more answers than queries", handHeader + ",n_checks,n_checks_correct\n" + good + ",3,4", "n_checks is 3"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := ReadRuns(strings.NewReader(test.table), "runs", nil)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// All bad lines are reported at once, and a quoted field, a byte order mark and lines of DOS are no trouble.
func TestInputForms(t *testing.T) {
	_, _, err := ReadRuns(strings.NewReader(handHeader+"\nx,D\ny,D"), "runs", nil)
	if err == nil || !strings.Contains(err.Error(), "line 2") || !strings.Contains(err.Error(), "line 3") {
		t.Errorf("got %v", err)
	}
	runs, warnings, err := ReadRuns(strings.NewReader("\ufeff"+handHeader+",bench_mark\r\n\"x,\"\"1\"\"\",D,D,main,A,a,yes,sat,sat,1,1,4,1200,\r\n\r\n"), "runs", nil)
	if err != nil || runs.Len() != 1 || runs.Tracks[0].Benchmarks[0].Name != `x,"1"` || runs.Tracks[0].Name != "single_query" {
		t.Fatalf("%v, %v", runs, err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0], `column "bench_mark" is not known`) {
		t.Errorf("warnings %q", warnings)
	}
}

// A line may be longer than the blocks in which a file is read.
func TestLongLines(t *testing.T) {
	name := strings.Repeat("a", 3*blockSize)
	runs, _, err := ReadRuns(strings.NewReader(handHeader+"\n"+name+",D,D,main,A,a,yes,sat,sat,1,1,4,1200"), "runs", nil)
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
