# SMT-COMP 2025: what differs from 2026. The tables of this year are scored by the document of 2026.

rules {
  base  = "2026"
  year  = 2025
  title = "SMT-COMP 2025"
}

# Tracks that 2026 does not have.
divisions {
  tracks = ["proof", "cloud"]
  like   = "single_query"
}

entrants {
  base_must_enter     = false # the rules only say how a derived solver is named
  derived_with_source = false
}

# The tracks of 2022.
scripts {
  tracks = ["single_query", "incremental", "unsat_core", "model_validation", "proof", "parallel", "cloud"]
  options = {
    unsat_core       = ":produce-unsat-cores"
    model_validation = ":produce-models"
    proof            = ":produce-proofs"
  }
}

# Cores as in the 2022 rules.
validation {
  core_needs_unsat = false
}

# The 2026 rules, §5.5, call theirs new.
divisions {
  tracks       = ["model_validation"]
  experimental = []
}
