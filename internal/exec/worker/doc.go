// Package worker carries runs to where they are executed: on this machine, in another process, or on another machine.
//
// A chunk is a header and works, one JSON object per line. A Work is self-contained. It holds what to execute, what the
// run sees, its limits, its input, and the digests with which the worker checks that it has the same programs. Nothing
// in it refers to a pipeline. Each work has one Result, which is also a line. docs/run/worker.md documents the format.
//
// An Executor takes works and returns results. Each kind of executor is a folder below this one and a line in
// worker/all: local uses this machine's runner, and process speaks the format with "smtpipe tool worker" behind ssh or
// srun. An executor for a batch system may collect the works of concurrent calls into chunks, so Slots may be in the
// thousands.
package worker
