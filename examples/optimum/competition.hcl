# A competition of pseudo-Boolean optimisers. All its rules are in the folder rules.

competition {
  name  = "PB"
  year  = 2026
  rules = "./rules"
}

variable "wall_time" {
  type        = string
  default     = "10s"
  description = "Time limit of a run; the rules of the Pseudo-Boolean Competition say 3600s"
}

solver "clasp" {
  command = ["clasp", "--quiet=1"]
}

# Returns the first solution, whatever its value.
solver "first" {
  command = ["clasp", "--quiet=1", "1"]
  team    = "clasp"
}

# -a: no colours.
solver "minisatp" {
  command = ["minisat+", "-a"]
}

stage "fetch" "library" {
  path = "benchmarks"
}

stage "index" "library" {
  source = stage.fetch.library.files
}

module "tracks" {
  source     = "rules:tracks"
  benchmarks = stage.index.library.benchmarks
  solvers    = solver
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
  rules      = competition.rules.document
  solvers    = solver
}

output "site" {
  value = stage.report.site.files
  path  = "site"
}
