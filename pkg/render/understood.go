package render

import (
	"fmt"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// understood says in one line how a question was read.
func understood(u *contract.Understood) string {
	parts := []string{"text " + terminal.Printable(u.Text)}
	for _, list := range []struct {
		label  string
		pieces []string
	}{{"must hold", u.Must}, {"uses of", u.Refs}, {"without", u.Without}, {"only", u.Filters}, {"as text", u.AsText}} {
		if len(list.pieces) > 0 {
			parts = append(parts, list.label+" "+terminal.Printable(strings.Join(list.pieces, " ")))
		}
	}
	for i := range u.Places {
		p := &u.Places[i]
		parts = append(parts, fmt.Sprintf("#%d %s", p.Place, named(p)))
	}
	return strings.Join(parts, "  ")
}

// named is a place as it was typed.
func named(p *contract.Place) string {
	name := fmt.Sprintf("%s:%d", terminal.Printable(p.Path), p.Line)
	if p.Function != "" {
		name += " " + terminal.Printable(p.Function)
	}
	return name
}

// frameOf says which of the places of a question a hit holds.
func frameOf(u *contract.Understood, at contract.HitPlace) string {
	name := fmt.Sprintf("#%d", at.Place)
	if u == nil || len(u.Places) < 2 {
		return fmt.Sprintf("line %d", at.Line)
	}
	for i := range u.Places {
		if p := &u.Places[i]; p.Place == at.Place && p.Function != "" {
			name += " " + terminal.Printable(p.Function)
		}
	}
	return fmt.Sprintf("%s, line %d", name, at.Line)
}

// missingPlaces says which places of a question there are not.
func missingPlaces(u *contract.Understood) (lines []string) {
	if u == nil {
		return nil
	}
	var files, ends []contract.Place
	for _, p := range u.Places {
		switch {
		case !p.Known:
			files = append(files, p)
		case !p.Found:
			ends = append(ends, p)
		}
	}
	name := func(p contract.Place) string { return named(&p) }
	return append(some(files, "not indexed: ", name), some(ends, "no such line: ", name)...)
}

// quotedList names pieces of a question.
func quotedList(pieces []string) string {
	quoted := make([]string, len(pieces))
	for i, p := range pieces {
		quoted[i] = "`" + terminal.Printable(p) + "`"
	}
	return strings.Join(quoted, ", ")
}
