// Package exchange is the folder that a driver and its workers share, for example on a network file system.
//
// The file system only needs to support creating, renaming and appending. Neither locks nor mapped files are used.
// Every file has one writer. A reader must expect half a line, an outdated listing, or a file that another machine has
// removed, and all of this may last a minute.
package exchange
