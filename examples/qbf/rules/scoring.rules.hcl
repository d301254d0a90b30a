# Solved formulas, then CPU time. Solvers with a wrong answer rank after all others.

rule_set {
  year  = 2026
  title = "QBF 2026"
}

score "answers" {
  cite   = "Ranking"
  tracks = ["PCNF"]
  let {
    decides = r.wall_s <= T && (r.answer == "sat" || r.answer == "unsat")
    wrong   = decides && (r.validation == "invalid" || b.status != "unknown" && r.answer != b.status)
    solved  = decides && r.validation == "valid" && !wrong
  }
  e      = wrong
  n      = solved ? 1 : 0
  solved = solved
  claim  = decides ? r.answer : ""
  w      = solved ? r.wall_s : 0
  c      = solved ? r.cpu_s : 0
}

view "solved" {
  cite   = "Ranking"
  tracks = ["PCNF"]
  order  = ["e", "-n", "c"]
  show   = ["e", "n", "c", "w"]
}

competitive {
  teams = 1
}
