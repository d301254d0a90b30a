# Values are minimised. A value counts if the checker confirms it, and b.least is the best value that any solver found.

rule_set {
  year  = 2026
  title = "PB 2026"
}

score "answers" {
  cite   = "Evaluation"
  tracks = ["OPT-LIN"]
  let {
    late     = r.wall_s > T
    solution = !late && (r.answer == "optimum" || r.answer == "sat")
    found    = solution && r.validation == "valid" && (r.has_value || !b.has_value) # no value is none, and not 0
    best     = found && r.value == b.least
    # No proof is needed to see that there is a better solution, or any solution.
    beaten = r.answer == "optimum" && r.has_value && b.has_value && b.least < r.value
    denied = r.answer == "unsat" && (b.has_value || b.status == "sat") || solution && b.status == "unsat"
    wrong  = !late && (solution && r.validation == "invalid" || beaten || denied)
    solved = !wrong && !late && (r.answer == "optimum" && best || r.answer == "unsat")
  }
  e      = wrong
  n      = solved ? 1 : 0
  solved = solved
  points = found && !wrong ? max(0, 3 - r.below) : solved ? 3 : 0 # by the rank among the values
  claim  = late ? "" : r.answer == "unsat" ? "unsat" : found ? "sat" : ""
  w      = r.wall_s
  c      = r.cpu_s
}

# Optima found and proved, then time: PAR-2.
view "optima" {
  cite   = "Evaluation"
  tracks = ["OPT-LIN"]
  w      = p.solved ? p.w_s : 2 * T
  c      = p.solved ? p.c_s : 2 * T
  absent {
    w = 2 * T
    c = 2 * T
  }
  order = ["e", "-n", "w"]
  show  = ["e", "n", "w"]
}

# How close each value is to the best one, in thousandths.
view "quality" {
  cite   = "Evaluation"
  tracks = ["OPT-LIN"]
  let {
    found = r.validation == "valid" && (r.has_value || !b.has_value) && !p.e
    ratio = r.value == b.least ? 1 : b.least > 0 ? b.least / max(r.value, 1) : max(0, r.value / min(b.least, -1))
  }
  n     = found ? floor(1000 * ratio) : p.solved ? 1000 : 0
  order = ["e", "-n"]
  show  = ["e", "n"]
}

# Three points for the best value, two for the next, one for the third.
view "places" {
  cite   = "Evaluation"
  tracks = ["OPT-LIN"]
  order  = ["e", "-points"]
  show   = ["e", "points"]
}

competitive {
  teams = 1
}
