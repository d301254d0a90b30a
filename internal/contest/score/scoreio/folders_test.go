package scoreio

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
)

// officialFolder writes and reads a folder with official results.
func officialFolder(t *testing.T, name, runs, published string) *Official {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for file, data := range map[string]string{"runs.csv": runs, "published.json": published} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o, err := ReadOfficial(dir, rules.PublishedOf)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestFolders scores small folders for the years and tracks for which no large folder is available. The expected
// figures are computed by hand from the list of the organisers' practices.
func TestFolders(t *testing.T) {
	const (
		noCPU = "benchmark,logic,division,solver,competitive,status,answer,n_correct,error,wall_s\n"
		plain = "benchmark,logic,division,solver,competitive,status,answer,n_correct,error,wall_s,cpu_s\n"
		total = "benchmark,logic,division,solver,competitive,status,answer,n_correct,n_total,error,wall_s,cpu_s\n"
		model = "benchmark,logic,division,solver,competitive,status,answer,n_correct,n_total,error,wall_s,cpu_s,run_status,model_validator_status,model_validator_error,model_validator_exception\n"
	)
	for _, test := range []struct{ name, folder, runs, published string }{
		{
			// QF_LIA, experimental in 2020: (2+1)/(0+1) = 3; QF_BV: (1+1)/(1+1) = 1, time (8+1)/(2+1) = 3.  QF_BV wins.
			name:   "an experimental division leads the list and does not win",
			folder: "2020-model-validation",
			runs: model + `QF_BV/f/a.smt2,QF_BV,QF_BV,A,true,sat,sat,1,1,0,2,2,complete,VALID,-,-
QF_BV/f/a.smt2,QF_BV,QF_BV,B,true,sat,sat,1,1,0,8,8,complete,VALID,-,-
QF_LIA/f/a.smt2,QF_LIA,QF_LIA,B,true,sat,sat,1,1,0,2,2,complete,VALID,-,-
QF_LIA/f/b.smt2,QF_LIA,QF_LIA,B,true,sat,sat,1,1,0,1,1,complete,VALID,-,-
QF_LIA/f/a.smt2,QF_LIA,QF_LIA,A,true,sat,unknown,0,1,0,6,6,complete,INVALID,unhandled_exception,x: ( expected
`,
			published: `{"divisions": {"QF_BV": {"winners": {"parallel": "A"}}, "QF_LIA": {"winners": {"parallel": "B"}}}, "biggest_lead": {"winners": {"sequential": "A", "parallel": "A"},
				"parallel": [{"division": "QF_LIA", "solver": "B", "second": "A", "score": 3, "time_score": 1.75},
				             {"division": "QF_BV", "solver": "A", "second": "B", "score": 1, "time_score": 3}]}}`,
		},
		{
			// The validator checked nothing: "-". A run that it calls INVALID for another error counts as an error even
			// after the wall time limit.
			name:   "model validation of 2020 by the validator's words",
			folder: "2020-model-validation",
			runs: model + `QF_BV/f/a.smt2,QF_BV,QF_BV,A,true,sat,sat,1,1,0,2,2,complete,-,-,-
QF_BV/f/b.smt2,QF_BV,QF_BV,A,true,sat,sat,0,1,1,5,1300,complete,INVALID,other,-
QF_BV/f/a.smt2,QF_BV,QF_BV,B,true,sat,sat,1,1,0,3,3,complete,VALID,-,-
`,
			published: `{"divisions": {"QF_BV": {"n_benchmarks": 2,
				"parallel": [{"solver": "B", "error": 0, "correct": 1, "wall": 3, "cpu": 3, "rank": 1}, {"solver": "A", "error": 1, "correct": 0, "wall": 7, "cpu": 1302, "rank": 2}],
				"sequential": [{"solver": "B", "error": 0, "correct": 1, "wall": 3, "cpu": 3, "rank": 1}, {"solver": "A", "error": 1, "correct": 0, "wall": 1202, "cpu": 1202, "timeout": 1, "rank": 2}]}}}`,
		},
		{
			// L2 is entirely experimental: Y (2+1)/(0+1) = 3 is ahead of QF_Bitvec's (1+1)/(0+1) = 2.
			name:   "the experimental division of 2022 and 2023",
			folder: "2022-model-validation",
			runs: model + `QF_FP/f/a.smt2,QF_FP,QF_FPArith,Y,true,sat,sat,1,1,0,2,2,complete,VALID,-,-
QF_FP/f/b.smt2,QF_FP,QF_FPArith,Y,true,sat,sat,1,1,0,2,2,complete,VALID,-,-
QF_FP/f/a.smt2,QF_FP,QF_FPArith,X,true,sat,unknown,0,1,0,2,2,complete,UNKNOWN,-,-
QF_BV/f/a.smt2,QF_BV,QF_Bitvec,X,true,sat,sat,1,1,0,2,2,complete,VALID,-,-
QF_BV/f/a.smt2,QF_BV,QF_Bitvec,Y,true,sat,unknown,0,1,0,2,2,complete,UNKNOWN,-,-
`,
			published: `{"biggest_lead": {"winners": {"sequential": "X", "parallel": "X"}, "parallel": [{"division": "QF_FPArith", "solver": "Y", "second": "X", "score": 3, "time_score": 0.6},
				{"division": "QF_Bitvec", "solver": "X", "second": "Y", "score": 2, "time_score": 1}]}}`,
		},
		{
			// b is disputed, although A's answer was late. It is removed along with its namesake in L2, so C is not
			// listed. c stays: D is unsound because of a late answer and does not count.
			name:   "disagreements go by the answers as recorded, over the whole track",
			folder: "2021-single-query",
			runs: plain + `L1/f/a.smt2,L1,D,A,true,sat,sat,1,0,1,1
L1/f/a.smt2,L1,D,B,true,sat,unknown,0,0,2,2
L1/f/a.smt2,L1,D,D,true,sat,unsat,0,1,1201,1
L1/f/b.smt2,L1,D,A,true,unknown,sat,1,0,1201,1
L1/f/b.smt2,L1,D,B,true,unknown,unsat,1,0,1,1
L1/f/c.smt2,L1,D,A,true,unknown,sat,1,0,4,4
L1/f/c.smt2,L1,D,D,true,unknown,unsat,1,0,5,5
L2/f/b.smt2,L2,D,C,true,sat,sat,1,0,1,1
`,
			published: `{"divisions": {"D": {"n_benchmarks": 2, "logics": {"L1": 2}, "winners": {"parallel": "A"}, "parallel": [
				{"solver": "A", "error": 0, "correct": 2, "wall": 5, "cpu": 5, "unsolved": 0, "abstained": 0, "timeout": 0, "rank": 1},
				{"solver": "D", "error": 0, "correct": 1, "wall": 1205, "cpu": 1205, "unsolved": 1, "abstained": 0, "timeout": 1, "rank": 2},
				{"solver": "B", "error": 0, "correct": 0, "wall": 2, "cpu": 2, "unsolved": 1, "abstained": 1, "timeout": 0, "rank": 3}]}},
				"logics": {"L1": {"n_benchmarks": 2}}}`,
		},
		{
			// Until 2020, every remaining benchmark counts as unsolved in the sat and unsat views.
			name:   "unsolved of 2019 is without what was removed",
			folder: "2019-single-query",
			runs: plain + `L1/f/a.smt2,L1,L1,A,true,sat,sat,1,0,1,1
L1/f/a.smt2,L1,L1,B,true,sat,unknown,0,0,2,2
L1/f/b.smt2,L1,L1,A,true,unknown,sat,1,0,1,1
L1/f/b.smt2,L1,L1,B,true,unknown,unsat,1,0,1,1
`,
			published: `{"divisions": {"L1": {"n_benchmarks": 1,
				"parallel": [{"solver": "A", "correct": 1, "unsolved": 0}, {"solver": "B", "correct": 0, "unsolved": 1}],
				"unsat": [{"solver": "A", "correct": 0, "wall": 0, "unsolved": 1}, {"solver": "B", "correct": 0, "wall": 0, "unsolved": 1}]}}}`,
		},
		{
			// A crash costs nothing and is not a timeout, whatever its recorded time. A timeout costs T. An answer
			// after 1200 s does not count. CPU times are missing. The second copy of a script does not count.
			name:   "cloud track of 2021",
			folder: "2021-cloud",
			runs: plain + `L/f/a.smt2,L,D,A,true,sat,CRASHED,0,0,1300,-1
L/f/b.smt2,L,D,A,true,sat,TIMEOUT,0,0,0,-1
L/f/c.smt2,L,D,A,true,sat,sat,1,0,1200.1,-1
L/f/c.smt2,L,D,A,true,sat,sat,1,0,7,-1
L/f/d.smt2,L,D,A,true,sat,sat,1,0,30,
`,
			published: `{"divisions": {"D": {"n_benchmarks": 4, "winners": {"parallel": "A", "sat": "A", "unsat": null, "twentyfour": null},
				"parallel": [{"solver": "A", "error": 0, "correct": 1, "wall": 2430, "timeout": 2, "unsolved": 3, "rank": 1}],
				"twentyfour": [{"solver": "A", "error": 0, "correct": 0, "wall": 72, "timeout": 3, "unsolved": 4, "rank": 1}]}}}`,
		},
		{
			// B has a wrong answer on a, and on b a word that is neither sat nor unsat (D-2022-1). A has such a word on
			// c. The lead is (2+1)/(1+1) = 1.5, by time (1212+1)/(33+1) = 35.67647059. In the sat view, A has its
			// error, and B has none (D-ALL-5). The CPU time column is missing and not needed.
			name:   "cloud track of 2022 without CPU times",
			folder: "2022-cloud",
			runs: noCPU + `L/f/a.smt2,L,D,A,true,sat,sat,1,0,10
L/f/a.smt2,L,D,B,true,sat,unsat,0,1,5
L/f/b.smt2,L,D,A,true,unsat,unsat,1,0,20
L/f/b.smt2,L,D,B,true,unsat,timeout,0,0,1200
L/f/c.smt2,L,D,A,true,sat,unknown,0,0,3
L/f/c.smt2,L,D,B,true,sat,sat,1,0,7
`,
			published: `{"divisions": {"D": {"n_benchmarks": 3, "winners": {"parallel": "A", "sat": "B", "unsat": "A"},
				"parallel": [{"solver": "A", "error": 1, "correct": 2, "wall": 33, "solved": 2, "unsolved": 1, "abstained": 0, "rank": 1},
				             {"solver": "B", "error": 2, "correct": 1, "wall": 1212, "solved": 1, "unsolved": 2, "abstained": 0, "rank": 2}]}},
				"biggest_lead": {"winners": {"parallel": "A"}, "parallel": [{"division": "D", "solver": "A", "second": "B", "score": 1.5, "time_score": 35.67647059}]}}`,
		},
		{
			// 2023: neither the timeout nor the unknown costs time or counts as an error.
			name:   "parallel track of 2023 without CPU times",
			folder: "2023-parallel",
			runs: noCPU + `L/f/a.smt2,L,D,A,true,sat,sat,1,0,10
L/f/b.smt2,L,D,A,true,unsat,timeout,0,0,1200
L/f/c.smt2,L,D,A,true,sat,unknown,0,0,3
`,
			published: `{"divisions": {"D": {"n_benchmarks": 3, "winners": {"parallel": "A"},
				"parallel": [{"solver": "A", "error": 0, "correct": 1, "wall": 10, "solved": 1, "unsolved": 2, "abstained": 0, "rank": 1}]}}}`,
		},
		{
			// A: -2 + 3 = 1, B: 1 + 0 = 1; 30 s ranks above 31 s. C: -1, from which no lead can be computed.
			name:   "unsat cores of 2024 that are larger than the recorded assertions",
			folder: "2024-unsat-core",
			runs: total + `L/f/a.smt2,L,D,A,true,unsat,unsat,-2,5,0,10,10
L/f/a.smt2,L,D,B,true,unsat,unsat,1,5,0,31,31
L/f/b.smt2,L,D,A,true,unsat,unsat,3,5,0,20,20
L/f/b.smt2,L,D,B,true,unsat,unknown,0,5,0,40,40
M/f/a.smt2,M,E,A,true,unsat,unsat,2,5,0,10,10
M/f/a.smt2,M,E,C,true,unsat,unsat,-1,5,0,10,10
`,
			published: `{"divisions": {"D": {"winners": {"parallel": "A"},
				"parallel": [{"solver": "A", "error": 0, "correct": 1, "wall": 30, "solved": 2, "unsolved": 0, "rank": 1},
				             {"solver": "B", "error": 0, "correct": 1, "wall": 31, "solved": 1, "unsolved": 1, "rank": 2}]},
				"E": {"parallel": [{"solver": "A", "correct": 2, "rank": 1}, {"solver": "C", "error": 0, "correct": -1, "wall": 10, "solved": 1, "rank": 2}]}}}`,
		},
		{
			// Nobody solved a, whose status is unknown. Nevertheless, it is in the unsat view. The sat view is empty.
			name:   "the unsat view of the unsat-core track has all benchmarks",
			folder: "2024-unsat-core",
			runs: total + `L/f/a.smt2,L,D,A,true,unknown,Timeout,0,5,0,1200.5,1200
L/f/a.smt2,L,D,B,true,unknown,unknown,0,5,0,7,7
L/f/b.smt2,L,D,A,true,unsat,unsat,3,5,0,20,20
L/f/b.smt2,L,D,B,true,unsat,unknown,0,5,0,8,8
`,
			published: `{"divisions": {"D": {"n_benchmarks": 2, "winners": {"unsat": "A", "sat": null},
				"unsat": [{"solver": "A", "correct": 3, "wall": 20, "solved": 1, "unsolved": 1, "abstained": 0, "timeout": 1, "rank": 1},
				          {"solver": "B", "correct": 0, "wall": 0, "solved": 0, "unsolved": 2, "abstained": 0, "timeout": 0, "rank": 2}]}}}`,
		},
		{
			name:   "the sat view of model validation has all benchmarks",
			folder: "2025-model-validation",
			runs: total + `L/f/a.smt2,L,D,A,true,unknown,Timeout,0,1,0,1200.5,1200
L/f/a.smt2,L,D,B,true,unknown,unknown,0,1,0,7,7
L/f/b.smt2,L,D,A,true,sat,sat,1,1,0,20,20
`,
			published: `{"divisions": {"D": {"n_benchmarks": 2, "winners": {"sat": "A", "unsat": null},
				"sat": [{"solver": "A", "correct": 1, "wall": 20, "solved": 1, "unsolved": 1, "abstained": 0, "timeout": 1, "rank": 1},
				        {"solver": "B", "correct": 0, "wall": 0, "solved": 0, "unsolved": 2, "abstained": 0, "timeout": 0, "rank": 2}]}}}`,
		},
		{
			// A timeout within 1200 s of wall time keeps its time, except in the cloud and parallel tracks.
			name:   "single query of 2021",
			folder: "2021-single-query",
			runs:   plain + "L/f/a.smt2,L,D,A,true,sat,timeout,0,0,700,1300\n",
			published: `{"divisions": {"D": {"parallel": [{"solver": "A", "wall": 700, "cpu": 1300, "timeout": 0}],
				"sequential": [{"solver": "A", "wall": 1200, "cpu": 1200, "timeout": 1}]}}}`,
		},
		{
			// 2023: b's time counts because, although no core was accepted, nothing is wrong. The times of a refuted
			// core and of an unknown do not count.
			name:   "unsat cores of 2023",
			folder: "2023-unsat-core",
			runs: total + `L/f/a.smt2,L,D,A,true,unsat,unsat,3,5,0,10,11
L/f/b.smt2,L,D,A,true,unsat,unsat,0,5,0,20,21
L/f/c.smt2,L,D,A,true,unsat,unsat,0,5,1,40,41
L/f/d.smt2,L,D,A,true,unsat,unknown,0,5,0,80,81
`,
			published: `{"divisions": {"D": {"parallel": [{"solver": "A", "error": 1, "correct": 3, "wall": 30, "cpu": 32}]}}}`,
		},
		{
			name:   "models of 2023; the incremental track keeps all times",
			folder: "2023-model-validation",
			runs: model + `L/f/a.smt2,L,D,A,true,sat,sat,1,1,0,10,11,complete,VALID,-,-
L/f/b.smt2,L,D,A,true,sat,sat,0,1,0,20,21,complete,UNKNOWN,-,-
`,
			published: `{"divisions": {"D": {"parallel": [{"solver": "A", "error": 0, "correct": 1, "wall": 10, "cpu": 11}]}}}`,
		},
		{
			name:   "incremental track of 2023",
			folder: "2023-incremental",
			runs:   total + "L/f/a.smt2,L,D,A,true,incremental,incremental,0,4,0,20,21\n",
			published: `{"divisions": {"D": {"winners": {"parallel": null},
				"parallel": [{"solver": "A", "error": 0, "correct": 0, "wall": 20, "cpu": 21, "unsolved": 4, "abstained": 0}]}}}`,
		},
		{
			// A's only core was refuted, which is an error. On b, whose status is unknown, B's sat is also an error.
			// B's time counts; the time of a refuted core whose answer is not in the file does not.
			name:   "sat is an error of the unsat-core track of 2024, whatever the status",
			folder: "2024-unsat-core",
			runs: total + `L/f/a.smt2,L,D,A,true,unsat,UnsatCoreNotValidated,0,9,1,10,10
L/f/b.smt2,L,D,A,true,unknown,unsat,4,9,0,20,20
L/f/b.smt2,L,D,B,true,unknown,sat,0,9,0,30,30
L/f/c.smt2,L,D,B,true,unsat,sat,0,9,1,40,40
`,
			published: `{"divisions": {"D": {"n_benchmarks": 3, "winners": {"parallel": "A", "unsat": "A"},
				"parallel": [{"solver": "A", "error": 1, "correct": 4, "wall": 20, "solved": 1, "unsolved": 2, "rank": 1},
				             {"solver": "B", "error": 2, "correct": 0, "wall": 70, "solved": 2, "unsolved": 1, "rank": 2}],
				"unsat": [{"solver": "A", "error": 1, "correct": 4}, {"solver": "B", "error": 2, "correct": 0}]}}}`,
		},
		{
			// In 2025, D has entrants from two families because of the non-competing entrant, and E has entrants from
			// one. In the 24 s view, only B has a run in D, with an error and nothing solved. C has no run there, but
			// is not a winner either.
			name:   "winners of 2025",
			folder: "2025-single-query",
			runs: total + `L/f/a.smt2,L,D,A-x,true,sat,sat,1,1,0,10,10
L/f/a.smt2,L,D,B,false,sat,sat,1,1,0,5,5
M/f/a.smt2,M,E,A-x,true,sat,sat,1,1,0,10,10
M/f/a.smt2,M,E,a-y,true,sat,sat,1,1,0,20,20
`,
			published: `{"divisions": {"D": {"winners": {"parallel": "A-x"}, "parallel": [{"solver": "A-x", "rank": 1}, {"solver": "B", "rank": null}]},
				"E": {"winners": {"parallel": null}, "parallel": [{"solver": "A-x", "rank": 1}, {"solver": "a-y", "rank": 2}]}}}`,
		},
		{
			// In the 24 s view, only B has runs: one right, one wrong. A has no error and no run, so it is not listed
			// and does not keep B from winning.
			name:   "a solver that a view does not list does not take the win",
			folder: "2024-single-query",
			runs: total + `L/f/a.smt2,L,D,A,true,sat,sat,1,1,0,100,100
L/f/b.smt2,L,D,A,true,sat,sat,1,1,0,100,100
L/f/a.smt2,L,D,B,true,sat,sat,1,1,0,10,10
L/f/b.smt2,L,D,B,true,sat,unsat,0,1,1,10,10
`,
			published: `{"divisions": {"D": {"winners": {"parallel": "A", "twentyfour": "B"},
				"twentyfour": [{"solver": "B", "error": 1, "correct": 1, "abstained": 0, "rank": 1}]}}}`,
		},
		{
			name:   "pages since 2017 print the limit",
			folder: "2018-application",
			runs: plain +
				"L/f/a.smt2,L,L,A,true,incremental,incremental,3,0,10,10\nL/f/a.smt2,L,L,B,true,incremental,incremental,4,0,10,10\n",
			published: `{"divisions": {"L": {"time_limit": 2400, "competitive_division": true, "winners": {"parallel": "B"},
				"parallel": [{"solver": "B", "correct": 4, "rank": 1}, {"solver": "A", "correct": 3, "rank": 2}]}}}`,
		},
		{
			// A needs more CPU time than T: it solves nothing in the sequential table, and its CPU time is capped
			// there.
			name:   "main track of 2015",
			folder: "2015-main",
			runs: plain +
				"L/f/a.smt2,L,L,A,true,sat,sat,1,0,1000,2500\nL/f/a.smt2,L,L,B,true,sat,sat,1,0,2000,2000\n",
			published: `{"divisions": {"L": {"competitive_division": true, "winners": {"parallel": "A", "sequential": "B"},
				"parallel": [{"solver": "A", "correct": 1, "cpu": 2500, "rank": 1}, {"solver": "B", "correct": 1, "rank": 2}],
				"sequential": [{"solver": "B", "correct": 1, "cpu": 2000, "rank": 1}, {"solver": "A", "correct": 0, "cpu": 2400, "rank": 2}]}}}`,
		},
		{
			name:   "the industry challenge is of the kind of its runs",
			folder: "2019-industry-challenge",
			runs:   total + "L/f/a.smt2,L,L,A,true,incremental,incremental,3,4,0,40000,44000\n",
			published: `{"divisions": {"L": {"time_limit": 43200, "winners": {"parallel": "A"},
				"parallel": [{"solver": "A", "error": 0, "correct": 3, "unsolved": 1, "wall": 40000, "cpu": 44000, "timeout": 0}]}}}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := officialFolder(t, test.folder, test.runs, test.published)
			res := computed(t, o)
			differences, cells, err := o.CompareResult(res)
			if err != nil || cells == 0 {
				t.Fatalf("%d cells compared, %v", cells, err)
			}
			for _, d := range differences {
				t.Error(d)
			}
		})
	}
}

// TestFoldersRefused: the proof track has no score, the tables of 2016 to 2018 weight benchmarks in all tracks but one,
// and a folder must contain a run.
func TestFoldersRefused(t *testing.T) {
	const header = "benchmark,logic,division,solver,competitive,status,answer,n_correct,error,wall_s,cpu_s\n"
	for folder, test := range map[string]struct{ runs, want string }{
		"2022-proof-exhibition": {"", "the proof track is not scored"},
		"2022-single-query":     {header, "runs.csv has no runs"},
		"2016-main": {header + "L/f/a.smt2,L,L,A,true,sat,sat,1,0,1,1\n",
			"weigh benchmarks by their families"},
		"2018-unsat-core": {header + "L/f/a.smt2,L,L,A,true,unsat,unsat,1,0,1,1\n",
			"weigh benchmarks by their families"},
		"2022-incremental": {"benchmark,logic,division,solver,competitive,status,wall_s\n",
			"lacks the columns answer, cpu_s"},
		"2023-unsat-core": {header + "L/f/a.smt2,L,L,A,true,unsat,unsat,-1,0,1,1\n",
			`column n_correct cannot be "-1"`},
		"2021-sprint": {header, "year and track are not known"},
	} {
		dir := filepath.Join(t.TempDir(), folder)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "runs.csv"), []byte(test.runs), 0o666); err != nil {
			t.Fatal(err)
		}
		o, err := ReadOfficial(dir, rules.PublishedOf)
		if err == nil {
			_, _, err = o.Practice()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", folder, err, test.want)
		}
	}
}
