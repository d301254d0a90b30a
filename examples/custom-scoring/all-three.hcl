# The three ways side by side, and a site of one of them: the later stages accept any table of scores.

competition {
  name = "Quick answers"
  year = 2026
}

stage "command" "judged" {
  program = file("judged.py")
}

stage "score" "rule_set" {
  verdicts = stage.command.judged.verdicts
  rules    = file("rules/quick.hcl")
}

stage "command" "go" {
  program = file("bin/goscore") # CGO_ENABLED=0 go build -o bin/goscore ./goscore
  inputs  = { verdicts = stage.command.judged.verdicts }
}

stage "command" "python" {
  program = file("score.py")
  inputs  = { verdicts = stage.command.judged.verdicts }
}

stage "score" "official" {
  verdicts = stage.command.judged.verdicts
  rules    = competition.rules.scoring
}

stage "report" "site" {
  scores = [stage.command.python.scores]
}
