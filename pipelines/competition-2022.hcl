# SMT-COMP 2022: all tracks, from the release and the submissions to the results. The tracks are in modules/2022.hcl. The cloud
# track (§5.7) runs on many machines at once, which smtpipe does not do: it is imported from the files of those who ran it.
#
#   smtpipe plan -p pipelines/competition-2022.hcl --var release=FOLDER --var submissions=FOLDER --var nyse_opening=N

competition {
  name = "SMT-COMP"
  year = 2022
}

variable "release" {
  type        = string
  description = "Folder of the SMT-LIB release: non-incremental/LOGIC.tar.zst and incremental/LOGIC.tar.zst"
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

locals {
  # §6, Pseudo-random numbers: the entrants' numbers, and the integer part of 100 times the opening value.
  seed = competition_seed(stage.submissions.entrants.seeds, floor(competition.rules.seed.index_factor * var.nyse_opening))
}

stage "fetch" "library" {
  path = var.release
}

stage "index" "library" {
  source = stage.fetch.library.files
  new    = startswith(b.family, var.new)
}

# What the organisers leave out, before the draw and after the runs.
stage "unfit" "retired" {
  list       = var.retired
  benchmarks = stage.index.library.benchmarks
}

stage "unfit" "removed" {
  list       = var.removed
  benchmarks = stage.index.library.benchmarks
}

stage "import" "history" {
  results = var.history
}

stage "submissions" "entrants" {
  folder       = var.submissions
  new_entrants = var.new_entrants
}

stage "solvers" "entrants" {
  solvers  = stage.submissions.entrants.solvers
  archives = var.archives
  tracks   = ["single_query", "incremental", "unsat_core", "model_validation", "proof", "parallel"]
}

stage "import" "cloud" {
  for_each  = length(var.cloud) > 0 ? toset(["cloud"]) : toset([])
  results   = var.cloud
  track     = "cloud"
  wall_time = var.cloud_time
  cores     = var.cloud_cores
}

module "tracks" {
  source      = "rules:tracks"
  benchmarks  = stage.index.library.benchmarks
  retired     = stage.unfit.retired.benchmarks
  removed     = stage.unfit.removed.benchmarks
  history     = stage.import.history.runs
  solvers     = stage.solvers.entrants.solvers
  competitive = stage.submissions.entrants.competitive_logics
  seed        = local.seed
  cloud       = { for name, results in stage.import.cloud : name => results.executed }
}

stage "report" "site" {
  name         = competition.name
  year         = competition.year
  scores       = values(module.tracks.scores)
  verdicts     = values(module.tracks.verdicts)
  recognitions = values(module.tracks.recognitions)
  selection    = module.tracks.selection
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
  path  = "site-2022"
}
