# SMT-COMP 2022: all tracks, from the release and the submissions to the results. The tracks are in 2022/tracks.hcl. The cloud
# track (§5.7) runs on many machines at once, which smtpipe does not support. It is imported from its organisers' files.
#
#   smtpipe plan -p pipelines/competition-2022.hcl --var release=FOLDER --var submissions=FOLDER --var nyse_opening=N
#
# With a list of benchmarks instead of the release (list=FILE), benchmarks are selected but nothing is executed, because a list has no
# scripts.

competition {
  name = "SMT-COMP"
  year = 2022
}

variable "release" {
  type        = string
  default     = null
  description = "Folder of the SMT-LIB release: non-incremental/LOGIC.tar.zst and incremental/LOGIC.tar.zst"
}

variable "list" {
  type        = string
  default     = null
  description = "List of the benchmarks of the release (benchmarks-YYYY.json.gz, or a table with statuses and numbers of asserts), to select from without the release"
}

variable "new" {
  type        = string
  default     = "2022"
  description = "Begin of the names of the families that are new this year"
}

variable "submissions" {
  type        = string
  description = "Folder of the submission files (*.json)"
}

variable "received" {
  type        = string
  default     = null
  description = "Register of the entrants: when their files came in (§4, Deadlines) and what happened since; null: deadlines are not checked"
}

variable "drawn" {
  type        = string
  default     = null
  description = "Record of the seed, as \"smtpipe seed --record\" writes it when the entrants are final; null: not drawn yet"
}

variable "new_entrants" {
  type        = list(string)
  default     = []
  description = "Names of the solvers that compete for the first time (§7.4, New entrants)"
}

variable "archives" {
  type        = string
  default     = null
  description = "Folder of solver archives that need not be downloaded; null: none"
}

variable "history" {
  type        = list(string)
  default     = []
  description = "Results of 2018 to 2020 (results-sq-YYYY.json.gz): what all solved in no time is dropped (§6, step 2)"
}

