# SMT-COMP 2026: the organisers' selection by their tool as of June 2026, from their list of benchmarks and the submissions.
#
#   smtpipe run -p pipelines/draw-2026.hcl --var list=benchmarks-2025.json.gz --var submissions=FOLDER
#
# It writes draw-2026/TRACK.csv. The parallel track needs history.

competition {
  name = "SMT-COMP"
  year = 2026
}

variable "list" {
  type        = string
  description = "The organisers' list of benchmarks (benchmarks-2025.json.gz)"
}

variable "submissions" {
  type        = string
  description = "Folder of the submission files (*.json)"
}

variable "seed" {
  type        = number
  default     = null
  description = "The seed itself; null: it follows from the submissions"
}

variable "nyse_opening" {
  type        = number
  default     = 23412.89
  description = "Opening value of the NYSE Composite Index"
}

variable "history" {
  type        = list(string)
  default     = []
  description = "Results of 2018 to 2024 (results-sq-YYYY.json.gz)"
}

variable "answers" {
  type        = list(string)
  default     = []
  description = "Results of the single-query track (results-sq-2026.json.gz), for unsat cores and models"
}

variable "retired" {
  type        = string
  default     = "retired-2026.csv"
  description = "List of the benchmarks that are left out, CSV: benchmark, reason; null: none"
}

module "draw" {
  source       = "./modules/draw.hcl"
  list         = var.list
  submissions  = var.submissions
  seed         = var.seed
  nyse_opening = var.nyse_opening
  history      = var.history
  answers      = var.answers
  answer_year  = 2026
  retired      = var.retired
  new          = "2025"
  flavour      = "rand-0.9"
}

output "seed" {
  value = module.draw.seed
}

output "selected" {
  for_each = module.draw.selected
  value    = each.value
  path     = "draw-${competition.year}/${each.key}.csv"
}

output "selection" {
  for_each = module.draw.selection
  value    = each.value
  path     = "draw-${competition.year}/${each.key}-counts.csv"
}

output "exclusions" {
  for_each = module.draw.exclusions
  value    = each.value
  path     = "draw-${competition.year}/${each.key}-exclusions.csv"
}
