// Package mini holds the small releases of years with a different benchmark language, which "smtpipe init --year"
// writes.
package mini

import "embed"

// Files holds a folder release-YEAR for each of these years, whose benchmarks were written for it.
//
//go:embed all:release-2008
var Files embed.FS
