package rules

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/admission"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/validate"
)

// TestBuiltin reads every built-in year.
func TestBuiltin(t *testing.T) {
	t.Parallel()
	if len(Names()) == 0 {
		t.Fatal("the program has no years")
	}
	for _, name := range Names() {
		r, diags := Load(name, "")
		if diags.HasErrors() {
			t.Errorf("%s: %v", name, diags)
			continue
		}
		if _, ok := r.Module("tracks"); !ok {
			t.Errorf("%s has no module tracks, nor has what it is based on", name)
		}
	}
}

// write creates a rules folder.
func write(t *testing.T, dir, year string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, yearFile), []byte(year), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestBase checks that a year based on another inherits everything that it does not state itself.
func TestBase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "2027"), `
rules {
  base           = "2026"
  year           = 2027
  title          = "SMT-COMP 2027"
  without_tracks = ["parallel"]
}
divisions {
  tracks = ["single_query"]
  logics = {
    "QF_Strings"   = "QF_S QF_SLIA"
    "QF_MoreStrings" = "QF_SNIA"
    "QF_Datatypes" = ""
  }
}
`)
	r, diags := Load("./2027", dir)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	if r.Year != 2027 || r.Title != "SMT-COMP 2027" || r.Document != "SMT-COMP 2026 rules" ||
		r.Seed.IndexFactor != 100 {
		t.Errorf("got %d %q %q %d", r.Year, r.Title, r.Document, r.Seed.IndexFactor)
	}
	for _, tt := range []struct {
		track string
		logic comp.Logic
		want  comp.Division
	}{
		{"single_query", "QF_SNIA", "QF_MoreStrings"},
		{"single_query", "QF_S", "QF_Strings"},
		{"single_query", "QF_DT", ""},
		{"single_query", "QF_BV", "QF_Bitvec"},
		{"unsat_core", "QF_SNIA", "QF_Strings"},
		{"parallel", "QF_BV", ""},
	} {
		if got, _ := r.Divisions.Of(tt.track, tt.logic); got != tt.want {
			t.Errorf("%s %s is in division %q, want %q", tt.track, tt.logic, got, tt.want)
		}
	}
	if base, _ := divisionsOf(2026); len(base.Divisions("parallel")) == 0 {
		t.Error("the base has lost its parallel track")
	}
	if r.Entrants.First != "" || r.Entrants.Final != "" || r.Entrants.SolversPerTeam != 2 {
		t.Errorf("entrants are %+v; want those of the base without its deadlines", r.Entrants)
	}
	if file, _ := r.Module("tracks"); file != Builtin+"2026/tracks.hcl" {
		t.Errorf("module tracks is %s", file)
	}
}

// TestReasons checks that each year defines the consequences of a reason, with a shared default (SMT-COMP 2026 rules,
// §6: numbers of entrants other than the organisers'; §4 "Derived Tool"). A year overrides the kinds that it names, and
// can add others.
func TestReasons(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, dir, `
rules {
  base  = "2026"
  year  = 2027
  title = "SMT-COMP 2027"
}
entrants {
  reason "no_base" {
    ranked = false
  }
  reason "sponsor" {
    section  = "§9"
    competes = true
    seed     = false
  }
}`)
	r, diags := Load(dir, "")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	for kind, want := range map[string]admission.Rule{
		"comparison": {Section: `§6 "Competitive Divisions and Logics"`, Runs: true, Ranked: true},
		"no_base":    {Section: `§4 "Derived Tool"`, Seed: true, Runs: true},
		"withdrawn":  {Seed: true, Runs: true},
		"sponsor":    {Section: "§9", Runs: true, Competes: true, Ranked: true},
	} {
		if got := r.Entrants.Reasons[kind]; got != want {
			t.Errorf("%s: %+v, want %+v", kind, got, want)
		}
	}
	if of, _ := Load("2026", ""); !of.Entrants.Reasons["no_base"].Ranked {
		t.Error("a year changes the one that it is based on")
	}
}

