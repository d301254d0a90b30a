# SMT-COMP 2015: the main and the application track, from the release and the submissions to the results. The tracks are in
# modules/2015.hcl. Sections are those of the SMT-COMP 2015 rules.
#
#   smtpipe plan -p pipelines/competition-2015.hcl --var release=FOLDER --var submissions=FOLDER --var nyse_opening=N

competition {
  name = "SMT-COMP"
  year = 2015
}

variable "release" {
  type        = string
  description = "Folder of the SMT-LIB release: non-incremental/LOGIC.tar.zst and incremental/LOGIC.tar.zst"
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

variable "wall_time" {
  type        = string
  default     = "40m"
  description = "Wall time limit T, anticipated to be 40 minutes (§5.1, Time and memory limits)"
}

variable "memory" {
  type        = string
  default     = "60GB"
  description = "Memory limit, on the order of 60 GB (§5.1, Time and memory limits)"
}

variable "isolation" {
  type        = string
  default     = "full"
  description = "Isolation of runs; best_effort where the machine cannot give more"
}

locals {
  # §6, Pseudo-random numbers: the entrants' numbers, and the integer part of the opening value.
  seed = competition_seed(stage.submissions.entrants.seeds, floor(competition.rules.seed.index_factor * var.nyse_opening))
}

executor "local" "here" {
  isolation = var.isolation
}

stage "fetch" "library" {
  path = var.release
}

stage "index" "library" {
  source = stage.fetch.library.files
  new    = startswith(b.family, var.new)
}

# What the organisers leave out, before and after the runs.
stage "unfit" "retired" {
  list       = var.retired
  benchmarks = stage.index.library.benchmarks
}

stage "unfit" "removed" {
  list       = var.removed
  benchmarks = stage.index.library.benchmarks
}

stage "submissions" "entrants" {
  folder       = var.submissions
  open_source  = var.open_source
  new_entrants = var.new_entrants
}

stage "solvers" "entrants" {
  solvers  = stage.submissions.entrants.solvers
  archives = var.archives
  tracks   = ["single_query", "incremental"]
}

module "tracks" {
  source     = "rules:tracks"
  benchmarks = stage.index.library.benchmarks
  retired    = stage.unfit.retired.benchmarks
  removed    = stage.unfit.removed.benchmarks
  solvers    = stage.solvers.entrants.solvers
  seed       = local.seed
  wall_time  = var.wall_time
  memory     = var.memory
  executor   = executor.local.here
}

stage "report" "site" {
  name         = competition.name
  year         = competition.year
  scores       = values(module.tracks.scores)
  verdicts     = values(module.tracks.verdicts)
  recognitions = values(module.tracks.recognitions)
  exclusions   = module.tracks.exclusions
  retired      = stage.unfit.retired.benchmarks
  removed      = stage.unfit.removed.benchmarks
  rules        = competition.rules.document
}

output "seed" {
  value = local.seed
}

output "site" {
  value = stage.report.site.files
  path  = "site-2015"
}
