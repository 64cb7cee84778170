package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/freshet/internal/forecast"
)

// Rebuild tells what is built in another way than before, and what that takes.
// Without fields nobody knows how it was built before.
func Rebuild(c forecast.Change) []string {
	fields, r := c.Fields, c.Rebuild
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
	if c.Estimated {
		left += fmt.Sprintf(": about %s passages, %s, and %s of disk until what was there before is removed; %s",
			estimated(r.Left.Passages), about(r.Left.Seconds), terminal.Bytes(r.Disk.Log+r.Disk.Stores), r.Left.CostNote)
	}
	out = append(out, left)
	switch {
	case c.Held != "":
		return append(out, Sentence("this is held: "+c.Above+"; what was there before answers, and follows changes",
			[]document.Action{{Do: document.DoBuildAccept, Value: string(c.Held)}, {Do: document.DoRaiseLimit, Setting: "limits"}}))
	case c.Meanwhile:
		return append(out, "what was there before answers meanwhile, and follows changes; `freshet status` tells how far the new is")
	case c.Above != "":
		out = append(out, c.Above+": it is begun all the same, since nothing would answer meanwhile")
	}
	return append(out, "what was there before cannot go on answering: until it is built, what is missing is listed as pending")
}

// NextBuild writes what is built to take the place of what answers, and what that
// takes where it is held; nothing for nil.
func NextBuild(w io.Writer, n *contract.NextBuild) error {
	if n == nil {
		return nil
	}
	p := &terminal.Printer{W: w}
	if n.Held == nil {
		p.Linef("rebuilding: %s; %s of %s are searchable in it, what was there before answers meanwhile", buildChanges(n.Changes), terminal.Count(n.Documents-n.Pending), terminal.Documents(n.Documents))
		return p.Err
	}
	p.Linef("not rebuilt: %s; %s", buildChanges(n.Changes), takes(n.Held))
	return p.Err
}

// takes says what a build that is held would take.
func takes(h *contract.HeldBuild) string {
	out := fmt.Sprintf("it would cut and embed %s (%s)", terminal.Documents(h.Documents), terminal.Bytes(h.Bytes))
	if h.Passages == 0 {
		return out
	}
	return out + fmt.Sprintf(": about %s passages, %s tokens, %s, and %s of disk; %s",
		terminal.Count(h.Passages), terminal.Count(h.Tokens), about(h.Seconds), terminal.Bytes(h.Disk), terminal.Printable(h.CostNote))
}

// Accepted says what is built now that was held.
func Accepted(a contract.BuildAccepted) string {
	if a.Build == "" {
		return "there was nothing to accept: no build is held"
	}
	return "it is built now: " + buildChanges(a.Changes) + "; what was there before answers until it is complete"
}

// buildChanges lists what differs, field by field.
func buildChanges(fields []contract.BuildChange) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = terminal.Printable(fmt.Sprintf("%s %s → %s", f.Field, f.Before, f.Now))
	}
	return strings.Join(parts, ", ")
}
