package watcher

import (
	"cmp"
	"errors"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Why a source that can be read is not compared.
var (
	errUnwatched = errors.New("it is not watched in this run, so nobody looked at it")
	errGiven     = errors.New("it is given by request, so the log is all that there is of it")
)

// missed notes why a source was not compared, and what to do about it.
func missed(out *contract.VerifySource, info contract.SourceInfo, err error) {
	// Nothing of a look that was broken off is worth showing.
	out.Documents, out.Skipped, out.Unread = 0, 0, nil
	out.NotCompared = err.Error()
	root := document.EncodePath(info.Root)
	remove := document.Action{Do: document.DoSourceRemove, Source: info.Source}
	switch {
	case errors.Is(err, errGiven):
		out.Gap = contract.GapGiven
	case errors.Is(err, errUnwatched):
		out.Gap, out.Actions = contract.GapUnwatched, []document.Action{{Do: document.DoSourceAdd, Path: document.EncodePath(cmp.Or(info.Remote, info.Root))}, remove}
	case document.KindOf(err) == document.TooLarge:
		out.Gap, out.Actions = contract.GapHeld, append(acceptance(info.Root, info.Remote), remove)
	default:
		out.Gap, out.Next, out.Actions = contract.GapUnreadable, "restore or mount "+string(root)+" and verify again", []document.Action{remove}
	}
}
