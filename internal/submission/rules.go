package submission

// Rules is what the rules of a year say about entrants. The zero Rules ask for nothing. The fields have the names of the
// block "entrants" in the rules of a year.
type Rules struct {
	// BaseMustEnter: the solver that another one is made of enters as well, for the same track and logics.
	// Source: SMT-COMP 2026 rules, §4 "Derived Tool"; 2008 rules, §2 "Wrapper tools". The rules of 2019 and 2022 only
	// say how a derived solver should be named.
	BaseMustEnter bool `hcl:"base_must_enter,optional" cty:"base_must_enter"`

	// WrappedAreBases: the base solver of a wrapper tool is the tool that it wraps (2008 rules, §2 "Wrapper tools").
	WrappedAreBases bool `hcl:"wrapped_are_bases,optional" cty:"wrapped_are_bases"`

	// PortfolioTracks are the tracks in which portfolio solvers may enter; nil: all.
	// Source: SMT-COMP 2022 and 2026 rules, §4 "Portfolio Solver".
	PortfolioTracks []string `hcl:"portfolio_tracks,optional" cty:"portfolio_tracks"`

	// SolversPerTeam is how many solvers a team is encouraged not to exceed in a track; 0: no number is given.
	// Source: SMT-COMP 2022 and 2026 rules, §4 "Multiple versions".
	SolversPerTeam int `hcl:"solvers_per_team,optional" cty:"solvers_per_team"`
}
