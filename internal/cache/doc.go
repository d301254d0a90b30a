// Package cache is the store of smtpipe: blobs by digest, stage records by key, and the records of items (runs) in
// append-only journals. It handles only bytes, digests and keys, which its callers interpret.
//
// A store is a folder:
//
//	format           version of this layout: {"format": 1}
//	blobs/ab/HEX     large blobs, one file each, uncompressed
//	packs/*.seg      small blobs, in segments
//	items/NAME/*.seg records of items, in segments; one folder per namespace
//	actions/ab/HEX   stage records, JSON
//	state/HEX.json   one per pipeline: address → key of its latest record
//	tmp/             files being written
//	lock/            locks of pipelines
//
// A file is written under a temporary name, synced and renamed; then its folder is synced. A segment (segment.go) is an
// append-only sequence of frames with checksums. A process writes only segments that it has locked. A process that dies
// leaves no lock; a power failure loses at most the last batch of frames. Readers check lengths, checksums and digests:
// they return a *CorruptError for damaged content, never wrong data.
package cache
