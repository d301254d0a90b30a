# What the organisers' tool selects from their list of benchmarks: all tracks of a year. Nothing is executed. draw-YEAR.hcl state what
# differs between years. docs/write/selection.md states which published lists this reproduces.

variable "list" {
  type        = string
  description = "The organisers' list of benchmarks (benchmarks-YYYY.json.gz)"
}

variable "new" {
  type        = string
  description = "Begin of the names of the families that are drawn first"
}

variable "retired" {
  type        = string
  default     = null
  description = "List of the benchmarks that are left out, CSV: benchmark, reason; null: none"
}

variable "submissions" {
  type        = string
  description = "Folder of the submission files, for the seed and the competitive logics"
}

variable "nyse_opening" {
  type        = number
  description = "Opening value of the stock index"
}

variable "seed" {
  type        = number
  default     = null
  description = "The competition's seed itself; null: it follows from the submissions and the stock index"
}

variable "flavour" {
  type        = string
  description = "rand-0.8 or rand-0.9: how the version of polars draws"
}

variable "history" {
  type        = list(string)
  default     = []
  description = "Results of earlier years (results-sq-YYYY.json.gz); without them nothing is trivial, and there is no parallel track"
}

variable "answers" {
  type        = list(string)
  default     = []
  description = "Results of the single-query track (results-sq-YYYY.json.gz) for the statuses of unsat cores and models"
}

variable "answer_year" {
  type        = number
  description = "The year that the tool took for its own: whose answers tell a status"
}

locals {
  tracks = concat(["single_query", "incremental", "unsat_core", "model_validation"], length(var.history) == 0 ? [] : ["parallel"])
  # The tool checks only in the parallel and cloud tracks whether a logic is competitive.
  logics = { for t, divisions in competition.tracks : t => flatten(values(divisions)) }
  run    = merge(local.logics, { parallel = lookup(stage.submissions.entrants.competitive_logics, "parallel", []) })
  seed   = var.seed != null ? var.seed : competition_seed(stage.submissions.entrants.seeds, floor(competition.rules.seed.index_factor * var.nyse_opening))
}

stage "import" "library" {
  benchmarks = var.list
  new        = startswith(b.family, var.new)
}

stage "unfit" "retired" {
  list       = var.retired
  benchmarks = stage.import.library.benchmarks
}

stage "import" "history" {
  results = var.history
}

stage "import" "answers" {
  results = concat(var.history, var.answers)
}

stage "submissions" "entrants" {
  folder       = var.submissions
  earlier_form = true
  competitive  = "entries"
}

module "tracks" {
  source         = "rules:tracks"
  only           = "selection"
  tracks         = local.tracks
  benchmarks     = stage.import.library.benchmarks
  retired        = stage.unfit.retired.benchmarks
  history        = stage.import.history.runs
  answers        = stage.import.answers.runs
  answer_years   = [var.answer_year]
  solvers        = null
  competitive    = local.run
  seed           = local.seed
  generator      = "polars"
  flavour        = var.flavour
  sizes          = "half"
  new_benchmarks = "first"
  easy           = "cpu"
  unknown_status = "agreed"
  model_logics   = "table"
  hard_clock     = "cpu"
  hard_from      = "3m"
}

output "seed" {
  value = local.seed
}

output "selected" {
  value = module.tracks.selected
}

output "selection" {
  value = module.tracks.selection
}

output "exclusions" {
  value = module.tracks.exclusions
}
