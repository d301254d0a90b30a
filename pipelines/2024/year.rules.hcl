# SMT-COMP 2024: what differs from 2026. The tables of this year are scored by the document of 2026.

rules {
  base  = "2026"
  year  = 2024
  title = "SMT-COMP 2024"
}

# The organisers added the opening value (17817), not 100 times the value: their seed was 42434983.
seed {
  index_factor = 1
}

# Tracks, divisions and logics. Source: SMT-COMP 2024, the organisers' table of divisions.

divisions {
  tracks = ["proof", "cloud"]
  like   = "single_query"
}

divisions {
  tracks = ["single_query", "unsat_core", "proof", "cloud", "parallel"]
  logics = {
    "Equality+MachineArith" = "ABV ABVFP ABVFPLRA AUFBV AUFBVDTLIA AUFBVDTNIA AUFBVDTNIRA AUFBVFP AUFFPDTNIRA UFBV UFBVDT UFBVFP UFBVLIA UFFPDTNIRA"
  }
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
