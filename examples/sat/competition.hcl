# A competition of SAT solvers. The folder rules contains its rules, and defines benchmarks and answers.

competition {
  name  = "SAT"
  year  = 2026
  rules = "./rules"
}

variable "wall_time" {
  type        = string
  default     = "10s"
  description = "Time limit of a run; the rules of the SAT Competition say 5000s"
}

variable "seed" {
  type        = number
  default     = 1
  description = "Seed of the permutation; 0: benchmarks stay as they are"
}

variable "where" {
  type        = string
  default     = "variables > 0"
  description = "Condition on the features of benchmarks, in Python, such as clauses < 500"
}

# Its proof is kept with its output.
solver "cadical" {
  command = ["cadical", "-q", "--no-binary", "{benchmark}", "{proof}"]
}

solver "cryptominisat" {
  command = ["cryptominisat5", "--verb", "0"]
  tracks  = ["answers"]
}

# It writes its model to a file.
solver "minisat" {
  command = ["minisat", "-verb=0", "{benchmark}", "{proof}"]
  tracks  = ["answers"]
}

solver "picosat" {
  command = ["picosat"]
  tracks  = ["answers"]
}

stage "fetch" "library" {
  path = "benchmarks"
}

stage "index" "library" {
  source = stage.fetch.library.files
}

# Benchmarks with features of their own, and features in a GBD file (benchmark-database.de) that is joined by digest.
stage "command" "chosen" {
  program     = file("features.py")
  interpreter = ["/usr/bin/python3"]
  args        = [var.where]
  inputs = {
    benchmarks = stage.index.library.benchmarks
    files      = stage.fetch.library.files
    gbd        = file("gbd.csv")
  }
}

module "tracks" {
  source     = "rules:tracks"
  benchmarks = stage.command.chosen.benchmarks
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
  benchmarks = [stage.command.chosen.benchmarks]
  rules      = competition.rules.document
  solvers    = solver
}

output "site" {
  value = stage.report.site.files
  path  = "site"
}
