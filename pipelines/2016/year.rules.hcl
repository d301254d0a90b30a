# SMT-COMP 2016: what differs from 2015. The tables of this year are scored by the document of 2015.

rules {
  base  = "2015"
  year  = 2016
  title = "SMT-COMP 2016"
}
