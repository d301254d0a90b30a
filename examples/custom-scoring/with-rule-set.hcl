# Scoring by a rule set of one's own. Compare with-go.hcl and with-python.hcl: only the stage "scores" is another.

competition {
  name = "Quick answers"
  year = 2026
}

# Made-up judged runs. In a competition this is stage "validate".
stage "command" "judged" {
  program = file("judged.py")
}

stage "score" "scores" {
  verdicts = stage.command.judged.verdicts
  rules    = file("rules/quick.hcl")
}

# What the rules of 2026 say, to see what would change.
stage "score" "official" {
  verdicts = stage.command.judged.verdicts
  rules    = competition.rules.scoring
}
