// Package submission reads the JSON files with which solvers have been submitted since 2024 (SMT-COMP 2026 rules, §4
// "Participation in the Competition"), checks them against all rules in the organisers' model, and expands them into
// entries: which solver runs in which track on which logics, with its archive and command.
//
// Parse collects every problem in a file, each with a JSON pointer and a line. A [Catalog] holds the year's tracks,
// divisions and logics; [Submission.Expand] needs it. [Teams], [CompetitiveLogics] and [Seeds] consider all submissions
// together.
package submission
