// Package all lists smtpipe's kinds of stages. A new kind needs one folder next to this one and one line here.
package all

import (
	"github.com/smtpipe/smtpipe/internal/stages"
	"github.com/smtpipe/smtpipe/internal/stages/cap"
	"github.com/smtpipe/smtpipe/internal/stages/command"
	"github.com/smtpipe/smtpipe/internal/stages/confidence"
	"github.com/smtpipe/smtpipe/internal/stages/corevalidation"
	"github.com/smtpipe/smtpipe/internal/stages/execute"
	"github.com/smtpipe/smtpipe/internal/stages/fetch"
	"github.com/smtpipe/smtpipe/internal/stages/filter"
	"github.com/smtpipe/smtpipe/internal/stages/hard"
	"github.com/smtpipe/smtpipe/internal/stages/heat"
	"github.com/smtpipe/smtpipe/internal/stages/importer"
	"github.com/smtpipe/smtpipe/internal/stages/index"
	"github.com/smtpipe/smtpipe/internal/stages/pools"
	"github.com/smtpipe/smtpipe/internal/stages/report"
	"github.com/smtpipe/smtpipe/internal/stages/score"
	"github.com/smtpipe/smtpipe/internal/stages/scramble"
	"github.com/smtpipe/smtpipe/internal/stages/scriptfolder"
	"github.com/smtpipe/smtpipe/internal/stages/solvers"
	"github.com/smtpipe/smtpipe/internal/stages/submissions"
	"github.com/smtpipe/smtpipe/internal/stages/unfit"
	"github.com/smtpipe/smtpipe/internal/stages/validate"
	"github.com/smtpipe/smtpipe/internal/stages/verdicts"
)

// Kinds lists the kinds, sorted by name.
func Kinds() []*stages.Kind {
	return []*stages.Kind{
		cap.Kind,
		command.Kind,
		confidence.Kind,
		execute.Kind,
		fetch.Kind,
		filter.Kind,
		hard.Kind,
		heat.Kind,
		importer.Kind,
		index.Kind,
		pools.Kind,
		report.Kind,
		score.Kind,
		scramble.Kind,
		scriptfolder.Kind,
		solvers.Kind,
		submissions.Kind,
		unfit.Kind,
		corevalidation.Kind,
		validate.Kind,
		verdicts.Kind,
	}
}
