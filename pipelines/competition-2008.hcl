# SMT-COMP 2008, from a release in SMT-LIB 1.2 to the results. The stages are in 2008/tracks.hcl. Sections refer to the
# SMT-COMP 2008 rules.
#
# The 2008 entrants cannot be downloaded, so today's solvers replace them and enter every division that they can read.
# Boolector still reads SMT-LIB 1.2. The others use a translator, 2008/smt12 (cvc4 up to 1.7 reads it itself:
# command = ["cvc4", "--lang=smt1"]). Replace the blocks to run other solvers.
#
#   smtpipe plan -p pipelines/competition-2008.hcl --var release=FOLDER --var nyse_opening=N
#
# With a list of benchmarks instead of the release (list=FILE), benchmarks are selected but nothing is executed, because a list has no
# scripts.

competition {
  name = "SMT-COMP"
  year = 2008
}

variable "release" {
  type        = string
  default     = null
  description = "Folder of the release in SMT-LIB 1.2: non-incremental/DIVISION.tar.zst, with DIVISION/FAMILY/NAME.smt in it"
}

variable "list" {
  type        = string
  default     = null
  description = "List of the benchmarks of the release (a table with path, division, family, category and status), to select from without the release"
}

variable "measured" {
  type        = list(string)
  default     = []
  description = "With list: results of last year's solvers with 10 minutes, from which the difficulty follows (§4); the year is in the names of the files"
}

variable "retired" {
  type        = string
  default     = null
  description = "List of the benchmarks that are retired before the draw, CSV: benchmark, reason (the rules of 2008 do not speak of it); null: none"
}

variable "removed" {
  type        = string
  default     = null
  description = "List of the benchmarks that are removed after the runs and not scored, CSV: benchmark, reason (the rules of 2008 do not speak of it); null: none"
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

executor "local" "here" {
  isolation = var.isolation
}

# We chose the entrants' numbers (seed). All four are open source, which earns extra recognition (§2).
solver "boolector" {
  command = ["boolector", "--smt1"]
  logics  = ["QF_BV", "QF_AUFBV"]
  seed    = 1001

  open_source = true
}

solver "cvc4" {
  command = ["2008/smt12", "cvc4", "--quiet", "--lang=smt2"]
  seed    = 1002

  open_source = true
}

solver "z3" {
  command = ["2008/smt12", "z3", "-in"]
  seed    = 1003

  open_source = true
}

solver "cvc5" {
  command = ["2008/smt12", "cvc5", "--quiet", "--lang=smt2"]
  seed    = 1004

  open_source = true
}

locals {
  # §4: the sum modulo 2^30 of the numbers of all entrants other than the organisers, and the integer part of the opening value.
  seed = competition_seed([for s in solver : s.seed if s.competitive], floor(competition.rules.seed.index_factor * var.nyse_opening))

  # What exists with a release, and what exists with a list.
  released = var.list == null ? toset(["release"]) : toset([])
  listed   = var.list == null ? toset([]) : toset(["list"])
}

stage "fetch" "library" {
  for_each = local.released
  path     = var.release
}

stage "index" "library" {
  for_each = local.released
  source   = stage.fetch.library[each.key].files
}

stage "import" "library" {
  for_each   = local.listed
  benchmarks = var.list
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

stage "import" "measured" {
  results = var.measured
  track   = "single_query"
}

module "tracks" {
  source     = "rules:tracks"
  only       = var.list == null ? "everything" : "selection"
  benchmarks = local.library
  retired    = stage.unfit.retired.benchmarks
  removed    = stage.unfit.removed.benchmarks
  measured   = stage.import.measured.runs
  solvers    = solver
  entrants   = solver
  measures   = solver
  seed       = local.seed
  executor   = executor.local.here

  # Types, defaults and meanings are in 2008/tracks.hcl.
  variables = ["wall_time", "difficulty_time", "memory"]
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
  solvers      = solver
  selection    = module.tracks.selection
  exclusions   = module.tracks.exclusions
  retired      = stage.unfit.retired.benchmarks
  removed      = stage.unfit.removed.benchmarks
  rules        = competition.rules.document
}

output "seed" {
  value = local.seed
}

# The selected benchmarks with their numbers.
output "selected" {
  for_each = toset(["single_query"])
  value    = module.tracks.selected[each.key]
  path     = "selection-${competition.year}/${each.key}.csv"
}

output "selection" {
  for_each = toset(["single_query"])
  value    = module.tracks.selection[each.key]
  path     = "selection-${competition.year}/${each.key}-counts.csv"
}

output "exclusions" {
  for_each = toset(["single_query"])
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
