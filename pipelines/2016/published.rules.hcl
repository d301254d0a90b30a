# SMT-COMP 2016: how the published tables were computed, where this differs from 2015.

published {
  weighted   = true # benchmarks weigh by their families (§7.3), but not in the application track
  views      = ["par"]
  industrial = true
  time_limit = true
  wide       = "-e" # the document of the year, §7.4
}

published {
  tracks   = ["incremental"]
  weighted = false

  # Solver names on the pages, where StarExec's table has other names.
  solver_names = {
    "CVC4-master-2015-06-15-9b32405-application" = "CVC4"
    "MapleSTP-final"                             = "MapleSTP"
    "MapleSTP-mt-final"                          = "MapleSTP-mt"
    "mathsat-5.3.11-linux-x86_64-Application"    = "MathSat5"
    "stp-cms-exp-fixed-2016"                     = "stp-cms-exp"
    "stp-cms-mt-fixed-2016"                      = "stp-cms-mt"
    "stp-cms-st-fixed-2016"                      = "stp-cms-st"
    "stp-minisat-st-fixed-2016"                  = "stp-minisat-st"
    "Yices-2.4.2 incremental"                    = "Yices2"
    "z3-4.4.1"                                   = "z3"
    "smtinterpol-2.1-258-g92ab3df"               = "SMTInterpol"
  }
}

published {
  tracks = ["unsat_core"]

  # As above.
  solver_names = {
    "mathsat-5.3.11-linux-x86_64-Unsat-core" = "MathSat5"
    "smtinterpol-2.1-258-g92ab3df"           = "SMTInterpol"
    "veriT-dev"                              = "veriT"
    "z3-4.4.1"                               = "z3"
  }
}
