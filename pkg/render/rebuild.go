package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// NextBuild writes what is built to take the place of what answers, and what that
// takes where it is held; nothing for nil.
func NextBuild(w io.Writer, n *contract.NextBuild) error {
	if n == nil {
		return nil
	}
	p := &terminal.Printer{W: w}
	if n.Held == nil {
		p.Linef("rebuilding: %s; %s of %s are searchable in it, what was there before answers meanwhile", BuildChanges(n.Changes), terminal.Count(n.Documents-n.Pending), terminal.Documents(n.Documents))
		return p.Err
	}
	p.Linef("not rebuilt: %s; %s", BuildChanges(n.Changes), takes(n.Held))
	return p.Err
}

// takes says what a build that is held would take.
func takes(h *contract.HeldBuild) string {
	out := fmt.Sprintf("it would cut and embed %s (%s)", terminal.Documents(h.Documents), terminal.Bytes(h.Bytes))
	if h.Passages == 0 {
		return out
	}
	return out + fmt.Sprintf(": about %s passages, %s tokens, %s, and %s of disk; %s",
		terminal.Count(h.Passages), terminal.Count(h.Tokens), terminal.About(h.Seconds), terminal.Bytes(h.Disk), terminal.Printable(h.CostNote))
}

// Accepted says what is built now that was held.
func Accepted(a contract.BuildAccepted) string {
	if a.Build == "" {
		return "there was nothing to accept: no build is held"
	}
	return "it is built now: " + BuildChanges(a.Changes) + "; what was there before answers until it is complete"
}

// BuildChanges lists what differs, field by field.
func BuildChanges(fields []contract.BuildChange) string {
	parts := make([]string, len(fields))
	for i, f := range fields {
		parts[i] = terminal.Printable(fmt.Sprintf("%s %s → %s", f.Field, f.Before, f.Now))
	}
	return strings.Join(parts, ", ")
}
