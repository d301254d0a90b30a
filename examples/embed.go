// Package examples holds the templates that "smtpipe init" writes: the embedded examples, copies of a year's
// competition, and the pipelines of frozen folders.
package examples

import "embed"

// Files holds a folder for each language other than SMT-LIB. generate.py wrote its benchmarks.
//
//go:embed sat/*.hcl sat/*.py sat/*.csv sat/rules sat/benchmarks
//go:embed optimum/*.hcl optimum/*.py optimum/rules optimum/benchmarks qbf/*.hcl qbf/*.py qbf/rules qbf/benchmarks
var Files embed.FS
