# The score by the rules: benchmarks solved correctly minus twice those solved incorrectly. Ties are broken by the CPU time
# of the solved benchmarks.

rule_set {
  year  = 2026
  title = "CHC-COMP 2026"
}

score "answers" {
  cite   = "Rules and competition procedure"
  tracks = ["LIA-Lin", "LIA-Nonlin", "LIA-Lin-Arrays", "LRA-TS", "BV"]
  let {
    decides = r.wall_s <= T && (r.answer == "sat" || r.answer == "unsat") # later answers are unknown
    wrong   = decides && b.status != "unknown" && r.answer != b.status
    right   = decides && !wrong
  }
  e      = wrong
  n      = right ? 1 : 0
  points = wrong ? -2 : right ? 1 : 0
  claim  = decides ? r.answer : ""
  w      = right ? r.wall_s : 0
  c      = right ? r.cpu_s : 0
}

view "score" {
  cite   = "Rules and competition procedure"
  tracks = ["LIA-Lin", "LIA-Nonlin", "LIA-Lin-Arrays", "LRA-TS", "BV"]
  order  = ["-points", "c"]
  show   = ["points", "n", "e", "c", "w"]
}

# A track has a winner, whoever entered it.
competitive {
  teams = 1
}
