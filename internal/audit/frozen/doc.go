// Package frozen reads frozen folders: executed pipelines that "smtpipe freeze" wrote as files of open formats that
// need no store. The folder is content by digest: SHA256SUMS names every file with its digest, and zip archives hold
// small content whose names are digests.
//
// A frozen folder serves as evidence: stages find measurements from elsewhere in it, by key.
package frozen
