package selection_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/selection"
	"github.com/smtpipe/smtpipe/internal/data/comp"
)

// generatedInput returns a small library in an unusual order. It contains a family with some unlisted new members, a
// new family without listed members, and a new family in an unlisted logic.
func generatedInput() selection.ReplayInput {
	in := selection.ReplayInput{Status: map[string]selection.StatusLine{}}
	statuses := []comp.Status{comp.StatusSat, comp.StatusUnsat, comp.StatusUnknown}
	for _, l := range []struct {
		logic string
		n     int
	}{{"QF_BV", 40}, {"ABV", 3}, {"LIA", 25}} {
		for i := range l.n {
			path := fmt.Sprintf("%s/fam%d/b%03d.smt2", l.logic, i%4, i*7%l.n)
			k := len(in.All)
			in.Status[path] = selection.StatusLine{Status: statuses[k%3], Asserts: k % 5, Sat: k % 2, Unsat: k / 3 % 2}
			in.All = append(in.All, "./"+path)
		}
	}
	for i := range 25 {
		in.New = append(in.New, fmt.Sprintf("./LIA/fam3/b%03d.smt2", i))
	}
	in.New = append(in.New, "QF_BV/fam1/b001.smt2", "QF_BV/fam9/zz.smt2", "./UF/fam0/b.smt2", "./QF_BV/fam1/none.smt2")
	return in
}

// TestReplayIsCPython compares with a Python program that generates the same input and follows the script's
// description, using CPython 3.11.7's random.seed and random.choice. want is the SHA-256 of its lines.
func TestReplayIsCPython(t *testing.T) {
	for _, c := range []struct {
		name string
		opt  selection.ReplayOptions
		n    int
		want string
	}{
		{"plain", selection.ReplayOptions{Seed: big.NewInt(7), MinPerLogic: 10, Ratio: 0.5}, 35,
			"03384b39f5aab17a50adeb33cb9161aa255ab14ac9a6fc25bd781f6f64c9b2d6"},
		{"eligible new", selection.ReplayOptions{Seed: big.NewInt(7), MinPerLogic: 10, Ratio: 0.5, EligibleNew: true},
			35,
			"75aaeef6494870c3a673a167c8e67de9816ed6b638b0c0f2e303bb77ec1704e4"},
		{"unsat", selection.ReplayOptions{Seed: big.NewInt(9), MinPerLogic: 4, Ratio: 0.5, Status: comp.StatusUnsat,
			MinAsserts: 2}, 14,
			"47655cd47030a1a4aa99a25fdd18772f7db3d597b4f8704948833c66e1bf5bb8"},
		{"sat, eligible new", selection.ReplayOptions{Seed: big.NewInt(10), MinPerLogic: 3, Ratio: 0.25,
			EligibleNew: true, Status: comp.StatusSat}, 18,
			"e55528acc1feaeede3aa479aa630dcf71ed09259ae387b869e2bae722eb9c66a"},
		{"one logic", selection.ReplayOptions{Seed: big.NewInt(7), MinPerLogic: 10, Ratio: 0.5,
			Logics: []comp.Logic{"LIA"}}, 12,
			"c62c95bce28406a5be50005d9e36679afdeb73e002683b4b1ba49ecf834239ea"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.opt.Prefix = "/non-incremental/"
			got, err := selection.Replay(generatedInput(), c.opt)
			if err != nil {
				t.Fatal(err)
			}
			digest := sha256.Sum256([]byte(strings.Join(got.Paths, "\n")))
			if len(got.Paths) != c.n || hex.EncodeToString(digest[:]) != c.want {
				t.Errorf("got %d paths with digest %x, want %d with %s:\n%v", len(got.Paths), digest, c.n, c.want,
					got.Paths)
			}
		})
	}
}

