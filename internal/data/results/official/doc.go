// Package official reads the organisers' JSON files of 2024 and later: benchmarks-YYYY.json and
// results-TRACK-YYYY.json.
//
// The files unpack to more than 100 MB, so both are streamed, one entry at a time.
// Nothing is skipped silently: an unknown field, a missing field and a value of another type are errors that name the
// entry and its place. Package compressed opens the .gz forms.
package official
