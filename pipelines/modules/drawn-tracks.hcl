# What the tracks of 2019, 2022 and 2026 have in common: a draw without easy benchmarks, and the validation of unsat cores. Sections are
# those of these years' rules.

base {
  source  = "./base-tracks.hcl"
  without = ["check.only"] # it is one of the options
}

variable "history" {
  type        = any
  description = "Results of earlier competitions: the output runs of an import stage"
}

variable "n" {
  type        = string
  default     = "eligible"
  description = "What n is in the places of a logic (§6, step 4): its eligible benchmarks, or all of the library"
}

variable "rounding" {
  type        = string
  default     = "floor"
  description = "A part of a benchmark in the places of a logic (§6, step 4): floor or ceil"
}

variable "easy_time" {
  type        = string
  default     = "wall"
  description = "Easy benchmarks (§6, step 2): the second is one of wall time, or of cpu time"
}

variable "easy_years" {
  type        = string
  default     = "all"
  description = "Easy benchmarks (§6, step 2): easy in all the years in which they were run together, or in any of them"
}

variable "easy_runs" {
  type        = number
  default     = 2
  description = "Runs that there must be at least before a benchmark is easy (§6, step 2): one solver alone is not all"
}

variable "easy_answers" {
  type        = string
  default     = "correct"
  description = "Easy benchmarks (§6, step 2): solved is answered correctly, or any: whatever was answered"
}

variable "core_validation_time" {
  type = string
}

variable "model_time" {
  type = string
}

locals {
  # The options and their valid values.
  options = {
    only         = ["selection", "everything"]
    n            = ["eligible", "library"]
    rounding     = ["floor", "ceil"]
    easy_time    = ["wall", "cpu"]
    easy_years   = ["all", "any"]
    easy_answers = ["correct", "any"]
  }
  chosen = { only = var.only, n = var.n, rounding = var.rounding, easy_time = var.easy_time, easy_years = var.easy_years, easy_answers = var.easy_answers }
  wrong  = [for name, value in local.chosen : "${name} is ${join(" or ", local.options[name])}" if !contains(local.options[name], value)]
}

check "options" {
  condition = length(local.wrong) == 0
  message   = "An option has a value that it does not know: ${join("; ", local.wrong)}."
}

# §6, step 3 or 4: the places of a logic with n benchmarks.
function "places" {
  params = [n]
  result = n <= 300 ? n : n <= 600 ? 300 : whole(n / 2)
}

function "whole" {
  params = [x]
  result = var.rounding == "ceil" ? ceil(x) : floor(x)
}

# No run contradicts the status or, if the status is unknown, another run.
function "is_right" {
  params = [h, b]
  result = b.status == "sat" ? h.unsat == 0 : b.status == "unsat" ? h.sat == 0 : h.sat == 0 || h.unsat == 0
}

# §6, step 2: solved by all solvers in less than one second.
function "is_easy" {
  params = [h, b]
  result = h.runs >= var.easy_runs && h.all_solved && (var.easy_answers == "any" || is_right(h, b)) && (var.easy_time == "cpu" ? h.max_cpu : h.max_wall) < 1
}

# The library, for n = library.
stage "filter" "library" {
  benchmarks = var.benchmarks
}

# §5.4, Validation; §5.5 in 2019.
module "unsat_core" {
  source    = "rules:cores"
  solvers   = var.solvers
  arguments = lookup(var.arguments, "single_query", {})
  executor  = var.executor
  wall_time = var.core_validation_time
  memory    = var.memory
  cores     = var.cores
}
