# The incremental track of SMT-COMP 2025, from the runs that the organisers published: the winners, and how sure they are.

competition {
  name = "SMT-COMP 2025, incremental"
  year = 2025
}

variable "runs" {
  type        = string
  description = "runs.csv.gz of the incremental track"
}

stage "command" "verdicts" {
  program = file("verdicts.py")
  inputs  = { runs = file(var.runs) }
}

stage "score" "incremental" {
  verdicts = stage.command.verdicts.verdicts
  rules    = competition.rules.scoring
  reading  = "published"
}

stage "confidence" "incremental" {
  verdicts  = stage.command.verdicts.verdicts
  rules     = competition.rules.scoring
  reading   = "published"
  resamples = 200
  seed      = 2025
}
