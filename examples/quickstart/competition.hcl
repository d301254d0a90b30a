# A whole competition in one file: about 400 benchmarks of our own, two competing solvers, one derived from
# another, and one that only runs for comparison. Everything is real; only the limits are short.

competition {
  name = "Quickstart"
  year = 2026
}

variable "wall_time" {
  type        = string
  default     = "1s"
  description = "Wall time limit T of a run"
}

variable "nyse_opening" {
  type        = number
  default     = 23412.89
  description = "Opening value of the NYSE Composite Index on the day that the rules name"
}

locals {
  # SMT-COMP 2026 rules, §6 "Pseudo-random numbers": the entrants' numbers, and 100 times the opening value.
  seed = competition_seed([for s in solver : s.seed if s.competitive], floor(100 * var.nyse_opening))
}

solver "z3" {
  command = ["z3"]
  team    = "z3"
  seed    = 41
}

# A derived solver must improve the PAR-2 score of its base by a tenth to win (SMT-COMP 2026 rules, §7.5).
solver "z3-relevancy" {
  command     = ["z3", "smt.relevancy=0", "smt.random_seed=7"]
  team        = "relevancy"
  type        = "derived"
  base_solver = "z3"
  seed        = 5
}

solver "cvc5" {
  command = ["cvc5", "--quiet"]
  team    = "cvc5"
  seed    = 97
}

# Entered by the organisers for comparison. It is ranked with the others but takes no place and cannot win.
solver "cvc5-decision" {
  command     = ["cvc5", "--quiet", "--decision=internal"]
  team        = "cvc5"
  competitive = false
}

stage "fetch" "library" {
  path = "release"
}

stage "index" "library" {
  source = stage.fetch.library.files
  new    = startswith(b.family, "2026")
}

stage "filter" "usable" {
  benchmarks = stage.index.library.benchmarks

  drop "huge" {
    when   = b.size_bytes > 10000000
    reason = "larger than 10 MB"
  }
  drop "easy" {
    when   = b.logic == "QF_UF" && b.asserts <= 3 && !b.new
    reason = "solved by everyone in no time"
  }
}

# The cap of SMT-COMP 2026 rules, §6 (4), with a tenth of its numbers.
stage "cap" "single_query" {
  benchmarks     = stage.filter.usable.benchmarks
  take           = n <= 15 ? n : n <= 30 ? 15 : n <= 50 ? floor(n / 2) : 25 + floor((n - 50) / 10)
  guarantee      = b.new ? b.family : null
  guarantee_when = n > 30
  seed           = local.seed
}

stage "scramble" "single_query" {
  benchmarks = stage.cap.single_query.benchmarks
  track      = "single_query"
  seed       = local.seed
}

stage "execute" "single_query" {
  scripts  = stage.scramble.single_query.scripts
  solvers  = solver
  track    = "single_query"
  executor = executor.local.this

  limits {
    wall_time = var.wall_time
    memory    = "2GB"
    cores     = 1
  }
}

executor "local" "this" {
  isolation = "best_effort" # competitions omit this and require full isolation
}

stage "validate" "single_query" {
  runs       = stage.execute.single_query.runs
  benchmarks = stage.cap.single_query.benchmarks
}

# The entrants are joined last, so that a corrected team only changes what follows.
stage "verdicts" "single_query" {
  verdicts = stage.validate.single_query.verdicts
  entrants = solver
}

stage "score" "single_query" {
  verdicts = stage.verdicts.single_query.verdicts
  rules    = competition.rules.scoring
}

# How certain the ranking is. It affects no result and can be removed.
stage "confidence" "single_query" {
  verdicts = stage.verdicts.single_query.verdicts
  rules    = competition.rules.scoring
  seed     = local.seed
}

stage "report" "site" {
  name         = competition.name
  year         = competition.year
  scores       = [stage.score.single_query.scores]
  verdicts     = [stage.verdicts.single_query.verdicts]
  runs         = [stage.execute.single_query.runs]
  benchmarks   = [stage.cap.single_query.benchmarks]
  recognitions = [stage.score.single_query.recognitions]
  confidence   = [stage.confidence.single_query.confidence]
  sensitivity  = [stage.confidence.single_query.sensitivity]
  selection    = { single_query = stage.cap.single_query.selection }
  exclusions   = { single_query = stage.filter.usable.exclusions }
  rules        = competition.rules.document
  solvers      = solver
}

output "podium" {
  value = stage.score.single_query.scores
}

output "scores" {
  value = stage.score.single_query.scores
  path  = "results/scores.csv"
}

output "site" {
  value = stage.report.site.files
  path  = "site"
}
