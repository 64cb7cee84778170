package resolve

import (
	"fmt"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// Reasons for which a candidate is not shown.
const (
	Gated   = "gate"      // below the wanted score
	Dropped = "resolve"   // the log does not show it
	Held    = "diversify" // enough of its file stand among the same ten
	Filter  = "filter"    // the question leaves it out
	Folded  = "fold"      // it says the same as one that is shown
)

// Fate is one of these reasons, in words.
type Fate struct{ Stage, Why string }

// fate notes why a candidate is not shown, where that was asked for.
func (s *session) fate(c *candidate.Candidate, stage, why string) {
	if !s.want.Fates {
		return
	}
	if s.answer.Fates == nil {
		s.answer.Fates = map[document.ChunkID]Fate{}
	}
	if stage == Dropped && why == "" {
		why = s.why(c)
	}
	s.answer.Fates[c.ID] = Fate{stage, why}
}

// why says what of the log speaks against a candidate.
func (s *session) why(c *candidate.Candidate) string {
	k := docOf(c)
	why := "the log has no such document in the views that the search asks for"
	for _, v := range s.views[k] {
		h, ok := s.heads[bus.FileKey{Source: k.Source, Doc: k.Doc, View: v}]
		switch {
		case !ok:
		case h.Op == contract.OpDelete:
			why = fmt.Sprintf("the document was deleted as version %d", h.Version)
		case h.Op == contract.OpSkipped:
			why = fmt.Sprintf("since version %d the document is not indexed: %s", h.Version, h.Reason)
		case s.r.place(h.Collection) != contract.CollectionOf(k.Generation):
			why = fmt.Sprintf("since version %d the document belongs to the collection %s", h.Version, h.Collection)
		case s.bodies[k].Late():
			return "the passages of the document were not read in time"
		case s.bodies[k] != nil && s.bodies[k].Unread != nil:
			return "the passages of the document cannot be read in the log, and are being made again"
		case s.bodies[k].of(&h) != nil:
			return fmt.Sprintf("it is a passage of an older version; version %d has others in its place", h.Version)
		default:
			return fmt.Sprintf("its text is not in the document any more since version %d, whose passages are still being made", h.Version)
		}
	}
	return why
}
