package confidence_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"github.com/smtpipe/smtpipe/internal/cache"
	"github.com/smtpipe/smtpipe/internal/data/artifact"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/engine"
	"github.com/smtpipe/smtpipe/internal/lang/config"
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/confidence"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) { stagetest.Run(t, confidence.Kind, stagetest.Case{}) }

const pipeline = `
stage "rows" "v" {
  path   = "verdicts.csv"
  schema = "verdicts/1"
}
stage "rows" "again" {
  path   = "again.csv"
  schema = "history/1"
}
stage "confidence" "s" {
  verdicts      = stage.rows.v.verdicts
  rules         = "2026"
  seed          = 1
  again_results = [stage.rows.again.history]
}
`

// TestSensitivityAndNoise uses 32 benchmarks to which two solvers give the same answers. On each, "one" takes 5 s of
// wall time and 2 s of CPU time, and "two" takes 3 s of both. So "one" wins the sequential view with 64 against 96 s of
// CPU time, and "two" wins the others.
//
// Of the readings and switches of 2026, only wall_before_cpu (D-ALL-7) changes a winner: in the sequential view.
//
// A second measurement took twice the CPU time, and additionally 10 % more or less in turn. Without the factor, the
// spread of a measurement is the root of 0.01/2, and the spread of the difference of 32 s is the root of
// 0.005·32·(4+9).
func TestSensitivityAndNoise(t *testing.T) {
	verdicts := []string{"track,benchmark,solver,logic,family,team,competitive,status,answer,verdict,ending,wall_time_s," +
		"cpu_time_s,wall_limit_s,cores,core_size,val_unsat,val_sat,last_wall_s,last_cpu_s"}
	again := []string{"benchmark,year,track,solver,logic,answer,result,cpu_time_s,wall_time_s,answers"}
	for i := range 32 {
		benchmark := fmt.Sprintf("non-incremental/QF_UF/f/u%02d.smt2", i)
		for _, s := range []struct {
			name      string
			wall, cpu float64
		}{{"one", 5, 2}, {"two", 3, 3}} {
			verdicts = append(verdicts, fmt.Sprintf("single_query,%s,%s,QF_UF,f,team %[2]s,true,sat,sat,correct,exited,%v,"+
				"%v,1200,4,-1,-1,-1,-1,-1", benchmark, s.name, s.wall, s.cpu))
			u := 2 * s.cpu * (0.9 + 0.2*float64(i%2))
			again = append(again, fmt.Sprintf("%s,2026,single_query,%s,QF_UF,sat,sat,%v,%v,-1", benchmark, s.name, u,
				s.wall))
		}
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"pipeline.hcl": pipeline, "verdicts.csv": strings.Join(verdicts, "\n"),
		"again.csv": strings.Join(again, "\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	store, err := cache.Open(filepath.Join(dir, "store"), cache.Options{Durability: cache.Relaxed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Close() })
	p, diags := config.Load(config.Options{Path: filepath.Join(dir, "pipeline.hcl"), Kinds: []*stages.Kind{
		confidence.Kind, stagetest.Rows}, Files: stagetest.Files(dir, store), Version: "0.0.0"})
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
	outputs := r.Known["stage.confidence.s"]
	got := read[results.SensitivityRow](t, store, outputs["sensitivity"])
	for i := range got {
		got[i].Doc = ""
	}
	want := []results.SensitivityRow{{Track: "single_query", Division: "QF_Equality", View: "seq",
		Switch: "D-ALL-7 wall_before_cpu", Winners: []string{"one"}, Instead: []string{"two"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sensitivity: -want +got\n%s", diff)
	}
	found := false
	for _, n := range read[results.NoiseRow](t, store, outputs["noise"]) {
		if n.View != "seq" {
			continue
		}
		found = true
		spread := math.Sqrt(0.005)
		if n.Solver != "two" || n.Winner != "one" || n.Clock != "c" || !n.Decides || !n.Exceeds || n.Again != 32 ||
			math.Abs(n.DifferenceS-32) > 1e-9 || math.Abs(n.Spread-spread) > 1e-9 ||
			math.Abs(n.NoiseS-1.96*spread*math.Sqrt(32*13)) > 1e-9 {
			t.Errorf("noise of the sequential view: %+v", n)
		}
	}
	if !found {
		t.Error("nothing is said about the noise of the sequential view")
	}
}

func read[Row any](t *testing.T, store *cache.Store, v cty.Value) []Row {
	t.Helper()
	art, _ := stages.ArtifactOf(v)
	rows, err := artifact.ReadTable[Row](store, art)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
