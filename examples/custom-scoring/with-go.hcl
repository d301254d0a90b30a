# Scoring with our own program, a single Go file: CGO_ENABLED=0 go build -o bin/goscore ./goscore

competition {
  name = "Quick answers"
  year = 2026
}

# Invented judged runs. In a competition this is the stage "validate".
stage "command" "judged" {
  program = file("judged.py")
}

stage "command" "scores" {
  program = file("bin/goscore")
  inputs  = { verdicts = stage.command.judged.verdicts }
}

# Scores by the 2026 rules, to see what would change.
stage "score" "official" {
  verdicts = stage.command.judged.verdicts
  rules    = competition.rules.scoring
}
