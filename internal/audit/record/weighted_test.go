package record

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// weightedPage returns a 2017 page with two views.
func weightedPage(title string, benchmarks string, sequential, parallel [][]string) string {
	table := func(id string, heads string, rows [][]string) string {
		out := `<table id="` + id + `"><tr><th>` + strings.ReplaceAll(heads, ",", "</th><th>") + "</th></tr>"
		for _, cells := range rows {
			out += "<tr><td>" + strings.Join(cells, "</td><td>") + "</td></tr>"
		}
		return out + "</table>"
	}
	return "<html><h2>" + title + "</h2><p>Benchmarks in this division: " + benchmarks + "<br>Time Limit: 2400s</p>" +
		table("sequential", "Solver,Error Score,Correct Score,CPU Time,Unsolved", sequential) +
		table("parallel", "Solver,Error Score,Correct Score,CPU Score,WALL Score,Unsolved", parallel) + "</html>"
}

// TestWeighted scores three benchmarks: two in one family, and one in a family of its own. Their weights are
// proportional to (1 + ln 2) / 2 = 0.84657 (twice) and 1, and therefore equal 0.314344 (twice) and 0.371313. A reduces
// a and c by 10 and 4, and b by 7 in 3000 s of CPU time, which is too long for the sequential view. B's core for c is
// wrong, and its reduction does not count.
//
//	A  parallel    n = 3 (0.314344 * 17 + 0.371313 * 4) = 20.487, c = 0.314344 * 3100 + 0.371313 = 974.836,
//	               w = 0.314344 * 2490 + 0.371313 = 783.087
//	   sequential  n = 3 (0.314344 * 10 + 0.371313 * 4) = 13.886, c = 0.314344 * 2500 + 0.371313 = 786.230
//	B  both        e = 3 * 0.371313 = 1.114, n = 0, c = w = 1
func TestWeighted(t *testing.T) {
	const runs = "benchmark,solver,status,cpu time,wallclock time,result,expected,reduction,result-is-erroneous," +
		"number-of-assert-commands\n" +
		"x/UF/f/a.smt2,a,complete,100,90,unsat,unsat,10,0,20\n" +
		"x/UF/f/b.smt2,a,complete,3000,2400,unsat,unsat,7,0,20\n" +
		"x/UF/g/c.smt2,a,complete,1,1,unsat,unsat,4,0,20\n" +
		"x/UF/f/a.smt2,B,complete,1,1,starexec-unknown,unsat,0,0,20\n" +
		"x/UF/f/b.smt2,B,complete,1,1,starexec-unknown,unsat,0,0,20\nx/UF/g/c.smt2,B,complete,1,1,unsat,unsat,9,1,20\n"
	page := weightedPage("UF (Unsat Core Track)", "3",
		[][]string{{"A", "0.000", "13.886", "786.230", "1"}, {"B", "1.114", "0.000", "1.000", "3"}},
		[][]string{{"A", "0.000", "20.487", "974.836", "783.087", "0"}, {"B", "1.114", "0.000", "1.000", "1.000", "3"}})
	for name, test := range map[string]struct {
		old, new string
		want     []Finding
		lacking  bool
	}{
		"nothing": {"", "", nil, false},
		"one figure": {"974.836", "974.837", []Finding{{"UF", "parallel / A / cpu", "974.836", "974.837"}},
			false},
		"a name": {"<td>B</td><td>1.114</td><td>0.000</td><td>1.000</td><td>3<",
			"<td>C</td><td>1.114</td><td>0.000</td><td>1.000</td><td>3<", []Finding{
				{"UF", "sequential / C", "nothing", "a line"}, {"UF", "sequential / B", "a line", "nothing"}}, false},
		"fewer benchmarks": {": 3<", ": 2<", []Finding{{"UF", "n_benchmarks", "3", "2"}}, false},
		"more benchmarks":  {": 3<", ": 4<", nil, true},
	} {
		paths := write(t, map[string]string{"2017/csv/Unsat_Core_Track.csv": runs,
			"2017/results/UF-ucore.html": strings.Replace(page, test.old, test.new, 1)})
		m, err := Gather(paths, 2017)
		if err != nil {
			t.Fatal(err)
		}
		found, n, lacking, _, err := m.Weighted(&Runs{Track: "unsat-core", Names: map[string]string{"a": "A"},
			Divide: strings.ToUpper})
		if err != nil || (n == 0) != test.lacking || (len(lacking) > 0) != test.lacking {
			t.Errorf("%s: %d figures, lacking %v, %v", name, n, lacking, err)
		}
		if diff := cmp.Diff(test.want, found); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// TestWeightedAnswers judges answers in the main track. A and B, which are sound, disagree on d, whose status is
// unknown: d is removed. C is wrong on a; therefore its answer to b, whose status is also unknown, removes nothing. A
// repeated run counts once. The remaining three benchmarks are each a family of one: e and n are numbers of benchmarks,
// and times are means.
func TestWeightedAnswers(t *testing.T) {
	const runs = "benchmark,solver,status,cpu time,wallclock time,result,expected\n" +
		"x/LIA/f/a.smt2,A,complete,1,1,sat,sat\nx/LIA/g/b.smt2,A,complete,2,1,sat,starexec-unknown\n" +
		"x/LIA/h/c.smt2,A,timeout (wallclock),3,1,--,unsat\nx/LIA/h/d.smt2,A,complete,9,9,sat,starexec-unknown\n" +
		"x/LIA/f/a.smt2,B,complete,1,1,sat,sat\nx/LIA/h/d.smt2,B,complete,9,9,unsat,starexec-unknown\n" +
		"x/LIA/f/a.smt2,C,complete,1,1,unsat,sat\nx/LIA/g/b.smt2,C,complete,2,1,unsat,starexec-unknown\n" +
		"x/LIA/h/c.smt2,C,complete,4,1,--,unsat\n"
	const again = "benchmark,solver,status,cpu time,wallclock time,result,expected\n" +
		"x/LIA/h/c.smt2,C,complete,6,1,unsat,unsat\n"
	paths := write(t, map[string]string{"2017/csv/Main_Track.csv": runs, "2017/csv/Main_Track_Rerun.csv": again,
		"2017/report/2016-Main_Track.csv": runs, // belongs to another year
		"2017/results/LIA.html": weightedPage("LIA (Main Track)", "3",
			[][]string{{"A", "0.000", "2.000", "2.000", "1"}, {"B", "0.000", "1.000", "0.333", "2"},
				{"C", "1.000", "2.000", "3.000", "1"}},
			[][]string{{"A", "0.000", "2.000", "2.000", "1.000", "1"}, {"B", "0.000", "1.000", "0.333", "0.333", "2"},
				{"C", "1.000", "2.000", "3.000", "1.000", "1"}})})
	slices.Sort(paths) // in the order in which they are found
	m, err := Gather(paths, 2017)
	if err != nil {
		t.Fatal(err)
	}
	found, n, lacking, _, err := m.Weighted(&Runs{Track: "main", Divide: strings.ToUpper})
	if len(found) > 0 || n != 1+3*4+3*5 || len(lacking) > 0 || err != nil {
		t.Errorf("%d figures, %v, lacking %v, %v", n, found, lacking, err)
	}
}

// TestWeightedRunsInTwoLogics adds a run that a table lists again under another logic.
func TestWeightedRunsInTwoLogics(t *testing.T) {
	w := &weighted{runs: map[string][]ran{}, at: map[[3]string]int{}}
	for _, logic := range []string{"UF", "LIA", "UF"} {
		if err := w.add(map[string]string{"logic": logic, "solver": "A", "benchmark": "UF/f/a.smt2"}); err != nil {
			t.Fatal(err)
		}
	}
	if len(w.runs["UF"]) != 1 || len(w.runs["LIA"]) != 1 {
		t.Errorf("got the runs %v, want one for each logic", w.runs)
	}
}
