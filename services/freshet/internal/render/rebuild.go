package render

import (
	"fmt"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/freshet/internal/forecast"
)

// Rebuild tells what is built in another way than before, and what that takes.
// Without fields nobody knows how it was built before.
func Rebuild(fields []contract.BuildChange, r forecast.Rebuild, measured, meanwhile bool) []string {
	why := "it was built by another version of freshet"
	if len(fields) > 0 {
		why = buildChanges(fields)
	}
	out := []string{"the index is built in another way than before: " + why}
	if r.Kept > 0 {
		out = append(out, fmt.Sprintf("%s with %s are there already: their vectors hold", terminal.Documents(r.Kept), terminal.Plural(r.KeptPassages, "passage", "passages")))
	}
	if r.Left.Documents == 0 {
		return append(out, "nothing has to be cut and embedded again")
	}
	left := fmt.Sprintf("%s (%s) are cut and embedded again", terminal.Documents(r.Left.Documents), terminal.Bytes(r.Left.Bytes))
	if measured {
		left += fmt.Sprintf(": about %s passages, %s, and %s of disk until what was there before is removed; %s",
			estimated(r.Left.Passages), about(r.Left.Seconds), terminal.Bytes(r.Disk.Log+r.Disk.Stores), r.Left.CostNote)
	}
	if !meanwhile {
		return append(out, left, "what was there before cannot go on answering: until it is built, what is missing is listed as pending")
	}
	return append(out, left, "what was there before answers meanwhile, and follows changes; `freshet status` tells how far the new is")
}

// buildChanges lists what differs, field by field.
func buildChanges(fields []contract.BuildChange) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = terminal.Printable(fmt.Sprintf("%s %s → %s", f.Field, f.Before, f.Now))
	}
	return strings.Join(parts, ", ")
}
