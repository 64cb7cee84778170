package feedback

import (
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Statistics tell how good searches were, as far as people have told.
type Statistics struct {
	Events    int                           `json:"events"`
	Questions int                           `json:"questions"` // different ones
	Kinds     map[contract.FeedbackKind]int `json:"kinds"`     // events of each kind
	// Taken counts the answers of which a hit was opened or got a thumb up.
	Taken int `json:"taken"`
	// First is the share of these in which the first hit was one of them, and
	// MRR the mean of 1 / rank of the best one.
	First float64 `json:"first"`
	MRR   float64 `json:"mrr"`
	// Shown counts the answers that were told as shown, and Followed those of
	// them of which a hit was taken.
	Shown    int `json:"shown"`
	Followed int `json:"followed"`
}

// answer is one answer that one visitor saw.
type answer struct {
	query       string
	token       document.Token
	session, by string
}

// Measure counts events.
func Measure(events []contract.FeedbackEvent) Statistics {
	s := Statistics{Events: len(events), Kinds: map[contract.FeedbackKind]int{}}
	questions := map[string]bool{}
	shown := map[answer]bool{}
	best := map[answer]int{} // rank of the best hit that was taken
	for _, e := range events {
		s.Kinds[e.Kind]++
		a := answer{asked(e.Query), e.Token, e.Session, e.By}
		questions[a.query] = true
		switch e.Kind {
		case contract.FeedbackShown:
			shown[a] = true
		case contract.FeedbackOpened, contract.FeedbackUp:
			for _, h := range e.Hits {
				if h.Rank > 0 && (best[a] == 0 || h.Rank < best[a]) {
					best[a] = h.Rank
				}
			}
		}
	}
	s.Questions, s.Shown, s.Taken = len(questions), len(shown), len(best)
	for a, rank := range best {
		s.MRR += 1 / float64(rank)
		if rank == 1 {
			s.First++
		}
		if shown[a] {
			s.Followed++
		}
	}
	if s.Taken > 0 {
		s.MRR /= float64(s.Taken)
		s.First /= float64(s.Taken)
	}
	return s
}
