// Package chc holds the embedded example of a different competition, which "smtpipe init competition" writes.
package chc

import "embed"

// Files holds competition.hcl and the folders rules and release. generate writes release.
//
//go:embed competition.hcl rules all:release
var Files embed.FS
