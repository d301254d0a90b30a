# What the competitions of all years have in common: from the release and the submissions to the results. competition-YEAR.hcl states
# what differs. Sections are those of the rules of 2019, 2022 and 2026.

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
  description = "Prefix of the names of this year's new families"
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
  description = "Solvers competing for the first time (§7.4, New entrants)"
}

variable "archives" {
  type        = string
  default     = null
  description = "Folder with solver archives, used instead of downloading them; null: none"
}

variable "history" {
  type    = list(string)
  default = []
}

variable "answers" {
  type    = list(string)
  default = []
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
  # Pseudo-random numbers: the entrants' numbers, and the integer part of the opening value times the factor of the rules.
  seed   = competition_seed(stage.submissions.entrants.seeds, floor(competition.rules.seed.index_factor * var.nyse_opening))
  tracks = var.tracks

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
  tracks   = var.tracks
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

# "variables" of the year are variables here, too. Their types, defaults and meanings are in YEAR/tracks.hcl.
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
  executor    = executor.local.here
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
