// Package worker passes runs to the places where they are executed: this machine, another process, or another machine.
//
// A chunk consists of a header and works, with one JSON object per line. A Work is self-contained: it describes the
// command, what the run sees, its limits and its input. Digests let the worker check that it has the same programs. A
// Work never refers to a pipeline. Each work has one Result, which is also a line. docs/run/worker.md documents the
// format.
//
// An Executor takes works and returns results. Each kind of executor is a folder below this one and a line in
// worker/all: local uses this machine's runner, and process speaks the format with "smtpipe tool worker" behind ssh or
// srun. An executor for a batch system may collect the works of concurrent calls into chunks, so Slots may be in the
// thousands.
package worker
