// Package quickstart holds the embedded example: a pipeline and a small release, which "smtpipe init" writes.
package quickstart

import "embed"

// Files holds competition.hcl and the folder release, whose benchmarks were written for it.
//
//go:embed competition.hcl all:release
var Files embed.FS
