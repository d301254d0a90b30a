// Package report writes the output for people: a static site of rankings, plots and runs, and the same content as files
// for programs and papers. It uses only the rows of tables, decides nothing and computes no scores.
//
// The site is a single folder with relative links. It works from file:// and behind any web server, loads nothing from
// other hosts, and allows no inline script (Content-Security-Policy in every page). Every text in the tables (names of
// solvers and benchmarks, outputs, addresses) is treated as hostile: pages use html/template, data files are JSON
// within a script file with < > & escaped, and CSV cells cannot start a formula.
//
// Equal input produces equal bytes: nothing depends on the clock, the host or the order of maps.
package report
