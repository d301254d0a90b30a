// Package intake opens lists of benchmarks and results of earlier competitions in any known form: the organisers' JSON,
// StarExec's tables, BenchExec's XML, smtpipe's own tables as Parquet, CSV or JSON lines, and plain lists of paths.
// Each may be compressed, or be the only file of a tar archive. The form is determined by a file's bytes, not by its
// name.
//
// Nothing is dropped silently: an unknown column or field is an error that names it.
package intake