variable "answers" {
  type        = list(string)
  default     = []
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

variable "isolation" {
  type        = string
  default     = "full"
  description = "Isolation of runs; best_effort where the machine cannot give more"
}

variable "retired" {
  type        = string
  default     = null
  description = "List of the benchmarks that are retired before the draw, CSV: benchmark, reason (§6, step 1); null: none"
}

variable "removed" {
  type        = string
  default     = null
  description = "List of the benchmarks that are removed after the runs and not scored, CSV: benchmark, reason (§8); null: none"
}

variable "nyse_opening" {
  type        = number
  description = "Opening value of the NYSE Composite Index on the day that the rules name"
}

check "source" {
  condition = (var.release == null) != (var.list == null)
  message   = "Give either release, the folder with the archives of the benchmarks, or list, a list of them."
}

locals {
  # §6, Pseudo-random numbers: the entrants' numbers, and the integer part of 100 times the opening value.
  seed = competition_seed(stage.submissions.entrants.seeds, floor(competition.rules.seed.index_factor * var.nyse_opening))

  # The tracks that are executed here, and all that are selected.
  executed = ["single_query", "incremental", "unsat_core", "model_validation", "proof", "parallel"]
  tracks   = concat(local.executed, ["cloud"])

  # What exists with a release, and what exists with a list.
  released = var.list == null ? toset(["release"]) : toset([])
  listed   = var.list == null ? toset([]) : toset(["list"])
}

executor "local" "here" {
  isolation = var.isolation
}

stage "fetch" "library" {
  for_each = local.released
  path     = var.release
}

stage "index" "library" {
  for_each = local.released
  source   = stage.fetch.library[each.key].files
  new      = startswith(b.family, var.new)
}

stage "import" "library" {
  for_each   = local.listed
  benchmarks = var.list
  new        = startswith(b.family, var.new)
}

locals {
  library = var.list == null ? stage.index.library["release"].benchmarks : stage.import.library["list"].benchmarks
}

# What the organisers exclude, before the draw and after the runs.
stage "unfit" "retired" {
  list       = var.retired
  benchmarks = local.library
}

stage "unfit" "removed" {
  list       = var.removed
  benchmarks = local.library
}

stage "import" "history" {
  results = var.history
  track   = "single_query" # StarExec's job tables do not state it
}

stage "submissions" "entrants" {
  folder       = var.submissions
  received     = var.received
  drawn        = var.drawn
  opening      = floor(competition.rules.seed.index_factor * var.nyse_opening)
  new_entrants = var.new_entrants
}

stage "solvers" "entrants" {
  for_each = local.released
  solvers  = stage.submissions.entrants.solvers
  archives = var.archives
  tracks   = local.executed
}

stage "import" "cloud" {
  for_each  = length(var.cloud) > 0 ? toset(["cloud"]) : toset([])
  results   = var.cloud
  track     = "cloud"
  wall_time = var.cloud_time
  cores     = var.cloud_cores
}

# Answers count if the solver makes no error in the division (§6, step 3).
stage "import" "answers" {
  for_each  = local.listed
  results   = var.answers
  track     = "single_query"
  wall_time = var.wall_time
}

stage "validate" "answers" {
  for_each   = local.listed
  runs       = stage.import.answers[each.key].executed
  benchmarks = stage.import.library[each.key].benchmarks
}

module "tracks" {
  source      = "rules:tracks"
  only        = var.list == null ? "everything" : "selection"
  benchmarks  = local.library
  retired     = stage.unfit.retired.benchmarks
  removed     = stage.unfit.removed.benchmarks
  history     = stage.import.history.runs
  solvers     = var.list == null ? stage.solvers.entrants["release"].programs : null
  entrants    = [stage.submissions.entrants.entrants]
  competitive = stage.submissions.entrants.competitive_logics
  seed        = local.seed
  answers     = var.list == null ? null : stage.validate.answers["list"].sound
  cloud       = { for name, results in stage.import.cloud : name => results.executed }
  executor    = executor.local.here

  cloud_entrants = [for results in values(stage.import.cloud) : results.entrants]

  # Types, defaults and meanings are in 2022/tracks.hcl.
  variables = [
    "wall_time", "core_validation_time", "model_time", "memory", "scratch", "cores", "parallel_cores",
    "parallel_memory", "heats", "heats_run", "model_logics", "hard_from",
  ]
}

# How certain the rankings are. The rules do not require this, and it affects no ranking.
stage "confidence" "tracks" {
  for_each = { for t, v in module.tracks.verdicts : t => v if t != "proof" }
  verdicts = [each.value]
  rules    = competition.rules.scoring
  removed  = stage.unfit.removed.benchmarks
  seed     = local.seed
}

stage "report" "site" {
  for_each     = local.released
  name         = competition.name
  year         = competition.year
  scores       = values(module.tracks.scores)
  verdicts     = values(module.tracks.verdicts)
  runs         = values(module.tracks.runs)
  benchmarks   = [local.library]
  recognitions = values(module.tracks.recognitions)
  confidence   = [for c in stage.confidence.tracks : c.confidence]
  sensitivity  = [for c in stage.confidence.tracks : c.sensitivity]
  solvers      = stage.solvers.entrants[each.key].solvers
  selection    = module.tracks.selection
  exclusions   = module.tracks.exclusions
  retired      = stage.unfit.retired.benchmarks
  removed      = stage.unfit.removed.benchmarks
  rules        = competition.rules.document
}

output "seed" {
  value = local.seed
}

# The selected benchmarks are published when the competition begins (§6, Benchmark selection), with their numbers.
output "selected" {
  for_each = toset(local.tracks)
  value    = module.tracks.selected[each.key]
  path     = "selection-${competition.year}/${each.key}.csv"
}

output "selection" {
  for_each = toset(local.tracks)
  value    = module.tracks.selection[each.key]
  path     = "selection-${competition.year}/${each.key}-counts.csv"
}

output "exclusions" {
  for_each = toset(local.tracks)
  value    = module.tracks.exclusions[each.key]
  path     = "selection-${competition.year}/${each.key}-exclusions.csv"
}

output "retired" {
  value = stage.unfit.retired.benchmarks
  path  = "selection-${competition.year}/retired.csv"
}

output "site" {
  for_each = local.released
  value    = stage.report.site[each.key].files
  path     = "site-${competition.year}"
}
