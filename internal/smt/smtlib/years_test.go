package smtlib_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/data/comp"
	"github.com/smtpipe/smtpipe/internal/smt/smtlib"
)

// TestYears uses the examples in docs/rules about scripts (§5.1 of the rules of 2019, 2022 and 2026). For each rule
// there is a script whose second line violates only this rule.
func TestYears(t *testing.T) {
	const (
		quiet, logic = "(set-option :print-success false)", "(set-logic QF_UF)"
		query, since = "(assert true)(check-sat)", "2019 2022 2026"
		models       = "(set-option :produce-models true)"
		cores        = "(set-option :produce-unsat-cores true)"
	)
	for _, test := range []struct {
		years, name string
		track       comp.Track
		src         string // | precedes the second line; scripts without | comply with the rules
		rule        string
	}{
		{since, "quiet dialogue", comp.Incremental, "|" + quiet + logic + query + "(exit)", "set-option"},
		{"2022 2026", "print-success on", comp.SingleQuery, "|(set-option :print-success true)" + logic + query,
			"set-option"},
		{"2019", "print-success on", comp.SingleQuery, "(set-option :print-success true)" + logic + query, ""},
		{"2019", "print-success twice", comp.SingleQuery, quiet + "|" + quiet + logic + query, "set-option"},
		{"2022 2026", "models second", comp.ModelValidation, "|" + models + logic + query + "(get-model)",
			"set-option"},
		{"2019", "models alone", comp.ModelValidation, models + logic + query + "(get-model)", ""},
		{since, "cores off", comp.UnsatCore, quiet + "|(set-option :produce-unsat-cores false)" + logic + query +
			"(get-unsat-core)", "set-option"},
		{since, "no set-logic", comp.SingleQuery, quiet + "|(declare-fun x () Bool)" + logic + query, "set-logic"},
		{since, "two set-logic", comp.SingleQuery, logic + "|" + logic + query, "set-logic"},
		{since, "set-info anywhere", comp.SingleQuery, logic + "(assert true)(set-info :status sat)(check-sat)", ""},
		{since, "sort with a parameter", comp.SingleQuery, logic + "|(declare-sort S 1)" + query, "declare-sort"},
		{since, "functions", comp.SingleQuery, logic + "(declare-fun f (Bool) Bool)(define-fun g ((x Bool)) Bool x)" +
			query, ""},
		{since, "datatypes without DT", comp.SingleQuery, logic + "|(declare-datatype D ((c)))" + query,
			"declare-datatype"},
		{since, "datatypes with DT", comp.SingleQuery, "(set-logic QF_DT)(declare-datatype D ((c)))" + query, ""},
		{since, "quantifier", comp.SingleQuery, logic + "|(assert (exists ((x Bool)) x))(check-sat)", "assert"},
		{since, "name in single query", comp.SingleQuery, logic + "|(assert (! true :named a))(check-sat)", ":named"},
		{since, "name inside", comp.UnsatCore, quiet + cores + logic + "|(assert (not (! true :named a)))(check-sat)" +
			"(get-unsat-core)", ":named"},
		{since, "two check-sats", comp.SingleQuery, logic + query + "|(check-sat)", "check-sat"},
		{since, "no check-sat", comp.SingleQuery, logic + "|", "check-sat"},
		{since, "dialogue", comp.Incremental, logic + "(push 1)" + query + "(pop 1)(check-sat)(exit)", ""},
		{since, "push 2", comp.Incremental, logic + "|(push 2)" + query + "(pop 2)(exit)", "check-sat"},
		{since, "two cores", comp.UnsatCore, quiet + cores + logic + query + "(get-unsat-core)|(get-unsat-core)",
			"get-unsat-core"},
		{since, "two models", comp.ModelValidation, quiet + models + logic + query + "(get-model)|(get-model)",
			"get-model"},
		{"2022", "two proofs", comp.ProofExhibition, quiet + "(set-option :produce-proofs true)" + logic + query +
			"(get-proof)|(get-proof)", "get-proof"},
		{since, "after exit", comp.SingleQuery, logic + query + "(exit)|(assert true)", "exit"},
		{since, "dialogue without exit", comp.Incremental, logic + query + "|", "exit"},
		{since, "another command", comp.SingleQuery, logic + query + "|(get-info :name)", "no other commands"},
	} {
		for year := range strings.FieldsSeq(test.years) {
			t.Run(year+" "+test.name, func(t *testing.T) {
				var number int
				fmt.Sscan(year, &number)
				found, err := smtlib.CheckScript([]byte(strings.ReplaceAll(test.src, "|", "\n")), test.track,
					rulesOf(t, number))
				switch {
				case err != nil:
					t.Fatal(err)
				case test.rule == "" && len(found) > 0 || test.rule != "" && len(found) == 0:
					t.Fatalf("got %v", found)
				}
				for _, v := range found {
					if !strings.HasPrefix(v.Rule, "SMT-COMP "+year+" rules, §5.1") ||
						!strings.Contains(v.Rule, test.rule) || v.Position.Line != 2 {
						t.Errorf("%v", v)
					}
				}
			})
		}
	}
}