// TestTracks checks that a year's own tracks use the divisions and the rule set that its rules assign, and that other
// years inherit these tracks.
func TestTracks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "first"), `
rules {
  year     = 2027
  title    = "Horn"
  document = "Horn rules"
}
track "LIA-Lin" { kind = "single_query" }
divisions {
  tracks = ["LIA-Lin"]
  logics = { "linear" = "HORN" }
}
`)
	scoring := `
rule_set {
  year  = 2027
  title = "Horn"
}
score "answers" {
  tracks = ["LIA-Lin"]
  e      = false
  n      = 0
  w      = r.wall_s
  c      = r.cpu_s
}
view "solved" {
  tracks = ["LIA-Lin"]
  order  = ["-n"]
}
`
	if err := os.WriteFile(filepath.Join(dir, "first", scoringFile), []byte(scoring), 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "next"), `
rules {
  base = "../first"
  year = 2028
}
track "Dialogues" { kind = "incremental" }
`)
	r, diags := Load("./next", dir)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	want := comp.Kinds{"LIA-Lin": comp.SingleQuery, "Dialogues": comp.Incremental}
	if diff := cmp.Diff(want, r.Kinds); diff != "" {
		t.Error(diff)
	}
	if d, _ := r.Divisions.Of("LIA-Lin", "HORN"); d != "linear" {
		t.Errorf("HORN is in division %q", d)
	}
	rs, diags := r.Scoring()
	if diags.HasErrors() || !slices.Equal(rs.Scores[0].Tracks, []string{"LIA-Lin"}) {
		t.Error(diags)
	}
	_, _, diags = ParseScoring([]byte(scoring), "alone.hcl", nil)
	if !strings.Contains(diags.Error(), `no track "LIA-Lin"`) {
		t.Errorf("without the track: %v", diags)
	}
	if base, _ := Load("./first", dir); len(base.Kinds) != 1 {
		t.Errorf("the base has the tracks %v", base.Kinds)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	const (
		ours = "rules {\n year = 2027\n title = \"A\"\n document = \"B\"\n}\n"
		cnf  = "language \"CNF\" {\n files = [\"*.cnf\"]\n answer \"sat\" { line = \"^s SAT\" }\n}\n"
	)
	tests := []struct {
		name, year, want string
	}{
		{"unknown base", `rules { base = "1999" }`, `There are no rules for "1999"`},
		{"based on itself", `rules { base = "../year" }`, "leads back to a folder"},
		{"nothing said", `rules {}`, `needs year = ..., a number of four digits, title = "...", document =`},
		{"unknown block", "rules { base = \"2026\" }\nseeds {}\n", "seeds"},
		{"unknown attribute of a block that is merged", "rules { base = \"2026\" }\nseed { factor = 1 }\n", "factor"},
		{"a logic twice", `
rules { base = "2026" }
divisions {
  tracks = ["single_query"]
  logics = { "Mine" = "QF_BV" }
}`, "Logic QF_BV is in the divisions Mine and QF_Bitvec of track single_query"},
		{"no such track to leave out", "rules {\n base = \"2026\"\n without_tracks = [\"quantum\"]\n}", `no track "quantum"`},
		{"a track that is known", "rules { base = \"2026\" }\ntrack \"main\" { kind = \"incremental\" }\n",
			"main is a track of smtpipe already"},
		{"a track twice", "rules { base = \"2026\" }" + strings.Repeat("\ntrack \"A\" { kind = \"proof\" }", 2),
			"another block for the track A"},
		{"an unknown kind", "rules { base = \"2026\" }\ntrack \"A\" { kind = \"B\" }\n", `unknown track "B"`},
		{"a name that is none", "rules { base = \"2026\" }\ntrack \"A/B\" { kind = \"proof\" }\n",
			`"A/B" does not begin`},
		{"a deadline that is no date", "rules { base = \"2026\" }\nentrants { final = \"June 10\" }\n", `not "June 10"`},
		{"syntax", `rules {`, "Unclosed configuration block"},
		{"a track that there is not", `
rules { base = "2026" }
divisions {
  tracks = ["singel_query"]
  logics = { "Mine" = "QF_BV" }
}`, `no track "singel_query"`},
		{"a division without a name", `
rules { base = "2026" }
divisions {
  tracks = ["single_query"]
  logics = { "" = "QF_NEW" }
}`, `"" is not the name of a division`},
		{"nested too deeply for the parser", "rules {\n base = " + strings.Repeat("[", 1_000_000) + "\n}",
			"can be nested at most 200 deep"},
		{"no rules block", ``, "rules"},
		{"two languages", ours + cnf + strings.Replace(cnf, "CNF", "OPB", 1), "There is another language, CNF"},
		{"a language without a name", ours + strings.Replace(cnf, "CNF", "C N F", 1), `"C N F" does not begin`},
		{"a language that is not one", ours + strings.Replace(cnf, "^s SAT", "(", 1), "missing closing )"},
		{"a dialogue in another language", ours + cnf + "track \"A\" { kind = \"incremental\" }\n",
			"the kind is single_query or parallel, and not incremental"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(dir, "year"), tt.year)
			_, diags := Load("./year", dir)
			if !diags.HasErrors() || !strings.Contains(diags.Error(), tt.want) {
				t.Errorf("got %v, want %q", diags, tt.want)
			}
			for _, d := range diags {
				if d.Subject == nil {
					t.Errorf("%s has no place", d.Summary)
				}
			}
		})
	}
	dir := t.TempDir() // a FIFO without a writer
	if err := os.Mkdir(filepath.Join(dir, "year"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "year", yearFile), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, diags := Load("./year", dir); !strings.Contains(diags.Error(), "is not a regular file") {
		t.Errorf("a fifo: %v", diags)
	}
	if _, diags := Load("./none", t.TempDir()); !strings.Contains(diags.Error(), "there is no folder") &&
		!strings.Contains(diags.Error(), "There is no folder") {
		t.Error(cmp.Diff("there is no folder", diags.Error()))
	}
}

// TestValidation checks the documents' rules about answers, cores and models (§3, §5.1, §5.4 to 5.6, §7.1), and the
// organisers' validator in the years between them.
func TestValidation(t *testing.T) {
	t.Parallel()
	documents := map[string]validate.Rules{
		"2008": {DropLate: true},
		"2015": {DropLate: true},
		"2016": {DropLate: true},
		"2018": {DropLate: true},
		"2019": {IllFormedCoreIsWrong: true, PartialModelIsWrong: true, ModelDefinesDeclared: true},
		"2020": {IllFormedCoreIsWrong: true, ModelDefinesDeclared: true},
		"2021": {IllFormedCoreIsWrong: true, ModelDefinesDeclared: true},
		"2022": {StderrIsOutput: true, ModelDefinesDeclared: true},
		"2023": {StderrIsOutput: true},
		"2024": {StderrIsOutput: true},
		"2025": {StderrIsOutput: true},
		"2026": {StderrIsOutput: true, CoreNeedsUnsat: true},
	}
	for name, want := range documents {
		r, diags := Load(name, "")
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if diff := cmp.Diff(want, r.Validation); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
