// Package solver prepares a solver for execution by a runner. It unpacks a submission's archive safely, computes the
// digest of its tree, finds the files that an installed program needs, and builds a track's command line from the
// submission's command. It executes nothing.
package solver
