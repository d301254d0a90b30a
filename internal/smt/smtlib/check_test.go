package smtlib_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/smtpipe/smtpipe/internal/contest/rules"
	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
)

func TestCheckScript(t *testing.T) {
	const (
		quiet = "(set-option :print-success false)"
		logic = "(set-logic QF_UF)"
		query = "(assert true)(check-sat)"
	)
	tests := []struct {
		name  string
		year  int
		track comp.Track
		src   string
		want  []string // line:column rule, for each violation
	}{
		{"single query", 2026, comp.SingleQuery, quiet + logic + query + "(exit)", nil},
		{"exit is optional", 2026, comp.SingleQuery, quiet + logic + query, nil},
		{"set-info before set-logic", 2026, comp.SingleQuery, "(set-info :status sat)" + logic + query, nil},
		{"set-info before set-logic in 2015", 2015, comp.SingleQuery, "(set-info :status sat)" + logic + query,
			[]string{"1:1 3 set-logic ..."}},
		{"no set-logic", 2026, comp.SingleQuery, query, []string{"1:1 set-logic ...", "1:25 set-logic ..."}},
		{"two set-logic", 2026, comp.SingleQuery, logic + "\n" + logic + query, []string{"2:1 set-logic ..."}},
		{"declaration first", 2026, comp.SingleQuery, "(declare-fun x () Bool)\n" + logic + query,
			[]string{"1:1 set-logic ..."}},
		{"option late", 2026, comp.SingleQuery, logic + "\n" + quiet + query, []string{"2:1 set-logic ...",
			"2:1 set-option ..."}},
		{"option late in 2019", 2019, comp.SingleQuery, logic + "\n" + quiet + query, []string{"2:1 set-logic ..."}},
		{"print-success true", 2026, comp.SingleQuery, "(set-option :print-success true)" + logic + query,
			[]string{"1:1 set-option ..."}},
		{"print-success true in 2015", 2015, comp.SingleQuery, "(set-option :print-success true)" + logic + query, nil},
		{"two options", 2015, comp.SingleQuery, quiet + "\n" + quiet + logic + query, []string{"2:1 1 set-option ..."}},
		{"unknown option", 2026, comp.SingleQuery, quiet + "\n(set-option :smt.x 1)" + logic + query,
			[]string{"2:1 set-option ..."}},
		{"two check-sats", 2026, comp.SingleQuery, logic + query + "\n" + query, []string{"2:14 check-sat"}},
		{"no check-sat", 2026, comp.SingleQuery, logic, []string{"1:18 check-sat"}},
		{"after exit", 2026, comp.SingleQuery, logic + query + "(exit)\n(exit)", []string{"2:1 exit"}},
		{"push in single query", 2026, comp.SingleQuery, logic + "\n(push 1)" + query,
			[]string{"2:1 no other commands"}},
		{"declare-const", 2026, comp.SingleQuery, logic + "\n(declare-const a Bool)" + query,
			[]string{"2:1 no other commands"}},
		{"define-fun-rec", 2022, comp.SingleQuery, logic + "\n(define-fun-rec f () Bool f)" + query,
			[]string{"2:1 no other commands"}},
		{"sorts with parameters", 2026, comp.SingleQuery, logic + "\n(declare-sort S 1)\n(define-sort T (X) X)" + query,
			[]string{"2:1 declare-sort ...", "3:1 declare-sort ..."}},
		{"sorts", 2026, comp.SingleQuery, logic + "(declare-sort S 0)(define-sort T () S)" + query, nil},
		{"define-sort in the main track of 2015", 2015, comp.SingleQuery, logic +
			"(declare-sort S 0)\n(define-sort T () S)" + query, []string{"2:1 11 no other commands"}},
		{"datatypes without DT", 2026, comp.SingleQuery, logic + "\n(declare-datatype D ((c)))" + query,
			[]string{"2:1 declare-datatype ..."}},
		{"datatypes with DT", 2026, comp.SingleQuery, "(set-logic QF_DT)(declare-datatype D ((c)))" + query, nil},
		{"datatypes in 2015", 2015, comp.SingleQuery, "(set-logic QF_DT)\n(declare-datatype D ((c)))" + query,
			[]string{"2:1 11 no other commands"}},
		{"quantifier", 2026, comp.SingleQuery, logic + "\n(assert (not (exists ((x U)) true)))(check-sat)",
			[]string{"2:14 assert ..."}},
		{"name in single query", 2026, comp.SingleQuery, logic + "\n(assert (! true :named a))(check-sat)",
			[]string{"2:9 :named"}},
		{"model", 2026, comp.ModelValidation, quiet + "(set-option :produce-models true)" + logic + query +
			"(get-model)(exit)", nil},
		{"model first option", 2026, comp.ModelValidation, "(set-option :produce-models true)" + logic + query +
			"(get-model)", []string{"1:1 set-option ..."}},
		{"model first option in 2019", 2019, comp.ModelValidation, "(set-option :produce-models true)" + logic + query +
			"(get-model)", nil},
		{"no model asked", 2026, comp.ModelValidation, quiet + "(set-option :produce-models true)" + logic + query,
			[]string{"1:108 get-model"}},
		{"model asked twice", 2026, comp.ModelValidation, quiet + "(set-option :produce-models true)" + logic + query +
			"(get-model)\n(get-model)", []string{"2:1 get-model"}},
		{"model option missing", 2026, comp.ModelValidation, quiet + logic + query + "(get-model)",
			[]string{"1:86 set-option ..."}},
		{"model in single query", 2026, comp.SingleQuery, quiet + logic + query + "\n(get-model)",
			[]string{"2:1 no other commands"}},
		{"core", 2026, comp.UnsatCore, quiet + "(set-option :produce-unsat-cores true)" + logic +
			"(assert (! true :named a))(check-sat)(get-unsat-core)", nil},
		{"core with a name inside", 2026, comp.UnsatCore, quiet + "(set-option :produce-unsat-cores true)" + logic +
			"\n(assert (not (! true :named a)))(check-sat)(get-unsat-core)", []string{"2:14 :named"}},
		{"proof in 2022", 2022, comp.ProofExhibition, quiet + "(set-option :produce-proofs true)" + logic + query +
			"(get-proof)", nil},
		{"incremental", 2026, comp.Incremental, logic + "(push 1)" + query + "(pop 1)(check-sat)(exit)", nil},
		{"incremental quiet", 2026, comp.Incremental, quiet + logic + query + "(exit)", []string{"1:1 set-option ..."}},
		{"incremental without exit", 2026, comp.Incremental, logic + query, []string{"1:42 exit"}},
		{"push 2", 2026, comp.Incremental, logic + "\n(push 2)" + query + "(pop 1)\n(pop 1)(exit)",
			[]string{"2:1 check-sat"}},
		{"pop too far", 2026, comp.Incremental, logic + "(push 1)(pop 1)\n(pop 1)" + query + "(exit)",
			[]string{"2:1 check-sat"}},
		{"check-sat before assert in 2015", 2015, comp.Incremental, logic + "\n(check-sat)" + query + "(exit)",
			[]string{"2:1 6 check-sat"}},
		{"a name given twice", 2026, comp.UnsatCore, quiet + "(set-option :produce-unsat-cores true)" + logic +
			"(assert (! true :named a))\n(assert (! false :named |a|))(check-sat)(get-unsat-core)",
			[]string{"2:9 :named"}},
		{"push without a number", 2026, comp.Incremental, logic + "\n(push)" + query + "\n(pop ; 1\n)(exit)",
			[]string{"2:1 check-sat", "3:1 check-sat"}},
		{"reserved words", 2026, comp.SingleQuery, logic + "\n(declare-fun assert () Bool)\n(declare-sort STRING " +
			"0)\n(define-fun |assert| () Bool true)\n(define-fun push ((x Bool)) Bool x)" + query,
			[]string{"2:14 concrete syntax", "3:15 concrete syntax", "5:13 concrete syntax"}},
		{"option after the logic, incremental", 2026, comp.Incremental, logic + "\n(set-option :print-success true)" +
			query + "(exit)", []string{"2:1 set-logic ..."}},
		{"print-success of no truth value", 2026, comp.Incremental, "(set-option :print-success 1)" + logic + query +
			"(exit)", []string{"1:1 set-option ..."}},
		{"print-success of no truth value in 2019", 2019, comp.SingleQuery, "(set-option :print-success)" + logic +
			query, []string{"1:1 set-option :print-success ..."}},
		{"unsat cores in single query", 2026, comp.SingleQuery, quiet + "\n(set-option :produce-unsat-cores true)" +
			logic + query, []string{"2:1 set-option ..."}},
		{"option of the track off", 2026, comp.UnsatCore, quiet + "\n(set-option :produce-unsat-cores false)" + logic +
			query + "(get-unsat-core)", []string{"2:1 set-option ..."}},
		{"core asked before check-sat", 2026, comp.UnsatCore, quiet + "(set-option :produce-unsat-cores true)" + logic +
			"\n(get-unsat-core)" + query, []string{"2:1 get-unsat-core"}},
		{"core asked after another assert", 2026, comp.UnsatCore, quiet + "(set-option :produce-unsat-cores true)" +
			logic + query + "(assert true)\n(get-unsat-core)", []string{"2:1 get-unsat-core"}},
		{"model asked in the track of cores", 2026, comp.UnsatCore, quiet + "(set-option :produce-unsat-cores true)" +
			logic + query + "(get-unsat-core)\n(get-model)", []string{"2:1 no other commands"}},
		{"parallel is as single query", 2026, comp.Parallel, quiet + logic + query + "\n(push 1)",
			[]string{"2:1 no other commands"}},
		{"cloud in 2022", 2022, comp.Cloud, quiet + logic + query + "\n(check-sat)", []string{"2:1 check-sat"}},
		{"proof asked in the industry challenge", 2019, comp.IndustryChallenge, quiet + logic + query + "\n(get-proof)",
			[]string{"2:1 no other commands"}},
		{"core option of 2019 in any place", 2019, comp.UnsatCore, "(set-option :produce-unsat-cores true)" + quiet +
			logic + query + "(get-unsat-core)", nil},
		{"definitions are commands", 2026, comp.SingleQuery, logic + "(define-fun f ((x Bool)) Bool x)" + query, nil},
		{"questions are not commands", 2026, comp.Incremental, logic + query + "\n(get-value (true))\n(echo " +
			"\"a\")\n(reset)\n(reset-assertions)\n(check-sat-assuming ())\n(get-info :name)\n(exit)",
			[]string{"2:1 no other commands", "3:1 no other commands", "4:1 no other commands", "5:1 no other commands",
				"6:1 no other commands", "7:1 no other commands"}},
		{"incremental without check-sat", 2026, comp.Incremental, logic + "(exit)", []string{"1:24 check-sat"}},
		{"datatypes before the logic", 2026, comp.SingleQuery, "(declare-datatype D ((c)))\n(set-logic QF_UF)" + query,
			[]string{"1:1 set-logic ..."}},
		{"set-info after set-logic in 2015", 2015, comp.SingleQuery, quiet + logic +
			"(set-info :source |a|)(set-info :status sat)" + query, nil},
		{"set-info late in 2015", 2015, comp.SingleQuery, logic + "(assert true)\n(set-info :status sat)(check-sat)",
			[]string{"2:1 4 set-info ..."}},
		{"status of a check-sat in 2015", 2015, comp.Incremental, logic + "(assert true)(set-info :status " +
			"sat)(check-sat)(set-info :status sat)(check-sat)\n(set-info :source |a|)(exit)",
			[]string{"2:1 4 set-info ..."}},
		{"set-info late in 2019", 2019, comp.SingleQuery, logic + "(assert true)(set-info :status sat)(check-sat)",
			nil},
		{"sorts with parameters in 2015", 2015, comp.Incremental, logic +
			"\n(declare-sort S 1)\n(define-sort T (X) X)" + query + "(exit)", []string{"2:1 9 declare-sort ..."}},
		{"print-success off in the application track of 2015", 2015, comp.Incremental, quiet + logic + query + "(exit)",
			[]string{"1:1 2 set-option ..."}},
		{"two check-sats in 2015", 2015, comp.SingleQuery, logic + query + "\n(check-sat)",
			[]string{"2:1 5 check-sat"}},
		{"after exit in 2015", 2015, comp.SingleQuery, logic + query + "(exit)\n(assert true)",
			[]string{"2:1 7 exit"}},
		{"quantifier in 2015", 2015, comp.SingleQuery, logic + "\n(assert (exists ((x U)) true))(check-sat)",
			[]string{"2:9 8 assert ..."}},
		{"name in 2015", 2015, comp.SingleQuery, logic + "\n(assert (! true :named a))(check-sat)",
			[]string{"2:9 12 :named"}},
		{"reserved word in 2015", 2015, comp.SingleQuery, logic + "\n(declare-fun push () Bool)" + query,
			[]string{"2:14 concrete syntax"}},
		{"version 1.2", 2008, comp.SingleQuery, "(benchmark b :logic QF_UF :formula true)", nil},
		{"version 2 in 2008", 2008, comp.SingleQuery, logic + query, []string{"1:1 "}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			found, err := smtlib.CheckScript([]byte(tt.src), tt.track, rulesOf(t, tt.year))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, v := range found {
				_, rule, _ := strings.Cut(v.Rule, "§5.1")
				if item, heading, numbered := strings.Cut(rule, ". ("); numbered && tt.year == 2015 {
					rule = strings.TrimPrefix(item, ", ") + " " + heading
				}
				rule = strings.TrimPrefix(rule, " (")
				got = append(got, fmt.Sprintf("%d:%d %s", v.Position.Line, v.Position.Column, strings.TrimSuffix(rule,
					")")))
				if !strings.HasPrefix(v.Rule, fmt.Sprintf("SMT-COMP %d rules, §", tt.year)) {
					t.Errorf("the rule is %q", v.Rule)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("CheckScript(%s):\n%s%v", tt.src, diff, found)
			}
		})
	}
}

