# SMT-COMP 2008: the year's rules except its tracks (tracks.hcl) and its scoring (scoring.rules.hcl). "§" is a section of
# the rules document of that year.

rules {
  year     = 2008
  title    = "SMT-COMP 2008"
  document = "SMT-COMP 2008 rules"
}

# §4, Pseudo-random numbers: the integer part of the opening value of the stock index times the factor is added.
seed {
  index_factor = 1
}

# §4, the problem divisions that the rules expect; +p and -p are with and without patterns.
divisions {
  tracks = ["single_query"]
  single_logic = [
    "QF_UF", "QF_RDL", "QF_IDL", "QF_UFIDL", "QF_UFLIA", "QF_LRA", "QF_LIA", "QF_AX", "QF_AUFLIA", "QF_BV", "QF_AUFBV",
    "AUFLIA+p", "AUFLIA-p", "AUFLIRA+p", "AUFLIRA-p",
  ]
}

# §2, Wrapper tools: the wrapped tool must enter every division that the wrapper tool enters.
entrants {
  base_must_enter   = true
  wrapped_are_bases = true
  seed_bits         = 32           # System description
  first             = "2008-07-04" # Deadlines
  final             = "2008-07-06"

  reason "comparison" {
    section = "§2 \"Other systems\""
  }

  reason "no_base" {
    section = "§2 \"Wrapper tools\""
  }

  # What only people can decide.
  question "description" {
    due     = "final"
    section = "§2 \"System description\""
    text    = "The system description lists all authors with their affiliations and says which approach the solver takes, and the programming languages"
  }

  question "wrapped" {
    of      = "wrapper"
    due     = "first"
    section = "§2 \"Wrapper tools\""
    text    = "The author of a wrapped tool that is newer than last year's competition has given permission"
  }
}

# §3, Input and Output: formulas of SMT-LIB 1.2, on standard input.
scripts {
  section   = "§3 Input and Output"
  version_1 = true
  tracks    = ["single_query"]
}

# §3 and §5.
validation {
  drop_late = true # §3, Timeouts
}
