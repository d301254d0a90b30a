// Package smtcompsite writes the pages and data files of SMT-COMP's official web site, in the format that its Hugo
// theme has read since 2024, and the LaTeX input for the certificates.
//
// A page is one JSON object, which Hugo treats as the front matter of an empty page. [Site.Files] renders all files in
// memory, only from tables, so a site with errors is not written at all. The package decides nothing: order, winners
// and recognitions come from the tables. [Options] are choices that affect only the pages.
//
// # Numbers
//
// The organisers' tool writes floats like Python and its libraries: they are rounded to six decimals, half to even on
// the binary value, and then written in the shortest form that parses as the same double, always with a point or an
// exponent (2.0, 0.5, -0.0), and with an exponent below 1e-5 and from 1e16 on (1e-6). Integers have no point. Nothing
// is null.
package smtcompsite
