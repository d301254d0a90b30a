package score_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/score"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) { stagetest.Run(t, score.Kind, stagetest.Case{}) }

// scoresOf executes an archive's pipeline and returns a table of scores by column, without the rows for logics.
func scoresOf(t *testing.T, archive, stage string) []map[string]string {
	t.Helper()
	return slices.DeleteFunc(tableOf(t, archive, stage, "scores"), func(row map[string]string) bool {
		return row["logic"] != ""
	})
}

// tableOf executes an archive's pipeline and returns an output's rows by column.
func tableOf(t *testing.T, archive, stage, output string) []map[string]string {
	t.Helper()
	_, r, store := executed(t, archive)
	art, _ := stages.ArtifactOf(r.Known[stage][output])
	var b strings.Builder
	if err := artifact.ExportTable(&b, store, art, results.CSV); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, line := range lines[1:] {
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = line[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// executed executes an archive's pipeline.
func executed(t *testing.T, archive string) (*engine.Engine, *engine.Result, *cache.Store) {
	t.Helper()
	dir := stagetest.Folder(t, archive)
	store, err := cache.Open(filepath.Join(dir, "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	p, diags := config.Load(config.Options{Path: filepath.Join(dir, "pipeline.hcl"), Kinds: []*stages.Kind{score.Kind,
		stagetest.Rows}, Files: stagetest.Files(dir, store), Version: "0.0.0"})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	e, err := engine.New(p, engine.Options{Store: store, Folder: dir, Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	r, diags, err := e.Run(context.Background())
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	return e, r, store
}

// TestCompareTracks checks that rankings of different tracks are not compared.
func TestCompareTracks(t *testing.T) {
	e, _, _ := executed(t, "testdata/tracks.txtar")
	_, err := e.Compare(context.Background(), "stage.score.one", "stage.score.other")
	const want = "one ranks the track single_query, the other the track parallel; rankings of different tracks " +
		"cannot be compared"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestRemoved checks that benchmarks removed after the runs are not scored. The archive contains the calculation by
// hand.
func TestRemoved(t *testing.T) {
	for stage, want := range map[string][]string{
		"stage.score.all": {
			"QF_LinearIntArith bad: rank=1 e=0 n=0 of 2", "QF_LinearIntArith good: rank=2 e=1 n=1 of 2",
			"QF_LinearRealArith bad: rank=1 e=0 n=1 of 1", "QF_LinearRealArith good: rank=2 e=0 n=0 of 1",
		},
		"stage.score.left": {
			"QF_LinearIntArith bad: rank=2 e=0 n=0 of 1", "QF_LinearIntArith good: rank=1 e=0 n=1 of 1",
		},
	} {
		var got []string
		for _, r := range scoresOf(t, "testdata/removed.txtar", stage) {
			if r["view"] == "par" {
				got = append(got, fmt.Sprintf("%s %s: rank=%s e=%s n=%s of %s",
					r["division"], r["solver"], r["rank"], r["e"], r["n"], r["n_benchmarks"]))
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", stage, diff)
		}
	}
}

// TestRecognised checks that the stage outputs recognitions other than rankings. The archive contains the calculation
// by hand.
func TestRecognised(t *testing.T) {
	for stage, want := range map[string][]string{
		"stage.score.s2008": {
			"single_query top_open_source points 1 new QF_UF won",
		},
		"stage.score.s2015": {
			"incremental best_industrial par 1 old QF_LIA 3 5 won", "incremental best_industrial par 2 new QF_LIA 2 1",
			"incremental top_open_source par 1 new QF_LIA won",
			"single_query best_industrial par 1 new QF_UF 2 2 won",
			"single_query best_industrial par 2 closed QF_UF 2 5",
			"single_query best_industrial par 3 old QF_UF 1 15",
			"single_query best_new_entrant par 1 new won",
			"single_query breadth 1 closed 1 won", "single_query breadth 2 new 1 won",
			"single_query breadth 3 old 1 won",
			"single_query competition_wide par 1 closed 1.0986 won",
			"single_query competition_wide par 2 new 0.4883 won", "single_query competition_wide par 3 old 0.4883 won",
			"single_query new_benchmarks 1 20190101-Foo 2 won",
			"single_query top_open_source par 1 new QF_UF won",
		},
		"stage.score.s2019": {
			"single_query new_benchmarks 1 20190101-Foo 2 won",
			"single_query new_entrants 24s 1 new QF_UF 1 old won",
			"single_query new_entrants par 1 new QF_UF 1 old won",
			"single_query new_entrants unsat 1 new QF_UF 2 closed won",
		},
	} {
		var got []string
		for _, r := range tableOf(t, "testdata/recognised.txtar", stage, "recognitions") {
			if r["view"] == "seq" || r["kind"] == "biggest_lead" || r["kind"] == "largest_contribution" {
				continue // the times are the same, and other tests cover them
			}
			got = append(got, recognised(t, r))
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", stage, diff)
		}
	}
}

// TestBarred checks that a portfolio solver, in a track where none may win, is ranked but wins nothing (SMT-COMP 2022
// and 2026 rules, §4). The archive contains the calculation by hand.
func TestBarred(t *testing.T) {
	const archive, stage = "testdata/barred.txtar", "stage.score.s"
	want := map[string]string{"port": "1 false false a portfolio solver", "one": "2 true true ", "two": "3 false true "}
	for _, r := range scoresOf(t, archive, stage) {
		got := strings.Join([]string{r["rank"], r["winner"], r["eligible"], r["barred"]}, " ")
		if r["view"] == "par" && got != want[r["solver"]] {
			t.Errorf("%s: got %q, want %q", r["solver"], got, want[r["solver"]])
		}
	}
	won := map[string][]string{}
	for _, r := range tableOf(t, archive, stage, "recognitions") {
		if r["view"] != "par" || r["winner"] != "true" {
			continue
		}
		won[r["kind"]] = append(won[r["kind"]], strings.TrimSpace(r["solver"]+" "+r["second"]))
	}
	recognised := map[string][]string{"best_overall": {"one"}, "biggest_lead": {"one two"}}
	if diff := cmp.Diff(recognised, won); diff != "" {
		t.Error(diff)
	}
}

// recognised formats a row of recognitions as one line.
func recognised(t *testing.T, r map[string]string) string {
	t.Helper()
	line := []string{r["track"], r["kind"], r["view"], r["place"], r["solver"], r["item"], r["division"]}
	for _, name := range []string{"score", "time_score"} {
		f, err := strconv.ParseFloat(r[name], 64)
		if err != nil {
			t.Fatal(err)
		}
		if f != 0 && (name == "score" || r["kind"] == "best_industrial") {
			line = append(line, fmt.Sprint(math.Round(f*1e4)/1e4))
		}
	}
	line = append(line, r["second"])
	if r["winner"] == "true" {
		line = append(line, "won")
	}
	return strings.Join(strings.Fields(strings.Join(line, " ")), " ")
}

// TestTuples compares the small example's sums with those computed by hand in its archive.
func TestTuples(t *testing.T) {
	got := map[string]string{}
	for _, row := range scoresOf(t, "testdata/small.txtar", "stage.score.s") {
		key := row["view"] + " " + row["solver"]
		for _, c := range []string{"rank", "e", "n", "aw_s", "w_s", "ac_s", "c_s"} {
			got[key] += c + "=" + row[c] + " "
		}
	}
	want := map[string]string{
		"par fast":  "rank=1 e=0 n=2 aw_s=1203 w_s=3 ac_s=1203 c_s=3 ",
		"par slow":  "rank=2 e=1 n=1 aw_s=16 w_s=10 ac_s=16 c_s=10 ",
		"par2 fast": "rank=1 e=0 n=2 aw_s=1203 w_s=2403 ac_s=1203 c_s=2403 ",
		"par2 slow": "rank=2 e=1 n=1 aw_s=16 w_s=4810 ac_s=16 c_s=4810 ",
	}
	for key, w := range want {
		if diff := cmp.Diff(w, got[key]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", key, diff)
		}
	}
}

// TestExplainItem checks that a cell's sums are listed with the runs behind them. The archive contains the calculation
// by hand.
func TestExplainItem(t *testing.T) {
	dir := stagetest.Folder(t, "testdata/small.txtar")
	store, err := cache.Open(filepath.Join(dir, "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	p, diags := config.Load(config.Options{Path: filepath.Join(dir, "pipeline.hcl"), Kinds: []*stages.Kind{score.Kind,
		stagetest.Rows}, Files: stagetest.Files(dir, store), Version: "0.0.0"})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	e, err := engine.New(p, engine.Options{Store: store, Folder: dir, Jobs: 1})
	if err != nil {
		t.Fatal(err)
	}
	if _, diags, err := e.Run(context.Background()); err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	const b = "non-incremental/QF_LIA/f/b"
	slow := map[string]string{
		"errors": "1", "correct": "1", "wall_time_s": "10", "actual_wall_time_s": "16",
		b + "1.smt2": "sat, status sat: e=0 n=1 w=10 c=10 aw=10 ac=10",
		b + "2.smt2": "sat, status unsat: e=1 n=0 w=0 c=0 aw=5 ac=5",
		b + "3.smt2": "unknown, status sat: e=0 n=0 w=0 c=0 aw=1 ac=1",
	}
	tests := []struct {
		name, item string
		want       map[string]string
		err        string
	}{
		{"a division", "QF_LinearIntArith/par/slow", slow, ""},
		{"its logic", "QF_LIA/par/slow", slow, ""},
		{"with the track", "single_query/QF_LIA/par/slow", slow, ""},
		{"of one status", "QF_LIA/sat/slow", map[string]string{"correct": "1", b +
			"2.smt2": "sat, status unsat: not counted in this view"}, ""},
		{"no view", "QF_LIA/slow", nil, "DIVISION/VIEW/SOLVER"},
		{"unknown view", "QF_LIA/parr/slow", nil, `no view "parr"`},
		{"unknown division", "QF_BV/par/slow", nil, `no division "QF_BV"`},
		{"unknown solver", "QF_LIA/par/slower", nil, `no solver "slower"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			explained, err := e.ExplainItem("stage.score.s", tt.item)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("got %v, want an error with %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, c := range explained.Components {
				got[c.Name] = c.Value
			}
			for name, want := range tt.want {
				if got[name] != want {
					t.Errorf("%s is %q, want %q", name, got[name], want)
				}
			}
		})
	}
}
