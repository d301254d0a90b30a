# SMT-COMP 2015: the main and the application track, from the release and the submissions to the results. The tracks are in
# 2015/tracks.hcl. Sections refer to the SMT-COMP 2015 rules.
#
#   smtpipe plan -p pipelines/competition-2015.hcl --var release=FOLDER --var submissions=FOLDER --var nyse_opening=N
#
# With a list of benchmarks instead of the release (list=FILE), benchmarks are selected but nothing is executed, because a list has no
# scripts.

competition {
  name = "SMT-COMP"
  year = 2015
}

variable "release" {
  type        = string
  default     = null
  description = "Folder of the SMT-LIB release: non-incremental/LOGIC.tar.zst and incremental/LOGIC.tar.zst"
}

variable "list" {
  type        = string
  default     = null
  description = "List of the benchmarks of the release (benchmarks-YYYY.json.gz, or a table with statuses), to select from without the release"
}

variable "new" {
  type        = string
  default     = "2015"
  description = "Begin of the names of the families that are new this year"
}

variable "submissions" {
  type        = string
  description = "Folder of the submission files (*.json)"
}

variable "open_source" {
  type        = list(string)
  default     = []
  description = "Names of the solvers whose source code is open (§7.5, Open source)"
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
  description = "Names of the solvers that compete for the first time (§7.5, Best new entrant)"
}

variable "archives" {
  type        = string
  default     = null
  description = "Folder of solver archives that need not be downloaded; null: none"
}

variable "retired" {
  type        = string
  default     = null
  description = "List of the benchmarks that are retired from the eligible ones, CSV: benchmark, reason (§6, Benchmark selection, step 1); null: none"
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

variable "isolation" {
  type        = string
  default     = "full"
  description = "Isolation of runs; best_effort where the machine cannot give more"
}

check "source" {
  condition = (var.release == null) != (var.list == null)
  message   = "Give either release, the folder with the archives of the benchmarks, or list, a list of them."
}

locals {
  # §6, Pseudo-random numbers: the entrants' numbers, and the integer part of the opening value.
  seed = competition_seed(stage.submissions.entrants.seeds, floor(competition.rules.seed.index_factor * var.nyse_opening))

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

# What the organisers exclude, before and after the runs.
stage "unfit" "retired" {
  list       = var.retired
  benchmarks = local.library
}

stage "unfit" "removed" {
  list       = var.removed
  benchmarks = local.library
}

stage "submissions" "entrants" {
  folder       = var.submissions
  received     = var.received
  drawn        = var.drawn
  opening      = floor(competition.rules.seed.index_factor * var.nyse_opening)
  open_source  = var.open_source
  new_entrants = var.new_entrants
}

stage "solvers" "entrants" {
  for_each = local.released
  solvers  = stage.submissions.entrants.solvers
  archives = var.archives
  tracks   = ["single_query", "incremental"]
}

module "tracks" {
  source     = "rules:tracks"
  only       = var.list == null ? "everything" : "selection"
  benchmarks = local.library
  retired    = stage.unfit.retired.benchmarks
  removed    = stage.unfit.removed.benchmarks
  solvers    = var.list == null ? stage.solvers.entrants["release"].programs : null
  entrants   = [stage.submissions.entrants.entrants]
  seed       = local.seed
  executor   = executor.local.here

  # Types, defaults and meanings are in 2015/tracks.hcl.
  variables = ["wall_time", "memory", "scratch", "cores", "heats", "heats_run"]
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
}

output "seed" {
  value = local.seed
}

# The selected benchmarks are published when the competition begins (§6, Benchmark selection), with their numbers.
output "selected" {
  for_each = toset(["single_query", "incremental"])
  value    = module.tracks.selected[each.key]
  path     = "selection-${competition.year}/${each.key}.csv"
}

output "selection" {
  for_each = toset(["single_query", "incremental"])
  value    = module.tracks.selection[each.key]
  path     = "selection-${competition.year}/${each.key}-counts.csv"
}

output "exclusions" {
  for_each = toset(["single_query", "incremental"])
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
