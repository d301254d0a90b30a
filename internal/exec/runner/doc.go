// Package runner executes commands in slots of the machine: each command is isolated, limited and measured.
//
// A Host represents the machine to a driver process. Opening a Host tries out the machine's capabilities and divides
// its cores into slots. Host.Run executes one Command in a free slot and returns a Record. This package captures the
// command's output and never interprets it.
//
// The process tree of an isolated run is
//
//	driver ── init (this binary again, pid 1 of the run's namespaces) ── tool (the command) ── ...
//
// The driver creates the run's cgroups, starts an init while the previous run is being cleaned up, and sends the init a
// request for each command. Init (package initproc) builds the root file system and starts the tool inside the run's
// cgroup, whose counters therefore cover the whole tool but not init. It reports when the tool started and how it
// ended. The driver enforces the limits, kills the whole cgroup at the end and reads the counters. When the driver
// dies, the kernel kills init and removes its namespaces.
//
// Times are from CLOCK_MONOTONIC. A run's wall time starts just before the tool is cloned and ends when init sees its
// exit. CPU time and memory cover the whole process tree except init. Memory is the amount that the kernel charges to
// the run's cgroup, which includes files that it writes to its scratch space. The threat model is in
// docs/run/isolation.md.
package runner
