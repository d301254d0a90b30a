# SMT-COMP 2023: what differs from 2022. The tables of this year are scored by the document of 2022.

rules {
  base  = "2022"
  year  = 2023
  title = "SMT-COMP 2023"
}

# The organisers' validator treats additional definitions in a model as helpers.
validation {
  model_defines_declared = false
}

# Tracks, divisions and logics. Source: SMT-COMP 2023, the divisions of the organisers.

divisions {
  tracks = ["single_query", "unsat_core", "proof", "cloud", "parallel"]
  logics = {
    "Equality+MachineArith"      = "ABV ABVFP ABVFPLRA AUFBV AUFBVDTLIA AUFBVDTNIA AUFBVDTNIRA AUFBVFP AUFFPDTNIRA UFBV UFBVDT UFBVFP UFBVLIA UFFPDTNIRA"
    "Equality+NonLinearArith"    = "ANIA AUFDTNIRA AUFNIA AUFNIRA UFDTNIA UFDTNIRA UFNIA"
    "QF_Equality+Bitvec"         = "QF_ABV QF_AUFBV QF_UFBV QF_UFBVDT"
    "QF_Equality+LinearArith"    = "QF_ALIA QF_AUFLIA QF_UFDTLIA QF_UFDTLIRA QF_UFIDL QF_UFLIA QF_UFLRA"
    "QF_Equality+NonLinearArith" = "QF_ANIA QF_AUFNIA QF_UFDTNIA QF_UFNIA QF_UFNRA"
  }
}

divisions {
  tracks = ["incremental"]
  logics = {
    "QF_FPArith" = "QF_ABVFP QF_ABVFPLRA QF_BVFP QF_BVFPLRA QF_FP QF_UFFP"
  }
}

divisions {
  tracks = ["model_validation"]
  logics = {
    "QF_ADT+BitVec"              = "QF_ABV QF_AUFBV QF_UFBVDT"
    "QF_ADT+LinArith"            = "QF_ALIA QF_AUFLIA QF_AX QF_UFDTLIA QF_UFDTLIRA"
    "QF_Datatypes"               = "QF_DT QF_UFDT"
    "QF_Equality+NonLinearArith" = "QF_ANIA QF_AUFNIA QF_UFDTNIA QF_UFNIA QF_UFNRA"
    "QF_FPArith"                 = "QF_ABVFP QF_ABVFPLRA QF_AUFBVFP QF_BVFP QF_BVFPLRA QF_FP QF_FPLRA QF_UFFP QF_UFFPDTNIRA"
    "QF_NonLinearIntArith"       = "QF_NIA QF_NIRA"
    "QF_NonLinearRealArith"      = "QF_NRA"
  }
}
