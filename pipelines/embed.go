// Package pipelines embeds the competitions that smtpipe knows: the rules of each year in its own folder, modules
// that years share, and a competition file for each year with a rules document.
package pipelines

import "embed"

// Files has YEAR/year.rules.hcl, YEAR/scoring.rules.hcl, YEAR/tracks.hcl, modules/NAME.hcl, competition-YEAR.hcl,
// draw-YEAR.hcl, and the lists and programs that these name.
//
//go:embed *.hcl *.csv */*.hcl */smt12
var Files embed.FS
