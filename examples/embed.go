// Package examples holds the embedded examples of competitions in other languages than SMT-LIB, which "smtpipe init"
// writes out.
package examples

import "embed"

// Files holds a folder for each language. generate.py wrote its benchmarks.
//
//go:embed sat/*.hcl sat/*.py sat/*.csv sat/rules sat/benchmarks
//go:embed optimum/*.hcl optimum/*.py optimum/rules optimum/benchmarks qbf/*.hcl qbf/*.py qbf/rules qbf/benchmarks
var Files embed.FS
