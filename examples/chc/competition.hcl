# A competition of solvers for constrained Horn clauses. All its rules are in the folder rules.

competition {
  name  = "CHC-COMP"
  year  = 2026
  rules = "./rules"
}

variable "wall_time" {
  type        = string
  default     = "5s"
  description = "Time limit of a run; the rules say 15 minutes"
}

variable "seed" {
  type        = number
  default     = 1
  description = "Seed of the selection"
}

solver "spacer" {
  command = ["z3", "fp.engine=spacer"]
  team    = "z3"
}

# Solves unsafe systems, but searches forever in safe ones.
solver "bmc" {
  command = ["z3", "fp.engine=bmc"]
  team    = "z3"
}

# Enters the tracks without arrays.
solver "cvc5" {
  command = ["cvc5", "--quiet"]
  tracks  = ["LIA-Lin", "LIA-Nonlin", "LRA-TS", "BV"]
}

stage "fetch" "library" {
  path = "release"
}

stage "index" "library" {
  source = stage.fetch.library.files
}

module "tracks" {
  source     = "rules:tracks"
  benchmarks = stage.index.library.benchmarks
  solvers    = solver
  seed       = var.seed
  wall_time  = var.wall_time
  executor   = executor.local.this
}

executor "local" "this" {
  isolation = "best_effort" # competitions omit this and require full isolation
}

stage "report" "site" {
  name       = competition.name
  year       = competition.year
  scores     = module.tracks.scores
  verdicts   = module.tracks.verdicts
  runs       = module.tracks.runs
  benchmarks = [stage.index.library.benchmarks]
  selection  = module.tracks.selection
  rules      = competition.rules.document
  solvers    = solver
}

output "site" {
  value = stage.report.site.files
  path  = "site"
}