// TestCovers checks that a track that the rules do not include is rejected, with an error that lists the rules' tracks.
func TestCovers(t *testing.T) {
	tests := []struct {
		name  string
		year  int
		track comp.Track
		want  string
	}{
		{"no such track", 2026, comp.Cloud, "SMT-COMP 2026 rules: there is no track cloud; the tracks are " +
			"[single_query incremental unsat_core model_validation parallel]"},
		{"between two documents", 2017, comp.UnsatCore, "SMT-COMP 2015 rules: there is no track unsat_core; the tracks " +
			"are [single_query incremental]"},
		{"proof was new in 2022", 2019, comp.ProofExhibition, "SMT-COMP 2019 rules: there is no track proof; the " +
			"tracks are [single_query incremental unsat_core model_validation industry_challenge]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			rules := rulesOf(t, tt.year)
			_, err := smtlib.CheckScript([]byte("(set-logic QF_UF)(check-sat)"), tt.track, rules)
			if asked := rules.Covers(tt.track); asked == nil || asked.Error() != tt.want {
				t.Errorf("Covers: got %v, want %s", asked, tt.want)
			}
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func rulesOf(t *testing.T, year int) *smtlib.ScriptRules {
	t.Helper()
	r, diags := rules.Load(strconv.Itoa(year), "")
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return &r.Scripts
}
