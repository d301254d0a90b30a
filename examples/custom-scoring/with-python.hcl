# Scoring with a Python program of thirty lines.

competition {
  name = "Quick answers"
  year = 2026
}

# Invented judged runs. In a competition this is the stage "validate".
stage "command" "judged" {
  program = file("judged.py")
}

stage "command" "scores" {
  program = file("score.py")
  inputs  = { verdicts = stage.command.judged.verdicts }
}

# Scores by the 2026 rules, to see what would change.
stage "score" "official" {
  verdicts = stage.command.judged.verdicts
  rules    = competition.rules.scoring
}
