// Package initproc is the first process of a run. It builds the root file system, starts the command, waits for all its
// descendants, and reports to the driver. Package runner starts its own program as this process, with the name Name,
// before there is a command to execute.
//
// Importing this package is enough: its init function takes over a process with that name. Go initialises packages in
// import path order once their imports are initialised (Go specification, "Program initialization"). Therefore this
// package imports nothing that depends on package reflect or has a path that sorts after its own, such as fmt, strings,
// encoding/binary and golang.org/x/sys/unix. As a result, most packages are initialised later; initialising them first
// would take longer than the rest of a run's overhead. TestInitComesEarly in cmd/smtpipe checks which packages come
// first.
//
// The process is an ordinary Go program. It lives in the run's namespaces as the first process of its pid namespace,
// and holds nothing of use to a command. Request describes its input.
package initproc