// TestReplayGroups expects counts computed by hand.
func TestReplayGroups(t *testing.T) {
	in := generatedInput()
	in.Easy = map[string]bool{"ABV/fam0/b000.smt2": true, "ABV/fam1/b001.smt2": true, "ABV/fam2/b002.smt2": true}
	got, err := selection.Replay(in, selection.ReplayOptions{Seed: big.NewInt(7), MinPerLogic: 10, Ratio: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	want := []selection.ReplayGroup{
		{Logic: "ABV"}, // no benchmark is eligible, so nothing is drawn
		{Logic: "LIA", Eligible: 25, NewFamilies: 1, Quota: 12, Selected: 12}, // int(12.5)
		// fam9 has no listed member
		{Logic: "QF_BV", Eligible: 40, NewFamilies: 2, Quota: 20, Selected: 20},
	}
	if diff := cmp.Diff(want, got.Groups); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
}

func TestReplayKeepsLogicsAfterDrawing(t *testing.T) {
	opt := selection.ReplayOptions{Seed: big.NewInt(7), MinPerLogic: 10, Ratio: 0.5}
	all, err := selection.Replay(generatedInput(), opt)
	if err != nil {
		t.Fatal(err)
	}
	opt.KeepLogics = []comp.Logic{"QF_BV"}
	kept, err := selection.Replay(generatedInput(), opt)
	if err != nil {
		t.Fatal(err)
	}
	if want := all.Paths[len(all.Paths)-20:]; !strings.HasPrefix(want[0], "QF_BV/") {
		t.Fatalf("the last 20 are not those of QF_BV: %v", want)
	} else if diff := cmp.Diff(want, kept.Paths); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

func TestReplayRefuses(t *testing.T) {
	for _, in := range []selection.ReplayInput{{All: []string{"x/y.smt2"}}, {All: []string{"LIA/y.smt2"},
		New: []string{"y.smt2"}}} {
		if _, err := selection.Replay(in, selection.ReplayOptions{Seed: big.NewInt(1)}); err == nil ||
			!strings.Contains(err.Error(), "named like a logic") {
			t.Errorf("%v: got %v", in, err)
		}
	}
}

func TestReadReplayParams(t *testing.T) {
	p, err := selection.ReadReplayParams(strings.NewReader(`{"year": 2023, "track": "proof-exhibition", "seed": "758161884",
		"ratio": 0.25, "min_per_logic": 150, "filter": "unsat", "min_asserts": 0, "colour": 1}`))
	if err != nil {
		t.Fatal(err)
	}
	want := selection.ReplayOptions{Seed: big.NewInt(758161884), MinPerLogic: 150, Ratio: 0.25,
		Prefix:      "/non-incremental/",
		EligibleNew: true, Status: comp.StatusUnsat}
	if diff := cmp.Diff(want, p.Options, cmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	if p.FinalNewline || len(p.Ignored) != 1 || p.Ignored[0] != "colour" {
		t.Errorf("got final newline %v, ignored %v", p.FinalNewline, p.Ignored)
	}
}

func TestReadReplayParamsDefaults(t *testing.T) {
	for _, c := range []struct {
		name, text        string
		prefix            string
		asserts           int
		newline, eligible bool
		logics, keep      int
	}{
		{"incremental 2019 has a final newline", `{"year": 2019, "track": "incremental", "seed": 1}`, "/incremental/",
			0, true, false, 0, 0},
		{"unsat core has two asserts", `{"year": 2021, "track": "unsat-core", "seed": 1, "filter": "unsat"}`,
			"/non-incremental/", 2, false, false, 0, 0},
		{"logics skip", `{"year": 2021, "seed": 1, "logics": ["LIA"]}`, "/non-incremental/", 0, false, false, 1, 0},
		{"logics afterwards", `{"year": 2024, "seed": 1, "logics": ["LIA"], "logics_filter": "applied afterwards"}`,
			"/non-incremental/", 0, true, true, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := selection.ReadReplayParams(strings.NewReader(c.text))
			if err != nil {
				t.Fatal(err)
			}
			o := p.Options
			if o.Prefix != c.prefix || o.MinAsserts != c.asserts || p.FinalNewline != c.newline ||
				o.EligibleNew != c.eligible ||
				len(o.Logics) != c.logics || len(o.KeepLogics) != c.keep || o.MinPerLogic != 300 || o.Ratio != 0.5 {
				t.Errorf("got %+v, final newline %v", o, p.FinalNewline)
			}
		})
	}
	for _, text := range []string{``, `[]`, `{}`, `{"seed": 1.5}`, `{"seed": 1, "filter": "maybe"}`,
		`{"seed": 1, "ratio": 2}`, `{"seed": 1, "min_per_logic": -1}`} {
		if _, err := selection.ReadReplayParams(strings.NewReader(text)); err == nil {
			t.Errorf("%s was accepted", text)
		}
	}
}

func TestReadStatus(t *testing.T) {
	table, err := selection.ReadStatus(strings.NewReader("\ufeffbenchmark,status,number of asserts,host\n" +
		"./LIA/a,b/x.smt2\n" + "\"./LIA/a,b/x.smt2\",unsat,3,h\n" + "LIA/y.smt2,starexec-unknown,,h\n" +
		"/q/LIA/z.smt2,odd,many,h\n" + "LIA/y.smt2,sat,1,h\n" + "LIA/v.smt2,sat,99999999999999999999,h\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]selection.StatusLine{
		// a path with an unquoted comma is split, as in the script
		"LIA/a":          {Status: comp.StatusUnknown},
		"LIA/a,b/x.smt2": {Status: comp.StatusUnsat, Asserts: 3},
		"LIA/y.smt2":     {Status: comp.StatusSat, Asserts: 1}, // the last line counts
		"LIA/z.smt2":     {Status: comp.StatusUnknown},
		"LIA/v.smt2":     {Status: comp.StatusSat},
	}
	if diff := cmp.Diff(want, table.Lines); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
	if len(table.Warnings) != 5 || !strings.Contains(table.Warnings[0], `column "host"`) {
		t.Errorf("warnings: %v", table.Warnings)
	}
	for _, text := range []string{"", "status,benchmarks\n", "benchmark\nx.smt2\n"} {
		if _, err := selection.ReadStatus(strings.NewReader(text)); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}
