package scriptfolder_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/fetch"
	"github.com/smtpipe/smtpipe/internal/stages/filter"
	"github.com/smtpipe/smtpipe/internal/stages/index"
	"github.com/smtpipe/smtpipe/internal/stages/scramble"
	"github.com/smtpipe/smtpipe/internal/stages/scriptfolder"
	"github.com/smtpipe/smtpipe/internal/stages/stagetest"
)

func TestStage(t *testing.T) {
	stagetest.Run(t, scriptfolder.Kind, stagetest.Case{
		Kinds: []*stages.Kind{fetch.Kind, index.Kind, filter.Kind, scramble.Kind},
		Prepare: func(t *testing.T, folder string) {
			var members []stagetest.Member
			for _, name := range strings.Fields("0/r a-b/1 a-b/2 a/1 a/2 c/1") {
				text := "(set-logic QF_UF) (assert true) (check-sat)\n"
				if name == "a/1" {
					text = "(set-logic QF_UF)(assert true)(check-sat)(get-model)\n" // the scrambler rejects it
				}
				members = append(members, stagetest.Member{Path: "non-incremental/QF_UF/" + name + ".smt2", Text: text})
			}
			stagetest.WriteArchive(t, filepath.Join(folder, "release", "QF_UF.tar.zst"), members...)
		},
	})
}
