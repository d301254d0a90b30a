# Quick answers count twice. An example of a rule set; "smtpipe rules export 2026" gives a larger one.

rule_set {
  year  = 2026
  title = "Quick answers"
}

score "quick" {
  cite   = "our own rules"
  tracks = ["single_query"]
  let {
    decides = r.wall_s <= T && (r.answer == "sat" || r.answer == "unsat")
    wrong   = decides && b.status != "unknown" && r.answer != b.status
    right   = decides && !wrong
  }
  e      = wrong
  n      = right ? 1 : 0
  points = wrong ? -8 : !right ? 0 : r.wall_s <= 60 ? 2 : 1
  claim  = decides ? r.answer : ""
  w      = right ? r.wall_s : 0
  c      = right ? r.cpu_s : 0
}

view "quick" {
  cite   = "our own rules"
  tracks = ["single_query"]
  order  = ["-points", "w"]
  show   = ["points", "e", "w", "c"]
}

competitive {
  teams = 2
}

# "smtpipe check" computes it, and reports the computed ranks if they differ.
example "a quick answer counts twice, and an error costs more than it" {
  track = "single_query"
  view  = "quick"
  run {
    solver    = "quick"
    answer    = "sat"
    wall_time = "60s"
  }
  run {
    solver    = "slow"
    answer    = "sat"
    wall_time = "61s"
  }
  run {
    solver    = "wrong"
    answer    = "unsat"
    wall_time = "1s"
  }
  ranks = { quick = 1, slow = 2, wrong = 3 }
}
