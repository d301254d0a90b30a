# SMT-COMP 2026: all tracks, from the release and the submissions to the results. The tracks are in 2026/tracks.hcl. The year has
# no cloud track.
#
#   smtpipe plan -p pipelines/competition-2026.hcl --var release=FOLDER --var submissions=FOLDER --var nyse_opening=N
#
# With the organisers' list of benchmarks instead of the release, benchmarks are selected but nothing is executed, because the list
# has no scripts:
#
#   smtpipe run -p pipelines/competition-2026.hcl --var list=benchmarks-2025.json.gz --var submissions=FOLDER --var nyse_opening=N

competition {
  name = "SMT-COMP"
  year = 2026
}

variable "release" {
  type        = string
  default     = null
  description = "Folder of the SMT-LIB release, that of 2025 (§6, Benchmark sources): non-incremental/LOGIC.tar.zst and incremental/LOGIC.tar.zst; null: see list"
}

variable "list" {
  type        = string
  default     = null
  description = "List of the benchmarks of the release (benchmarks-2025.json.gz), to select from without the release"
}

variable "new" {
  type        = string
  default     = "2025"
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
  description = "Results of 2018 to 2024 (results-sq-YYYY.json.gz): what all solved in no time is dropped (§6, step 2)"
}

variable "answers" {
  type        = list(string)
  default     = []
  description = "With list: results of this year's single-query track (results-sq-2026.json.gz), for benchmarks of unknown status (§6, step 3)"
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

variable "notes" {
  type        = list(string)
  default     = null
  description = "Notes of the organisers for the site, each beginning with its day, such as \"2026-06-28: Solver A was repaired.\""
}

variable "nyse_opening" {
  type        = number
  description = "Opening value of the NYSE Composite Index on the day that the rules name"
}

variable "isolation" {
  type        = string
  default     = "full"
  description = "Isolation of runs; best_effort where the machine cannot give more"
}

variable "competitive" {
  type        = string
  default     = "teams"
  description = "A logic is run if two teams entered it, or entries: if there are two participations of anybody (§6)"
}

check "source" {
  condition = (var.release == null) != (var.list == null)
  message   = "Give either release, the folder with the archives of the benchmarks, or list, the organisers' list of them."
}

locals {
  # §6, Pseudo-random numbers: the entrants' numbers, and the integer part of 100 times the opening value.
  seed   = competition_seed(stage.submissions.entrants.seeds, floor(competition.rules.seed.index_factor * var.nyse_opening))
  tracks = ["single_query", "incremental", "unsat_core", "model_validation", "parallel"]

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
  competitive  = var.competitive
  new_entrants = var.new_entrants
}

stage "solvers" "entrants" {
  for_each = local.released
  solvers  = stage.submissions.entrants.solvers
  archives = var.archives
  tracks   = local.tracks
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
  tracks      = local.tracks
  only        = var.list == null ? "everything" : "selection"
  benchmarks  = local.library
  retired     = stage.unfit.retired.benchmarks
  removed     = stage.unfit.removed.benchmarks
  history     = stage.import.history.runs
  answers     = var.list == null ? null : var.unknown_status == "agreed" ? stage.validate.answers["list"].history : stage.validate.answers["list"].sound
  solvers     = var.list == null ? stage.solvers.entrants["release"].programs : null
  entrants    = [stage.submissions.entrants.entrants]
  competitive = stage.submissions.entrants.competitive_logics
  seed        = local.seed
  executor    = executor.local.here

  # Types, defaults and meanings are in 2026/tracks.hcl.
  variables = [
    "wall_time", "core_validation_time", "model_time", "memory", "cores", "parallel_cores", "parallel_memory", "heats",
    "heats_run", "heats_stopped", "sizes", "new_benchmarks", "easy", "unknown_status", "model_logics", "easy_time",
    "easy_years", "easy_answers", "n", "rounding", "hard_from", "hard_clock", "generator", "flavour",
  ]
}

# How certain the rankings are. The rules do not require this, and it affects no ranking.
stage "confidence" "tracks" {
  for_each = module.tracks.verdicts
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
  notes        = var.notes
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

output "retired" {
  value = stage.unfit.retired.benchmarks
  path  = "selection-${competition.year}/retired.csv"
}

output "exclusions" {
  for_each = toset(local.tracks)
  value    = module.tracks.exclusions[each.key]
  path     = "selection-${competition.year}/${each.key}-exclusions.csv"
}

output "site" {
  for_each = local.released
  value    = stage.report.site[each.key].files
  path     = "site-${competition.year}"
}
