// Package exchange implements the folder that a driver and its workers share, for example on a network file system.
//
// The file system only needs to support creating, renaming and appending. Neither locks nor mapped files are used.
// Every file has exactly one writer. Readers must expect partial lines, outdated listings, and files that another
// machine has removed. Each of these conditions may last a minute.
package exchange
