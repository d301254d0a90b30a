package index_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fetch"
	"github.com/smtpipe/smtpipe/internal/stages/index"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

const head = "(set-info :status sat)\n(set-logic QF_BV)\n"

func TestStage(t *testing.T) {
	stagetest.Run(t, index.Kind, stagetest.Case{
		Kinds: []*stages.Kind{fetch.Kind},
		Prepare: func(t *testing.T, folder string) {
			bv := filepath.Join(folder, "release", "QF_BV.tar.zst")
			stagetest.WriteArchive(t, bv,
				stagetest.Member{Path: "non-incremental/QF_BV/2026-new/deep/a.smt2", Text: head +
					"(assert (and true (or false true)))(assert true)\n(check-sat)\n"},
				stagetest.Member{Path: "non-incremental/QF_BV/old/b.smt2", Text: head + "(check-sat)(check-sat)\n"},
				stagetest.Member{Path: "non-incremental/QF_BV/old/c.smt2", Text: head + "(assert (\n"},
				stagetest.Member{Path: "non-incremental/QF_BV/old/d.smt2", Text: "(check-sat)"},
				stagetest.Member{Path: "non-incremental/QF_BV/README", Text: "not a benchmark"},
			)
			stagetest.WriteArchive(t, filepath.Join(folder, "release", "QF_LIA.tar.zst"),
				stagetest.Member{Path: "incremental/QF_LIA/e.smt2", Text: "(set-logic QF_LIA)(set-info :status " +
					"sat)(check-sat)(set-info :status sat)(check-sat)(set-info :status unsat)(check-sat)(check-sat)"},
				stagetest.Member{Path: "non-incremental/QF_LIA/f/g.smt2",
					Text: "(set-logic QF_LIA)(set-info :category \"crafted\")(check-sat)"},
			)
			same := stagetest.Member{Path: "non-incremental/QF_BV/f/a.smt2", Text: head + "(check-sat)"}
			stagetest.WriteArchive(t, filepath.Join(folder, "twice", "1.tar.zst"), same)
			stagetest.WriteArchive(t, filepath.Join(folder, "twice", "2.tar.zst"), same)
			stagetest.WriteArchive(t, filepath.Join(folder, "escape", "1.tar.zst"),
				stagetest.Member{Path: "non-incremental/../../x.smt2", Text: "x"})
			stagetest.WriteArchive(t, filepath.Join(folder, "none", "1.tar.zst"), stagetest.Member{Path: "x.smt2",
				Text: "x"})
			whole, err := os.ReadFile(bv)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Join(folder, "cut"), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(folder, "cut", "QF_BV.tar.zst"), whole[:len(whole)-20],
				0o666); err != nil {
				t.Fatal(err)
			}
		},
	})
}
