// Package solver makes a solver ready to be executed by a runner: it unpacks the archive of a submission safely and
// gives its tree a digest, finds the files that an installed program needs, and builds the command line of a track from
// the submission's command. It executes nothing.
package solver
