# SMT-COMP 2022: all tracks, from the release and the submissions to the results. What all years have in common is in
# modules/base-competition.hcl, and the tracks are in 2022/tracks.hcl. The cloud track (§5.7) runs on many machines at once, which
# smtpipe does not support. It is imported from its organisers' files.
#
#   smtpipe plan -p pipelines/competition-2022.hcl --var release=FOLDER --var submissions=FOLDER --var nyse_opening=N
#
# With a list of benchmarks instead of the release (list=FILE), benchmarks are selected but nothing is executed, because a list has no
# scripts.

base {
  source = "./modules/base-competition.hcl"
}

competition {
  name = "SMT-COMP"
  year = 2022
}

variable "new" {
  default = "2022"
}

variable "history" {
  description = "Results of 2018 to 2020 (results-sq-YYYY.json.gz): benchmarks that every solver solved quickly are dropped (§6, step 2)"
}

variable "answers" {
  description = "With list: results of this year's single-query track (results-sq-2022.json.gz), for benchmarks of unknown status (§6, step 3)"
}

variable "cloud" {
  type        = list(string)
  default     = []
  description = "Results of the cloud track (results-cloud-2022.json.gz, or a job table of StarExec): judged and scored here"
}

variable "cloud_time" {
  type        = string
  default     = "20m"
  description = "Wall time limit of the cloud track: 20 minutes (§5.7)"
}

variable "cloud_cores" {
  type        = number
  default     = 1600
  description = "Cores of a run in the cloud track; the rules refer to a page for them (§5.1, Time and Memory Limits)"
}

stage "solvers" "entrants" {
  tracks = [for t in var.tracks : t if t != "cloud"] # the tracks that are executed here
}

stage "import" "cloud" {
  for_each  = length(var.cloud) > 0 ? toset(["cloud"]) : toset([])
  results   = var.cloud
  track     = "cloud"
  wall_time = var.cloud_time
  cores     = var.cloud_cores
}

module "tracks" {
  answers = var.list == null ? null : stage.validate.answers["list"].sound
  cloud   = { for name, results in stage.import.cloud : name => results.executed }

  cloud_entrants = [for results in values(stage.import.cloud) : results.entrants]

  variables = [
    "tracks", "wall_time", "core_validation_time", "model_time", "memory", "scratch", "cores", "parallel_cores",
    "parallel_memory", "heats", "heats_run", "model_logics", "hard_from",
  ]
}

stage "confidence" "tracks" {
  for_each = { for t, v in module.tracks.verdicts : t => v if t != "proof" }
}
