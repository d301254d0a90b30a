# Scoring by a program of ours, written in Go in one file: CGO_ENABLED=0 go build -o bin/goscore ./goscore

competition {
  name = "Quick answers"
  year = 2026
}

# Made-up judged runs. In a competition this is stage "validate".
stage "command" "judged" {
  program = file("judged.py")
}

stage "command" "scores" {
  program = file("bin/goscore")
  inputs  = { verdicts = stage.command.judged.verdicts }
}

# What the rules of 2026 say, to see what would change.
stage "score" "official" {
  verdicts = stage.command.judged.verdicts
  rules    = competition.rules.scoring
}
