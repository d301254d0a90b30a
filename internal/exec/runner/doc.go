// Package runner executes one command at a time in a slot of the machine, isolates it, limits it and measures it.
//
// A Host is the machine as a driver process uses it. Opening a Host finds the machine's capabilities by trying them,
// and divides its cores into slots. Host.Run executes one Command in a free slot and returns a Record. This package
// captures the command's output and never interprets it.
//
// The process tree of an isolated run is
//
//	driver ── init (this binary again, pid 1 of the run's namespaces) ── tool (the command) ── ...
//
// The driver creates the run's cgroups, starts an init while the previous run is being cleaned up, and sends it a
// request when there is a command. Init (package initproc) builds the root file system and starts the tool inside the
// run's cgroup, so that the measurements cover all of the tool and nothing of init. It reports when the tool started
// and how it ended. The driver enforces the limits, kills the whole cgroup at the end and reads the counters. Init dies
// with the driver, and the namespaces with init.
//
// Times are from CLOCK_MONOTONIC. The wall time of a run is from just before the clone of the tool to its exit as init
// saw it; CPU time and memory cover the whole tree, without init. Memory is the amount that the kernel charges to the
// run's cgroup, which includes files that it writes to its scratch space. The threat model is in docs/run/isolation.md.
package runner
