# SMT-COMP 2008: what the rules of the year say beside its tracks (tracks.hcl) and its scoring (scoring.rules.hcl). "§" is a section of
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
