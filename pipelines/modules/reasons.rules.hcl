# The consequences of a reason against an entrant, unless a year's rules override them in a block "reason" of "entrants":
#
#   seed      its number counts for the competition's seed
#   runs      it is executed
#   competes  it counts for whatever is computed from competitive solvers
#   ranked    it has a rank
#
# "section" refers to the year's rules.

entrants {
  # Entered by the organisers. They may include any other solver, and the seed is the sum of the numbers of all other entrants.
  reason "comparison" {
    seed     = false
    runs     = true
    competes = false
    ranked   = true
  }

  # Entrants that the rules do not admit are executed, and their results are published.
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

  # A reason stated in published results.
  reason "barred" {
    seed     = true
    runs     = true
    competes = false
    ranked   = true
  }

  # No rules document says what happens if authors withdraw their solver. After the final deadline, its number stays in the seed,
  # which is public by then, and its runs are kept.
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

  # Deadlines apply to entrants. A late solver may be included like any other solver that did not enter.
  reason "late" {
    seed     = false
    runs     = true
    competes = false
    ranked   = true
  }
}
