package intake_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/data/results"
	"github.com/smtpipe/smtpipe/internal/data/results/intake"
)

// list is a small list in the organisers' form. Benchmark 4 is incremental; benchmarks 0 to 3 are not. Benchmarks 1 and
// 2 have the same task name.
var list = []string{"non-incremental/QF_LIA/20200101-Fam/sub/a.smt2", "non-incremental/QF_LIA/x_y/z.smt2",
	"non-incremental/QF_LIA/x/y_z.smt2", "non-incremental/UF/b.smt2", "incremental/QF_BV/f/i.smt2"}

func mapping(t *testing.T, known []string, files ...string) *intake.Mapping {
	t.Helper()
	m := &intake.Mapping{}
	for i, b := range known {
		m.AddBenchmark(i, b)
	}
	for _, text := range files {
		if err := m.Read(write(t, []byte(text))); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// originalID maps the scripts 0 to 4 to the benchmarks 4 to 0.
const originalID = "scramble_id,file\n0,4\n1,3\n2,2\n3,1\n4,0\n"

func TestPlace(t *testing.T) {
	listed := mapping(t, list)
	scrambled := mapping(t, list, originalID)
	ofCores := mapping(t, list, originalID, `{"0": [{"core": [7, 3], "file": "QF_LIA/scrambled4_0.smt2"}],
		"QF_LIA/scrambled2.smt2": [{"core": [1], "file": "QF_LIA/scrambled2_0.smt2"}, {"core": [1, 2], "file": "QF_LIA/scrambled2_1.smt2"}],
		"3_UF__b.yml": []}`)
	names := &intake.Mapping{} // no list, only scripts
	for _, b := range list {
		names.AddBenchmark(-1, b)
	}
	for _, c := range []struct {
		m    *intake.Mapping
		name string
		want string
		core []int
	}{
		{listed, "../../benchmarks/files/QF_LIA/0_QF_LIA_20200101-Fam__sub_a.yml", list[0], nil},
		{listed, "QF_LIA/1_QF_LIA_x_y_z.yml", list[1], nil},
		{listed, "QF_LIA/2_QF_LIA_x_y_z.yml", list[2], nil},
		{listed, "files/UF/3_UF__b.yml", list[3], nil},
		{listed, "files_inc/QF_BV/4_QF_BV_f_i.yml", list[4], nil},
		{names, "QF_LIA/1041_QF_LIA_20200101-Fam__sub_a.yml", list[0], nil},
		{scrambled, "files/QF_LIA/scrambled4.smt2", list[0], nil},
		{scrambled, "files/QF_LIA/scrambled3.yml", list[1], nil},
		{scrambled, "files/QF_BV/0.yml", list[4], nil},
		{ofCores, "x/QF_LIA/scrambled4_0.smt2", list[0], []int{3, 7}},
		{ofCores, "x/QF_LIA/scrambled2_1.smt2", list[2], []int{1, 2}},
		{nil, "../non-incremental/QF_BV/fam/x.yml", "non-incremental/QF_BV/fam/x.smt2", nil},
		{nil, "QF_BV/12_x.smt2", "non-incremental/QF_BV/12_x.smt2", nil},
		{nil, "QF_BV/2020-fam/12x.yml", "non-incremental/QF_BV/2020-fam/12x.smt2", nil},
	} {
		p, err := c.m.Place(c.name, comp.SingleQuery)
		logic := strings.Split(c.want, "/")[1]
		want := intake.Place{Path: c.want, Logic: comp.Logic(logic), Core: c.core}
		if diff := cmp.Diff(want, p); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", c.name, err, diff)
		}
	}
	p, err := listed.Place("QF_BV/f/x.smt2", comp.Incremental)
	if p.Path != "incremental/QF_BV/f/x.smt2" || err != nil {
		t.Errorf("incremental: %+v, %v", p, err)
	}
	for _, c := range []struct {
		m          *intake.Mapping
		name, want string
	}{
		{nil, "QF_LIA/0_QF_LIA_20200101-Fam__sub_a.yml", "give the organisers' list of benchmarks (benchmarks), or the scripts"},
		{nil, "QF_LIA/scrambled4.smt2", "give the original_id.csv of the track"},
		{nil, "QF_LIA/scrambled4_0.smt2", "give the mapping.json that lies beside these scripts"},
		{scrambled, "QF_LIA/scrambled5.smt2", "there is no script 5 in the mapping"},
		{names, "QF_LIA/1_QF_LIA_x_y_z.yml", "may be about several benchmarks"},
		{listed, "QF_LIA/3_QF_LIA_20200101-Fam__sub_a.yml", "has the number of non-incremental/UF/b.smt2"},
		{mapping(t, nil, originalID), "QF_LIA/scrambled4.smt2", "is about benchmark 0, which is not known"},
		{nil, "x.yml", "not below a folder named like a logic"},
	} {
		if p, err := c.m.Place(c.name, comp.SingleQuery); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v, want ...%s...", c.name, p, err, c.want)
		}
	}
}

func TestMappingRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"other table", "a,b\n1,2\n", "a mapping has scramble_id and file"},
		{"further column", "scramble_id,file,x\n1,2,3\n", "a mapping has scramble_id and file"},
		{"no number", "scramble_id,file\n1,2\nx,2\n", `line 3: ["x" "2"] must be two numbers`},
		{"negative", "scramble_id,file\n-1,2\n", "must be two numbers"},
		{"two tracks", "scramble_id,file\n1,2\n1,3\n", "line 3: script 1 is that of benchmark 2 and of 3"},
		{"XML", "<result/>", "not a mapping"},
		{"script without ids", `{"QF_LIA/scrambled1.smt2": []}`, "give the original_id.csv"},
		{"name", `{"QF_LIA/a.smt2": []}`, "neither the number of a benchmark nor the file of its script"},
		{"shape", `{"1": {"core": [1]}}`, `benchmark "1"`},
		{"empty core", `{"1": [{"core": [], "file": "UF/scrambled1_0.smt2"}]}`, "is empty"},
		{"no file", `{"1": [{"core": [1]}]}`, "without a file"},
		{"one file twice", `{"1": [{"core": [1], "file": "UF/s1_0.smt2"}, {"core": [2], "file": "UF/s1_0.smt2"}]}`, "there twice"},
		{"cut off", `{"1": [{"core": [1], "file": "UF/scrambled1_0.smt2"}]`, "EOF"},
	} {
		err := (&intake.Mapping{}).Read(write(t, []byte(c.text)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want ...%s...", c.name, err, c.want)
		}
	}
}

// parsed is a table that the organisers' tool creates from results. Its answer and track numbers start at 0.
const parsed = "file,logic,cputime_s,memory_B,answer,walltime_s,benchmark_yml,nb_answers,solver,participation,track\n" +
	"0,17,1.5,1000,1,0.5,0_QF_LIA_20200101-Fam__sub_a.yml,-1,A,0,1\n" +
	"3,70,20.5,2000,Timeout,21,3_UF__b.yml,-1,A,0,SingleQuery\n"

func TestParsedResults(t *testing.T) {
	rows, err := intake.History(write(t, []byte(parsed)), intake.Source{Year: 2025, Mapping: mapping(t, list)})
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	a, b := rows[0], rows[1]
	if a.Benchmark != list[0] || a.Logic != "QF_LIA" || a.Answer != "sat" || a.Track != "single_query" ||
		a.CPUTimeS != 1.5 || a.WallTimeS != 0.5 || a.MemoryBytes != 1000 || a.Answers != -1 || a.Solver != "A" {
		t.Errorf("first: %+v", a)
	}
	if b.Benchmark != list[3] || b.Answer != "" || b.Result != "Timeout" {
		t.Errorf("second: %+v", b)
	}
	for _, c := range []struct{ from, to, want string }{
		{"\n0,", "\n-3,", `line 2, column file: "-3" is not the number of a benchmark`},
		{",1,0.5,", ",15,0.5,", `line 2, column answer: "15" must be one of`},
		{",0.5,", ",soon,", `column walltime_s: "soon" is not a number of seconds`},
		{"participation", "colour", `unknown column "colour"`},
		{"0_QF_LIA_2020", "0_QF_LIA_2021", "has the number of " + list[0]},
	} {
		_, err := intake.History(write(t, []byte(strings.Replace(parsed, c.from, c.to, 1))),
			intake.Source{Year: 2025, Mapping: mapping(t, list)})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: got %v, want ...%s...", c.to, c.from, err, c.want)
		}
	}
}

func FuzzMapping(f *testing.F) {
	f.Add(originalID, "QF_LIA/scrambled4.smt2")
	f.Add(`{"0": [{"core": [7, 3], "file": "QF_LIA/scrambled4_0.smt2"}]}`, "QF_LIA/scrambled4_0.smt2")
	f.Add("", "QF_LIA/0_QF_LIA_20200101-Fam__sub_a.yml")
	f.Fuzz(func(t *testing.T, text, name string) {
		m := mapping(t, list)
		_ = m.Read(write(t, []byte(text)))
		p, err := m.Place(name, comp.SingleQuery)
		if err == nil && (p.Path == "" || p.Logic == "" || !slices.IsSorted(p.Core)) {
			t.Errorf("%q: %+v", name, p)
		}
	})
}

// TestSpaces rejects StarExec spaces that are incomplete, nested too deeply, or lack a benchmark.
func TestSpaces(t *testing.T) {
	const begin = `<Spaces><Space name="non-incremental"><Space name="UF"><Benchmark id="7" name="a.smt2"/>`
	const whole = begin + `</Space></Space></Spaces>`
	for text, want := range map[string]string{whole: "", begin: "end prematurely", "<Spaces></Spaces>": "no benchmark",
		strings.Repeat(`<Space name="a">`, 101): "more than 100 are nested", "<a": "spaces of StarExec: "} {
		err := new(intake.Mapping).ReadUnpacked(strings.NewReader(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, err, want)
		}
	}
	var m intake.Mapping
	if err := m.ReadUnpacked(strings.NewReader(whole)); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{"7": "non-incremental/UF/a.smt2 A", "8": "benchmark 8 is not known"} {
		var got string
		table := "benchmark_id,cpu_time,wallclock_time,result\n" + id + ",1,1,sat\n"
		err := intake.ReadStarExec(strings.NewReader(table), intake.Source{Year: 2022, Solver: "A", Mapping: &m},
			func(row *results.HistoryRow) error {
				got = row.Benchmark + " " + row.Solver
				return nil
			})
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("benchmark %s: %s, want %s", id, got, want)
		}
	}
}
