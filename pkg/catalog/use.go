package catalog

import (
	"regexp"
	"strings"
)

// Use is what a line does with a column.
type Use string

// The uses.
const (
	Writes Use = "writes"
	Reads  Use = "reads"
	Names  Use = "names" // and nobody can tell more by the words around it
)

// verbs are the words of SQL that say what is done with the columns behind them.
var verbs = regexp.MustCompile(`(?i)\b(insert\s+into|replace\s+into|merge\s+into|update|set|select|where|from|join|on|and|or|having|returning|values|(?:group|order)\s+by|create\s+table|alter\s+table)\b`)

// writing are those behind which columns are written.
var writing = map[string]bool{"insert into": true, "replace into": true, "merge into": true, "update": true, "set": true}

// assigned says that something is assigned to what stands before it.
var assigned = regexp.MustCompile(`^["'\x60\])]*\s*(:=|=[^=~>]|=$)`)

// UseOf tells what is done with a column that stands in a line from one byte to another,
// by the words of SQL before it, in the line or in those above, and by what is assigned.
// It goes by words alone: a program may do anything with what it calls by this name.
func UseOf(above []string, line string, from, to int) Use {
	text := strings.Join(above, "\n") + "\n" + line[:from]
	if all := verbs.FindAllString(text, -1); len(all) > 0 {
		switch last := strings.ToLower(strings.Join(strings.Fields(all[len(all)-1]), " ")); {
		case last == "create table" || last == "alter table":
			return Names
		case writing[last]:
			return Writes
		default:
			return Reads
		}
	}
	if assigned.MatchString(line[to:]) {
		return Writes
	}
	return Names
}
