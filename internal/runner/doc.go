// Package runner executes one command at a time in a slot of the machine, isolates it, limits it and measures it.
//
// A Host is the machine as a driver process uses it: what it can do was found out by doing it when the Host was opened,
// and its cores are divided into slots. Host.Run executes one Command in a free slot and returns a Record. What the
// command printed is captured and never read by this package.
//
// The process tree of an isolated run is
//
//	driver ── init (this binary again, pid 1 of the run's namespaces) ── tool (the command) ── ...
//
// The driver makes the run's cgroups, starts an init while the run before is being cleaned up, and sends it a request
// when there is a command. Init (package initproc) builds the root file system and starts the tool inside the run's
// cgroup, so that nothing of the tool escapes measuring and nothing of init is measured, and reports when it started
// and how it ended. The driver enforces the limits, kills the whole cgroup at the end and reads the counters. Init dies
// with the driver, and the namespaces with init.
//
// Times are of CLOCK_MONOTONIC. The wall time of a run is from just before the clone of the tool to its exit as init
// saw it; CPU time and memory are of the whole tree, without init. Memory is what the kernel charges to the run's
// cgroup, which includes files that it writes to its scratch space. The threat model is in docs/isolation.md.
package runner
