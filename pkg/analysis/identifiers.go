package analysis

import (
	"regexp"
	"strings"
	"unicode"
)

// namePattern is a name, qualified or not, and an opening parenthesis if it is
// called. A single colon stands before a method, as in Lua, or before what a module has,
// as in entry points of Python, where what is before it is qualified or begins with a
// capital: key:value is no name.
var namePattern = regexp.MustCompile("`?(?:(?:" + plainName + furtherName + "+|" + `\p{Lu}` + restOfName + "):" + plainName + "|" + plainName + furtherName + "*)[(`]?")

// Parts of namePattern.
const (
	restOfName  = `[\p{L}\p{M}\p{N}_]*`
	plainName   = `[\p{L}_]` + restOfName
	furtherName = `(?:(?:\.|::|->|#)[\p{L}_$]` + restOfName + `)`
)

// Identifiers returns the identifiers of a query as they were typed, each
// once, in order, without the parentheses of a call: names in camelCase or
// snake_case, qualified names (http.Client, std::vector), names that are
// called or stand in backquotes, and the only word of a query of one word.
func Identifiers(text string) []string {
	if fields := strings.Fields(text); len(fields) == 1 {
		if only := namePattern.FindString(text); only != "" && !isPath(fields[0]) &&
			strings.Trim(fields[0], "`()$@&*!?;,.\"'") == strings.Trim(only, "`(") {
			return []string{strings.Trim(only, "`(")}
		}
	}
	return ShapedIdentifiers(text)
}

// ShapedIdentifiers returns the identifiers of a text that show by their
// shape. File names and paths have none.
func ShapedIdentifiers(text string) []string {
	var found []string
	seen := make(map[string]bool)
	for field := range strings.FieldsSeq(text) {
		if isPath(field) {
			continue
		}
		for _, at := range namePattern.FindAllStringIndex(field, -1) {
			match := field[at[0]:at[1]]
			id := strings.Trim(match, "`(")
			quoted := len(match) > 2 && match[0] == '`' && match[len(match)-1] == '`'
			called := strings.HasSuffix(match, "(") && !isPlural(field[at[1]:])
			if !seen[id] && (quoted || called || hasIdentifierShape(id)) {
				seen[id] = true
				found = append(found, id)
			}
		}
	}
	return found
}

// isPlural reports whether what follows a parenthesis is that of "file(s)".
func isPlural(rest string) bool {
	return strings.HasPrefix(rest, "s)") || strings.HasPrefix(rest, "es)")
}

// abbreviations look like qualified names.
var abbreviations = wordSet("e.g i.e a.k.a")

// hasIdentifierShape reports whether a name can hardly be an ordinary word.
func hasIdentifierShape(id string) bool {
	if strings.ContainsAny(id, "_:#>") {
		return strings.ContainsFunc(id, unicode.IsLetter)
	}
	if strings.Contains(id, ".") {
		return !abbreviations[strings.ToLower(id)]
	}
	return hasInnerCase(strings.TrimSuffix(id, "s"))
}

// hasInnerCase reports whether case changes within a word as it does in
// camelCase and HTTPServer, but not in Word, WORD or (without its s) URLs.
func hasInnerCase(id string) bool {
	lower, upper := false, false // seen, the first letter not counted for lower
	for i, r := range id {
		switch {
		case unicode.IsUpper(r):
			if lower {
				return true
			}
			upper = upper || i > 0
		case unicode.IsLower(r):
			if upper {
				return true
			}
			lower = true
		}
	}
	return false
}
