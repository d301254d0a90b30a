# SMT-COMP 2018: how the published tables were computed, where this differs from 2015.

published {
  weighted   = true # benchmarks weigh by their families (§7.3), but not in the application track
  views      = ["par"]
  industrial = true
  time_limit = true
  wide       = "-4" # the document of the year, §7.5
}

published {
  tracks   = ["incremental"]
  weighted = false

  # Solver names on the pages, where StarExec's table has other names.
  solver_names = {
    "MathSAT" = "mathsat-5.5.2"
    "Yices"   = "Yices2"
    "Z3"      = "z3-4.7.1"
  }
}

published {
  tracks = ["unsat_core"]

  # As above.
  solver_names = {
    "master-2018-06-10-b19c840-proofs-unsat_cores" = "CVC4"
    "SMTInterpol-2.5-19-g0d39cdee"                 = "SMTInterpol"
    "mathsat-5.5.2-linux-x86_64-Unsat-Core"        = "mathsat-5.5.2"
  }
}
