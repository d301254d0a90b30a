# A proposal to try with "smtpipe what-if": solved benchmarks count first, and errors only break ties.
# "smtpipe rules export 2026 -o my.rules.hcl" writes a year's rules as a starting point.

rule_set {
  year  = 2026
  title = "Solved first"
}

score "answers" {
  cite   = "our own rules"
  tracks = ["single_query"]
  let {
    decides = r.wall_s <= T && (r.answer == "sat" || r.answer == "unsat")
    wrong   = decides && b.status != "unknown" && r.answer != b.status
    right   = decides && !wrong
  }
  e      = wrong
  n      = right ? 1 : 0
  solved = right
  claim  = decides ? r.answer : ""
  w      = right ? r.wall_s : 0
  c      = right ? r.cpu_s : 0
}

view "par" {
  cite   = "our own rules"
  tracks = ["single_query"]
  order  = ["-n", "e", "w", "c"]
  show   = ["n", "e", "w", "c"]
}

competitive {
  teams = 2
}
