// Package initproc is the first process of a run: it builds the root file system, starts the command, waits for all
// that becomes of it, and reports to the driver. Package runner starts it from its own program, under the name Name,
// before there is a command to execute.
//
// Importing this package is enough: its init function takes over a process of that name. Go initialises packages in the
// order of their import paths, as far as their imports allow (Go specification, "Program initialization"). So it
// imports nothing that waits for package reflect or has a path behind its own, as fmt, strings, encoding/binary and
// golang.org/x/sys/unix, and has its turn before most packages, which would take longer to initialise than the rest of
// a run's overhead takes. TestInitComesEarly of cmd/smtpipe looks at what comes before it.
//
// A process of the name GuardianName is a guardian, which is here because it begins in the same way.
//
// The process is an ordinary Go program. It lives in the namespaces of the run, as the first process of its pid
// namespace, and holds nothing that a command could use: see Request for what it is told.
package initproc
