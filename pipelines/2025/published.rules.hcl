# SMT-COMP 2025: what the published tables have that 2026 has not yet.

published {
  result_date = "2025-08-11"
}
