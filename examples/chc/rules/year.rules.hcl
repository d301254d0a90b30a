# A competition like CHC-COMP. It has tracks instead of divisions: each ranks its solvers on benchmarks in
# the single logic HORN.

rules {
  year     = 2026
  title    = "CHC-COMP 2026"
  document = "CHC-COMP rules (chc-comp.github.io)"
}

# One answer per benchmark, sat or unsat, in every track.
track "LIA-Lin" { kind = "single_query" }        # linear integer arithmetic, linear clauses
track "LIA-Nonlin" { kind = "single_query" }     # linear integer arithmetic, nonlinear clauses
track "LIA-Lin-Arrays" { kind = "single_query" } # with arrays, linear clauses
track "LRA-TS" { kind = "single_query" }         # linear real arithmetic, transition systems: one relation
track "BV" { kind = "single_query" }             # bit-vectors

divisions {
  tracks       = ["LIA-Lin", "LIA-Nonlin", "LIA-Lin-Arrays", "LRA-TS", "BV"]
  single_logic = ["HORN"]
}
