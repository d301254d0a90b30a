# SMT-COMP 2019: all tracks, from the release and the submissions to the results. What all years have in common is in
# modules/base-competition.hcl, and the tracks are in 2019/tracks.hcl.
#
#   smtpipe plan -p pipelines/competition-2019.hcl --var release=FOLDER --var submissions=FOLDER --var nyse_opening=N
#
# With a list of benchmarks instead of the release (list=FILE), benchmarks are selected but nothing is executed, because a list has no
# scripts.

base {
  source  = "./modules/base-competition.hcl"
  without = ["variable.answers", "stage.import.answers", "stage.validate.answers"]
}

competition {
  name = "SMT-COMP"
  year = 2019
}

variable "new" {
  default = "2019"
}

variable "history" {
  description = "Results of 2018: benchmarks that every solver solved quickly are dropped (§6, step 2)"
}

locals {
  # The industry challenge needs families.
  tracks = [for t in var.tracks : t if t != "industry_challenge" || length(var.challenge) > 0]
}

module "tracks" {
  variables = [
    "tracks", "wall_time", "challenge_time", "core_validation_time", "model_time", "memory", "scratch", "cores",
    "heats", "heats_run", "challenge",
  ]
}

stage "confidence" "tracks" {
  for_each = module.tracks.judged
  verdicts = each.value
}
