// Package initproc is the first process of a run. It builds the root file system, starts the command, waits for all its
// descendants, and reports to the driver. Package runner starts it from its own program, under the name Name, before
// there is a command to execute.
//
// Importing this package is enough: its init function takes over a process of that name. Go initialises packages in the
// order of their import paths, as far as their imports allow (Go specification, "Program initialization"). Therefore
// this package imports nothing that depends on package reflect or has a path that sorts after its own, such as fmt,
// strings, encoding/binary and golang.org/x/sys/unix. It is initialised before most packages. Initialising those would
// take longer than the rest of a run's overhead. TestInitComesEarly in cmd/smtpipe checks what comes before it.
//
// A process named GuardianName is a guardian. It is part of this package because it starts in the same way.
//
// The process is an ordinary Go program. It lives in the run's namespaces as the first process of its pid namespace,
// and holds nothing that a command could use. See Request for its input.
package initproc
