package limits

// The files of a frozen folder. The limits leave room for the digests of a million files, as many as a release of
// benchmarks has.
var (
	Lock = Of{What: "a lock", Bytes: 192 << 20, Items: 1_000_000}
	Sums = Of{What: "a list of digests", Bytes: 192 << 20, Items: 1_000_000}
	// A record of a stage names each of its arguments and inputs, such as a limit or a solver.
	StageRecord = Of{What: "the record of a stage", Bytes: 64 << 20, Items: 1_000_000, Nesting: 64}
	Signature   = Of{What: "a signature", Bytes: 64 << 10}
	Signers     = Of{What: "a list of keys", Bytes: 1 << 20, Items: 10_000}
)

// Submission bounds submission files. Those of 2024 to 2026 have at most 7 kB; each check looks at a hundred logics for
// each participation.
var Submission = Of{What: "a submission", Bytes: 1 << 20, Items: 20_000, Nesting: 64}

// Message bounds what an editor sends: at most an HCL file as a JSON string.
var Message = Of{What: "a message of an editor", Bytes: 64 << 20, Items: 1_000_000, Nesting: 200}

// HCL bounds pipelines, rules of a year and rule sets. Package hclsource measures their nesting.
var HCL = Of{What: "an HCL file", Bytes: 2 << 20, Nesting: 200}

// Document bounds files that are read whole: published pages and tables, machines, lists of divisions. The published
// tables of 2022 have 1 MB.
var Document = Of{What: "a file of this kind", Bytes: 64 << 20, Items: 4_000_000, Nesting: 64}

// Page bounds a published page. The largest, with a chart, has 2 MB.
var Page = Of{What: "a page", Bytes: 16 << 20}

// Table bounds the lines of text tables: CSV, JSON and XML, which are read row by row. A row with the whole output of a
// solver has a few MB.
var Table = Of{What: "a table", Bytes: 1 << 40, Line: 16 << 20}

// Stream bounds a Parquet table from a pipe. It is read whole, since its index is at the end.
var Stream = Of{What: "a table through a pipe", Bytes: 512 << 20}
