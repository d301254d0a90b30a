# z3 and cvc5 on real benchmarks, with short limits: "make mini". The release is a folder with per-logic archives, as
# SMT-LIB publishes them.

competition {
  name = "Mini"
  year = 2026
}

variable "release" {
  type        = string
  description = "Folder of the release"
}

variable "logics" {
  type        = string
  default     = "QF_BV,QF_LIA,QF_AX,LIA,UF"
  description = "Logics to run, separated by commas"
}

variable "wall_time" {
  type        = string
  default     = "1s"
  description = "Wall time limit T of a run"
}

variable "per_logic" {
  type        = number
  default     = 1000
  description = "Benchmarks of each logic, at most"
}

solver "z3" {
  command = ["z3"]
}

solver "cvc5" {
  command = ["cvc5", "--quiet"]
}

stage "fetch" "library" {
  path = var.release
  only = [for logic in split(",", var.logics) : "non-incremental/${logic}.tar.zst"]
}

stage "index" "library" {
  source = stage.fetch.library.files
}

stage "filter" "usable" {
  benchmarks = stage.index.library.benchmarks
}

stage "cap" "single_query" {
  benchmarks = stage.filter.usable.benchmarks
  take       = min(n, var.per_logic)
  seed       = 1
}

stage "scramble" "single_query" {
  benchmarks = stage.cap.single_query.benchmarks
  track      = "single_query"
  seed       = 1
}

stage "execute" "single_query" {
  scripts  = stage.scramble.single_query.scripts
  solvers  = solver
  track    = "single_query"
  executor = executor.local.this

  limits {
    wall_time = var.wall_time
    memory    = "4GB"
  }
}

executor "local" "this" {
  isolation = "best_effort"
}

stage "validate" "single_query" {
  runs       = stage.execute.single_query.runs
  benchmarks = stage.cap.single_query.benchmarks
}

stage "score" "single_query" {
  verdicts = stage.validate.single_query.verdicts
  rules    = competition.rules.scoring
}

output "rejected" {
  value = stage.scramble.single_query.rejected
}

output "podium" {
  value = stage.score.single_query.scores
}

output "verdicts" {
  value = stage.validate.single_query.verdicts
  path  = "results/verdicts.csv"
}
