# Scoring with your own rule set. Compare with-go.hcl and with-python.hcl: only the stage "scores" differs.

competition {
  name = "Quick answers"
  year = 2026
}

# Invented judged runs. In a competition this is the stage "validate".
stage "command" "judged" {
  program = file("judged.py")
}

stage "score" "scores" {
  verdicts = stage.command.judged.verdicts
  rules    = file("rules/quick.hcl")
}

# Scores by the 2026 rules, to see what would change.
stage "score" "official" {
  verdicts = stage.command.judged.verdicts
  rules    = competition.rules.scoring
}
