package functions

// Doc describes a function in words.
type Doc struct {
	Name      string
	Signature string
	Text      string
	Group     string
}

// Docs returns the descriptions of all the language's functions, in the order of their groups.
func Docs() []Doc {
	var all []Doc
	for _, g := range docGroups {
		for _, d := range g.docs {
			all = append(all, Doc{d.name, d.signature, d.text, g.name})
		}
	}
	return all
}

type docEntry struct{ name, signature, text string }

var docGroups = []struct {
	name string
	docs []docEntry
}{
	{"The competition", []docEntry{
		{"competition_seed", "competition_seed(seeds, opening)", "The seed of the rules: the sum of the entrants' " +
			"numbers modulo 2^30, plus the integer taken from the opening value of the index."},
		{"division", "division(tracks, track, logic)",
			"The division of a logic in a track; null if it has none. tracks is competition.tracks or that of other rules."},
		{"logics", "logics(tracks, track, division)", "The logics of a division in a track."},
		{"rules", "rules(name)", "The rules of a year that smtpipe knows, or of a folder: what " +
			"competition.rules is for another competition."},
		{"track_has", "track_has(tracks, track, logic)", "Whether a track has the logic in one of its divisions."},
		{"bytes", "bytes(size)", "A size such as \"30GB\", in bytes."},
		{"seconds", "seconds(duration)", "A duration such as \"20m\", in seconds."},
	}},
	{"Files", []docEntry{
		{"file", "file(path)", "One file or folder, like an element of fileset(): an input, identified by its content."},
		{"fileset", "fileset(pattern, ...)", "The files that match the patterns, sorted; **, *, ? and [a-z] as in " +
			"glob_match. They are inputs, identified by their content."},
		{"file_name", "file_name(file)", "The last part of a file's name."},
		{"file_text", "file_text(file)", "The text (UTF-8) of a file in the pipeline's folder; links must not lead " +
			"out of that folder. file is a path, or a value of file() or fileset()."},
	}},
	{"Text", []docEntry{
		{"chomp", "chomp(text)", "The text without the line breaks at its end."},
		{"endswith", "endswith(text, suffix)", "Whether a text ends with another."},
		{"format", "format(form, values...)", "A text formatted as in C: %d, %s, %q, %05.2f."},
		{"formatlist", "formatlist(form, lists...)", "format for each element of lists."},
		{"glob_match", "glob_match(pattern, text)", "Whether a text matches a pattern: * any text without a slash, ? one " +
			"character, [a-z] a range, ** any number of folders."},
		{"indent", "indent(spaces, text)", "The text with all lines but the first indented."},
		{"join", "join(separator, list)", "The elements of a list, joined by a separator."},
		{"lower", "lower(text)", "The text in lower case."},
		{"regex", "regex(pattern, text)", "The match of a regular expression (RE2), or its groups; no match is an " +
			"error."},
		{"regexall", "regexall(pattern, text)", "All matches of a regular expression."},
		{"regexreplace", "regexreplace(text, pattern, by)",
			"The text with all matches of a regular expression replaced."},
		{"replace", "replace(text, part, by)", "The text with all occurrences of a substring replaced."},
		{"split", "split(separator, text)", "The parts of a text between separators."},
		{"startswith", "startswith(text, prefix)", "Whether a text starts with a prefix."},
		{"strlen", "strlen(text)", "The number of characters."},
		{"strrev", "strrev(text)", "The text backwards."},
		{"substr", "substr(text, offset, length)", "A part of a text; a negative offset counts from the end, length " +
			"-1 takes the rest."},
		{"title", "title(text)", "The text with the first letter of each word capitalized."},
		{"trim", "trim(text, characters)", "The text with these characters removed from both ends."},
		{"trimprefix", "trimprefix(text, prefix)", "The text without a prefix."},
		{"trimspace", "trimspace(text)", "The text without white space at both ends."},
		{"trimsuffix", "trimsuffix(text, suffix)", "The text without a suffix."},
		{"upper", "upper(text)", "The text in upper case."},
	}},
	{"Numbers", []docEntry{
		{"abs", "abs(number)", "The number without its sign."},
		{"ceil", "ceil(number)", "The smallest whole number that is not smaller."},
		{"floor", "floor(number)", "The largest whole number that is not larger."},
		{"log", "log(number, base)", "The logarithm."},
		{"max", "max(numbers...)", "The largest of the numbers; max(list...) for a list."},
		{"min", "min(numbers...)", "The smallest of the numbers."},
		{"parseint", "parseint(text, base)", "The whole number that a text represents in a base from 2 to 62."},
		{"pow", "pow(number, exponent)", "A power."},
		{"signum", "signum(number)", "-1, 0 or 1, the sign of a number."},
		{"sum", "sum(numbers)", "The sum of a list; 0 for an empty one."},
	}},
	{"Lists, sets and maps", []docEntry{
		{"chunklist", "chunklist(list, size)", "The list split into chunks of at most this size."},
		{"coalesce", "coalesce(values...)", "The first value that is not null."},
		{"coalescelist", "coalescelist(lists...)", "The first list that is not empty."},
		{"compact", "compact(list)", "The list without empty texts and nulls."},
		{"concat", "concat(lists...)", "Lists one after the other."},
		{"contains", "contains(list, value)", "Whether a list or set has a value."},
		{"distinct", "distinct(list)", "The list without repetitions; at most 10,000 elements, `toset` takes more."},
		{"element", "element(list, index)", "An element, counted from 0; counting continues at the start."},
		{"flatten", "flatten(list)", "The list with nested lists replaced by their elements."},
		{"index", "index(list, value)", "The index of a value, from 0."},
		{"keys", "keys(map)", "The keys of a map, sorted."},
		{"length", "length(value)", "The number of elements, or of characters of a text."},
		{"lookup", "lookup(map, key, default)", "The element of a map, or a default."},
		{"merge", "merge(maps...)", "The maps merged into one; later maps take precedence."},
		{"range", "range(start, limit, step)", "Numbers from start up to, but not including, limit; at most 1024."},
		{"reverse", "reverse(list)", "The list backwards."},
		{"setintersection", "setintersection(sets...)", "The elements that all sets contain."},
		{"setproduct", "setproduct(sets...)", "All combinations of elements."},
		{"setsubtract", "setsubtract(set, other)", "What the first set has and the other does not."},
		{"setunion", "setunion(sets...)", "What any set has."},
		{"slice", "slice(list, from, to)", "The elements from one index up to, but not including, another."},
		{"sort", "sort(list)", "A list of texts in the order of code points."},
		{"values", "values(map)", "The elements of a map in the order of its keys."},
		{"zipmap", "zipmap(keys, values)", "A map from a list of keys and a list of values."},
	}},
	{"Conversion", []docEntry{
		{"csvdecode", "csvdecode(text)", "The rows of a CSV text as objects; the first line names the columns."},
		{"jsondecode", "jsondecode(text)", "The value of a JSON text."},
		{"jsonencode", "jsonencode(value)", "The JSON text of a value."},
		{"tobool", "tobool(value)", "The value as a truth value."},
		{"tolist", "tolist(value)", "The value as a list."},
		{"tomap", "tomap(value)", "The value as a map."},
		{"tonumber", "tonumber(value)", "The value as a number."},
		{"toset", "toset(value)", "The value as a set: unordered, without duplicates."},
		{"tostring", "tostring(value)", "The value as a text."},
		{"can", "can(expression)", "Whether an expression evaluates without an error."},
		{"try", "try(expressions...)", "The first expression without an error."},
	}},
}
