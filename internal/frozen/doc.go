// Package frozen reads frozen folders: what "smtpipe freeze" wrote of a pipeline that was executed, as files of open
// formats that need no store. The folder is content by digest: SHA256SUMS names every file with its digest, and zip
// archives hold small content whose names are digests.
//
// A frozen folder serves as evidence: stages find there what was measured elsewhere, by key.
package frozen
