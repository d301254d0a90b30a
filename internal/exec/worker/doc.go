// Package worker carries runs to where they are executed: on this machine, by another process, on another machine.
//
// A chunk is a header and works, one JSON object a line. A Work is self-contained: what to execute, what it sees, its
// limits, its input, and the digests by which the worker makes sure that it has the same programs. Nothing in it refers
// to a pipeline. Each work has one Result, a line as well. docs/run/worker.md has the format.
//
// An Executor takes works and returns results. Each kind of executor is a folder below this one and a line in
// worker/all: local is the runner of this machine, process speaks the format with "smtpipe tool worker" behind ssh or
// srun. An executor of a batch system may collect the works of concurrent calls into chunks; that is why Slots may be
// in the thousands.
package worker
