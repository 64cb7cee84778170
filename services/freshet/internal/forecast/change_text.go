package forecast

import (
	"fmt"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Sentences tell what is built in another way than before, and what that takes.
// Without fields nobody knows how it was built before.
func (c Change) Sentences() []string {
	fields, r := c.Fields, c.Rebuild
	why := "it was built by another version of freshet"
	if len(fields) > 0 {
		why = render.BuildChanges(fields)
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
			estimated(r.Left.Passages), terminal.About(r.Left.Seconds), terminal.Bytes(r.Disk.Log+r.Disk.Stores), r.Left.CostNote)
	}
	out = append(out, left)
	switch {
	case c.Held != "":
		return append(out, render.Sentence("this is held: "+c.Above+"; what was there before answers, and follows changes",
			[]document.Action{{Do: document.DoBuildAccept, Value: string(c.Held)}, {Do: document.DoRaiseLimit, Setting: "limits"}}))
	case c.Meanwhile:
		return append(out, "what was there before answers meanwhile, and follows changes; `freshet status` tells how far the new is")
	case c.Above != "":
		out = append(out, c.Above+": it is begun all the same, since nothing would answer meanwhile")
	}
	return append(out, "what was there before cannot go on answering: until it is built, what is missing is listed as pending")
}
