// Package exchange is the folder that a driver and its workers share, such as on a network file system.
//
// It needs nothing of that file system but to create, rename and append: no lock and no mapped file. Every file has one
// writer. A reader takes into account that it sees half a line, an old listing, or a file that another machine has
// removed, and that all of this may last a minute.
package exchange
