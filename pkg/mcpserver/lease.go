package mcpserver

import (
	"fmt"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// leasedNamed is how many passages a note names of those that changed: each is told
// once, so that what is not named has to be taken for changed.
const leasedNamed = 40

// leased are the notes about what was given before under the lease of an answer.
func (at *scene) leased(news *contract.LeaseNews) (notes []string) {
	if news == nil {
		return nil
	}
	for i, c := range news.Changes {
		if i == leasedNamed {
			notes = append(notes, fmt.Sprintf("%d more passages changed: take all that was given before under this lease for changed", len(news.Changes)-leasedNamed))
			break
		}
		note := fmt.Sprintf("%s since it was given: %s:%d-%d", c.What, at.path(c.Source, c.Path), c.StartLine, c.EndLine)
		if c.What == contract.LeaseMoved {
			note += fmt.Sprintf(", now %d-%d", c.NowStart, c.NowEnd)
		}
		notes = append(notes, note)
	}
	for _, n := range []struct {
		count int
		says  string
	}{
		{news.Forgotten, "passages that were given are of a source that was removed"},
		{news.Dropped, "passages that were given first are no longer watched: the lease holds no more"},
		{news.Unchecked, "passages could not be looked at: the next answer does"},
	} {
		if n.count > 0 {
			notes = append(notes, fmt.Sprintf("%d %s", n.count, n.says))
		}
	}
	return notes
}

func leaseOf(news *contract.LeaseNews) string {
	if news == nil {
		return ""
	}
	return news.Lease
}
