// Package cache is the store of smtpipe: blobs by digest, stage records by key, and the records of items (runs) in
// append-only journals. It knows only bytes, digests and keys. Their meaning is up to its callers.
//
// A store is a folder:
//
//	format           what wrote it: {"format": 1}
//	blobs/ab/HEX     one file per large blob, raw
//	packs/*.seg      small blobs, in segments
//	items/NAME/*.seg records of items, in segments, one folder per namespace
//	actions/ab/HEX   stage records, JSON
//	state/HEX.json   per pipeline: address → key of its latest record
//	tmp/             files being written
//	lock/            locks of pipelines
//
// Files are written under a temporary name, synced, renamed, and their folder synced. Segments (segment.go) are
// append-only frames with checksums. A process writes only segments that it has locked. A process that dies leaves no
// lock, and loses at most the frames of the last batch. Readers check lengths, checksums and digests: damaged content
// is an error of type *CorruptError, never wrong data.
package cache
