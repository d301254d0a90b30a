// Package mini holds the small releases of years whose language is another one, which "smtpipe init --year" writes out.
package mini

import "embed"

// Files holds a folder release-YEAR for each of these years.
//
//go:embed all:release-2008
var Files embed.FS
