// Package frozen reads frozen folders: executed pipelines that "smtpipe freeze" wrote as files in open formats that
// require no store. The folder is content-addressed: SHA256SUMS lists every file with its digest, and zip archives
// contain small content named by digest.
//
// A frozen folder serves as evidence: stages find measurements made elsewhere in it by key.
package frozen
