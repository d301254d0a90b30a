# What follows from a reason against an entrant, unless the rules of a year say otherwise in a block "reason" of their "entrants":
#
#   seed      its number counts for the competition's seed
#   runs      it is executed
#   competes  it counts for whatever is computed from competitive solvers
#   ranked    it has a rank
#
# "section" is that of the year's rules.

entrants {
  # Entered by the organisers. They may include any other solver, and the seed is the sum of the numbers of all other entrants.
  reason "comparison" {
    seed     = false
    runs     = true
    competes = false
    ranked   = true
  }

  # What the rules do not admit is executed, and its results are published.
  reason "portfolio" {
    seed     = true
    runs     = true
    competes = false
    ranked   = true
  }

  reason "no_base" {
    seed     = true
    runs     = true
    competes = false
    ranked   = true
  }

  # A reason that came with published results.
  reason "barred" {
    seed     = true
    runs     = true
    competes = false
    ranked   = true
  }

  # No rules document says what follows when authors withdraw their solver. After the final deadline, its number stays in the seed,
  # which everybody knows by then, and its runs are kept.
  reason "withdrawn" {
    seed     = true
    runs     = true
    competes = false
    ranked   = false
  }

  reason "disqualified" {
    seed     = true
    runs     = true
    competes = false
    ranked   = false
  }

  # Deadlines are those of entrants. A late solver may be included like any other that did not enter.
  reason "late" {
    seed     = false
    runs     = true
    competes = false
    ranked   = true
  }
}
