# SMT-COMP 2015: the main and the application track, from the release and the submissions to the results. What all years have in
# common is in modules/base-competition.hcl, and the tracks are in 2015/tracks.hcl. Sections refer to the SMT-COMP 2015 rules.
#
#   smtpipe plan -p pipelines/competition-2015.hcl --var release=FOLDER --var submissions=FOLDER --var nyse_opening=N
#
# With a list of benchmarks instead of the release (list=FILE), benchmarks are selected but nothing is executed, because a list has no
# scripts.

base {
  source = "./modules/base-competition.hcl"

  # All eligible benchmarks of all divisions are run.
  without = [
    "variable.history", "stage.import.history", "module.tracks.history", "module.tracks.competitive",
    "variable.answers", "stage.import.answers", "stage.validate.answers",
  ]
}

competition {
  name = "SMT-COMP"
  year = 2015
}

variable "list" {
  description = "List of the benchmarks of the release (benchmarks-YYYY.json.gz, or a table with statuses), to select from without the release"
}

variable "new" {
  default = "2015"
}

variable "open_source" {
  type        = list(string)
  default     = []
  description = "Names of the solvers whose source code is open (§7.5, Open source)"
}

variable "new_entrants" {
  description = "Solvers competing for the first time (§7.5, Best new entrant)"
}

variable "retired" {
  description = "List of the benchmarks that are retired from the eligible ones, CSV: benchmark, reason (§6, Benchmark selection, step 1); null: none"
}

stage "submissions" "entrants" {
  open_source = var.open_source
}

module "tracks" {
  variables = ["tracks", "wall_time", "memory", "scratch", "cores", "heats", "heats_run"]
}
