# Scoring by a program of thirty lines of Python.

competition {
  name = "Quick answers"
  year = 2026
}

# Made-up judged runs. In a competition this is stage "validate".
stage "command" "judged" {
  program = file("judged.py")
}

stage "command" "scores" {
  program = file("score.py")
  inputs  = { verdicts = stage.command.judged.verdicts }
}

# What the rules of 2026 say, to see what would change.
stage "score" "official" {
  verdicts = stage.command.judged.verdicts
  rules    = competition.rules.scoring
}
