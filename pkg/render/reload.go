package render

import (
	"fmt"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// ReloadTakes says what a configuration that is read again changes, and what that takes.
func ReloadTakes(r contract.ReloadReply) (out []string) {
	switch {
	case len(r.Changes) > 0:
		out = append(out, "the index is to be built in another way than before: "+BuildChanges(r.Changes))
	case len(r.Taken) > 0:
		out = append(out, "nothing has to be built for what holds from here on: "+strings.Join(r.Taken, ", "))
	default:
		out = append(out, "the configuration says of passages and vectors what holds already")
	}
	if len(r.Variables) > 0 {
		out = append(out, strings.Join(r.Variables, ", ")+" in the environment of the running instance holds over "+configuration(r)+": start it again without that, or change it there")
	}
	if r.Kept > 0 {
		out = append(out, terminal.Documents(r.Kept)+" "+areThere(r.Kept)+" there already: their vectors hold")
	}
	if r.Documents > 0 {
		takes := fmt.Sprintf("%s (%s) %s cut and embedded again", terminal.Documents(r.Documents), terminal.Bytes(r.TextBytes), areThere(r.Documents))
		if r.Passages > 0 {
			takes += fmt.Sprintf(": about %s passages, %s, and %s of disk until what was there before is removed; %s",
				terminal.Count(r.Passages), terminal.About(r.Seconds), terminal.Bytes(r.Disk), r.CostNote)
		}
		out = append(out, takes)
	}
	if r.Above != "" {
		out = append(out, "it is above the limits of what is built without being asked for: "+r.Above)
	}
	if len(r.Later) > 0 {
		out = append(out, "from the next start on: "+strings.Join(r.Later, ", "))
	}
	return out
}

func areThere(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
