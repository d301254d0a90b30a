# The score is PAR-2: the time of a run, or twice the limit if it did not solve the benchmark. Solvers with a wrong
# answer rank after all others.

rule_set {
  year  = 2026
  title = "SAT 2026"
}

score "answers" {
  cite   = "Ranking"
  tracks = ["answers", "proofs"]
  let {
    decides = r.wall_s <= T && (r.answer == "sat" || r.answer == "unsat")
    denied  = b.status != "unknown" && r.answer != b.status || r.answer == "unsat" && b.sound_sat
    wrong   = decides && (r.validation == "invalid" || denied)
    checked = r.validation == "valid" || r.answer == "unsat" && track == "answers"
  }
  e      = wrong
  n      = decides && checked && !wrong ? 1 : 0
  solved = decides && checked && !wrong
  claim  = decides ? r.answer : ""
  w      = r.wall_s
  c      = r.cpu_s
}

view "par2" {
  cite   = "Ranking"
  tracks = ["answers", "proofs"]
  w      = p.solved ? p.w_s : 2 * T
  c      = p.solved ? p.c_s : 2 * T
  absent {
    w = 2 * T
    c = 2 * T
  }
  order = ["e", "w"]
  show  = ["e", "n", "w", "c"]
}

# A track has a winner, whoever entered it.
competitive {
  teams = 1
}
