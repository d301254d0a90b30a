package limits

// Limits for the files of a frozen folder. They leave room for the digests of a million files, the size of a benchmark
// release.
var (
	Lock = Of{What: "a lock", Bytes: 192 << 20, Items: 1_000_000}
	Sums = Of{What: "a list of digests", Bytes: 192 << 20, Items: 1_000_000}
	// A stage's record names each of its arguments and inputs, such as a limit or a solver.
	StageRecord = Of{What: "the record of a stage", Bytes: 64 << 20, Items: 1_000_000, Nesting: 64}
	Signature   = Of{What: "a signature", Bytes: 64 << 10}
	Signers     = Of{What: "a list of keys", Bytes: 1 << 20, Items: 10_000}
)

// Submission limits submission files. Those of 2024 to 2026 are at most 7 kB, and each check examines a hundred logics
// per participation.
var Submission = Of{What: "a submission", Bytes: 1 << 20, Items: 20_000, Nesting: 64}

// Message limits a message from an editor, which contains at most an HCL file as a JSON string.
var Message = Of{What: "a message of an editor", Bytes: 64 << 20, Items: 1_000_000, Nesting: 200}

// HCL limits pipelines, yearly rules and rule sets. Package hclsource checks their nesting.
var HCL = Of{What: "an HCL file", Bytes: 2 << 20, Nesting: 200}

// Document limits files that are read whole: published pages and tables, machines, and lists of divisions. The
// published tables of 2022 are 1 MB.
var Document = Of{What: "a file of this kind", Bytes: 64 << 20, Items: 4_000_000, Nesting: 64}

// Page limits a published page. The largest, which contains a chart, is 2 MB.
var Page = Of{What: "a page", Bytes: 16 << 20}

// Table limits the lines of text tables (CSV, JSON and XML), which are read row by row. A row with a solver's whole
// output takes a few MB.
var Table = Of{What: "a table", Bytes: 1 << 40, Line: 16 << 20}

// Stream limits a Parquet table from a pipe. It is read whole, because its index is at the end.
var Stream = Of{What: "a table through a pipe", Bytes: 512 << 20}
