package scramble_test

import (
	"path/filepath"
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fetch"
	"github.com/smtpipe/smtpipe/internal/stages/index"
	"github.com/smtpipe/smtpipe/internal/stages/scramble"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) {
	stagetest.Run(t, scramble.Kind, stagetest.Case{
		Kinds: []*stages.Kind{fetch.Kind, index.Kind},
		Prepare: func(t *testing.T, folder string) {
			stagetest.WriteArchive(t, filepath.Join(folder, "release", "QF_UF.tar.zst"),
				stagetest.Member{Path: "non-incremental/QF_UF/f/a.smt2",
					Text: "(set-logic QF_UF) (assert true) (check-sat)\n"},
				stagetest.Member{Path: "non-incremental/QF_UF/f/b.smt2",
					Text: "(set-logic QF_UF)(assert true)(check-sat)(get-model)\n"},
			)
			const v1 = "(benchmark a :status unsat :source { who } :logic AUFLIA :extrafuns ((f Int Int)) :formula " +
				"(forall (?x Int) (> (f ?x) 0) :pat { (f ?x) }))"
			for _, division := range []string{"AUFLIA+p", "AUFLIA-p"} {
				stagetest.WriteArchive(t, filepath.Join(folder, "version1", division+".tar.zst"),
					stagetest.Member{Path: "non-incremental/" + division + "/f/a.smt", Text: v1})
			}
		},
	})
}
