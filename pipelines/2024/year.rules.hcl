# SMT-COMP 2024: what differs from 2026. The tables of this year are scored by the document of 2026.

rules {
  base  = "2026"
  year  = 2024
  title = "SMT-COMP 2024"
}

# Tracks, divisions and logics. Source: SMT-COMP 2024, the organisers' table of divisions.

divisions {
  tracks = ["single_query", "unsat_core", "proof", "cloud", "parallel"]
  logics = {
    "Equality+MachineArith" = "ABV ABVFP ABVFPLRA AUFBV AUFBVDTLIA AUFBVDTNIA AUFBVDTNIRA AUFBVFP AUFFPDTNIRA UFBV UFBVDT UFBVFP UFBVLIA UFFPDTNIRA"
  }
}
