# SMT-COMP 2026: all tracks, from the release and the submissions to the results. What all years have in common is in
# modules/base-competition.hcl, and the tracks are in 2026/tracks.hcl. The year has no cloud track.
#
#   smtpipe plan -p pipelines/competition-2026.hcl --var release=FOLDER --var submissions=FOLDER --var nyse_opening=N
#
# With the organisers' list of benchmarks instead of the release, benchmarks are selected but nothing is executed, because the list
# has no scripts:
#
#   smtpipe run -p pipelines/competition-2026.hcl --var list=benchmarks-2025.json.gz --var submissions=FOLDER --var nyse_opening=N

base {
  source = "./modules/base-competition.hcl"
}

competition {
  name = "SMT-COMP"
  year = 2026
}

variable "release" {
  description = "Folder of the SMT-LIB release, that of 2025 (§6, Benchmark sources): non-incremental/LOGIC.tar.zst and incremental/LOGIC.tar.zst; null: see list"
}

variable "list" {
  description = "List of the benchmarks of the release (benchmarks-2025.json.gz), to select from without the release"
}

variable "new" {
  default = "2025"
}

variable "history" {
  description = "Results of 2018 to 2024 (results-sq-YYYY.json.gz): benchmarks that every solver solved quickly are dropped (§6, step 2)"
}

variable "answers" {
  description = "With list: results of this year's single-query track (results-sq-2026.json.gz), for benchmarks of unknown status (§6, step 3)"
}

variable "notes" {
  type        = list(string)
  default     = null
  description = "Notes of the organisers for the site, each beginning with its day, such as \"2026-06-28: Solver A was repaired.\""
}

variable "competitive" {
  type        = string
  default     = "teams"
  description = "A logic is run if two teams entered it, or entries: if there are two participations of anybody (§6)"
}

check "source" {
  message = "Give either release, the folder with the archives of the benchmarks, or list, the organisers' list of them."
}

stage "submissions" "entrants" {
  competitive = var.competitive
}

module "tracks" {
  answers = var.list == null ? null : var.unknown_status == "agreed" ? stage.validate.answers["list"].history : stage.validate.answers["list"].sound

  variables = [
    "tracks", "wall_time", "core_validation_time", "model_time", "memory", "cores", "parallel_cores", "parallel_memory",
    "heats", "heats_run", "heats_stopped", "sizes", "new_benchmarks", "easy", "unknown_status", "model_logics",
    "easy_time", "easy_years", "easy_answers", "n", "rounding", "hard_from", "hard_clock", "generator", "flavour",
  ]
}

stage "report" "site" {
  notes = var.notes
}
