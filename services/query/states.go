package query

import (
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/freshness"
	"github.com/freshet-dev/freshet/services/query/internal/plain"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/reading"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
	"github.com/freshet-dev/freshet/services/query/internal/request"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
	"github.com/freshet-dev/freshet/services/query/internal/spelling"
	"github.com/freshet-dev/freshet/services/query/internal/variants"
)

// asked is what is looked for.
type asked struct {
	question
	req     *request.Request
	weights *config.Ranking // of the order: those that hold, or are tried

	sure float64 // the confidence below which nothing is listed, where the request leaves it open

	listing freshness.Listing // what no sink can be expected to show yet

	query   *rank.Query
	terms   []store.Term
	exactly exactly
	asText  []reading.Atom // what looked like something to be left out, and stands so in the log
	// variants are the terms of each other wording.
	variants [][]store.Term
	// headline is what an issue is about; nil where the question is none.
	headline *headline
	// placed are the lines that the places of the question stand for, and known
	// says of which of these there is a document.
	placed []placed
	known  []bool
	vector <-chan nearness // gives one, where vectors were asked for
}

// settling is inScope for the index.
func (a *asked) settling() freshness.Scope {
	in := freshness.Scope{Group: a.groupInScope}
	left := &a.req.Left
	if !a.req.Paths.Any() || !left.IsZero() || a.req.AsksMetadata() || a.sight != nil {
		in.Head = func(h *contract.FileHead) bool {
			return a.req.Paths.Match(h.Path) && !left.Path(h.Path) && a.req.Described(h.Metadata) && bus.Head(a.sight, h)
		}
	}
	return in
}

// filter is the part of the request that the stores apply.
func (a *asked) filter() store.Filter {
	dirs := a.few
	if len(dirs) == 0 {
		dirs = a.req.Paths.Dirs()
	}
	if len(dirs) == 0 {
		dirs = a.sight.Dirs(a.sources)
	}
	return store.Filter{Sources: a.sources, Languages: a.req.Languages, Kinds: a.req.Kinds, Dirs: dirs}
}

// keep is the part of the filter that the stores do not apply.
func (a *asked) keep() func(*store.Attrs) bool {
	left := &a.req.Left
	if a.req.Paths.Exact() && left.IsZero() && a.sight == nil {
		return nil
	}
	return func(at *store.Attrs) bool {
		return a.req.Paths.Match(at.Path) && !left.Passage(at) && a.sight.Path(at.Source, at.Path) &&
			a.service.bus.Visibility().Somewhere(a.sight, at.Source, at.Doc, a.req.Views)
	}
}

// lagging are the pending documents that the lexical sink does not show yet.
func (a *asked) lagging() (heads []contract.FileHead) {
	for i := range a.listing.Pending {
		p := &a.listing.Pending[i]
		if lags(p.Sinks, document.Lexical) {
			heads = append(heads, p.Head)
		}
	}
	return heads
}

// recalled is what the channels found, and what is known of them from round to
// round.
type recalled struct {
	depth int // passages that each channel was asked for at last

	lexical, vector recall.Result
	pending         plain.Result
	keyword         []candidate.Found // in place of lexical, where that is down
	verbatim        []candidate.Found // of all channels that look for words, those that hold the text as typed
	named           []candidate.Found // that define the name that the question is
	read            []candidate.Found // that hold what must stand in them, where no channel had any

	placed []candidate.Found // that hold a line which the question names
	part   *rank.Lists       // what the headline of an issue found; nil without

	holds map[document.ChunkID]bool // whether a passage's text is what the question requires

	lexicalDown, vectorDown bool // failed: not asked again
	fellBack                bool // keyword was looked for
	hasRead                 bool // the texts in the log were read for what must stand in a passage
	silent                  bool // no vector for this query
	asked                   bool // the pending documents were searched
	near                    nearness
	stats                   *recall.Statistics // of the terms, nil where the lexical stores did not tell
	outcomes                [3]outcome

	speller  speller
	variants byVariants
}

// outcome is what one channel has to say.
type outcome struct {
	stage   string
	took    time.Duration
	out     int
	note    string
	trouble error
	lacks   error // what it found is not all that there may be
}

// speller is what became of the words of a query that no passage has.
type speller struct {
	done        bool
	nothing     bool // what the filter lets through has none of the terms
	corrections []spelling.Correction
	text        string // the query with the best guesses in it; "" without any
	stage       *contract.TraceStage
}

// byVariants is what the query finds in other words, too.
type byVariants struct {
	found *variants.Found // by all wordings; nil where the query stands alone
	more  bool            // asking for more may give more
}

// more reports whether asking for more passages may give more. The pending ones
// have all been found, of which the first depth count.
func (f *recalled) more() bool {
	return f.lexical.More || f.vector.More || f.variants.more || len(f.pending.Found) > f.depth
}

// pendingFound are the pending passages that count, as many as of each other
// channel.
func (f *recalled) pendingFound() []candidate.Found {
	return f.pending.Found[:min(len(f.pending.Found), f.depth)]
}

// words is what was found by words: by all wordings, where there are several.
func (f *recalled) words() (lexical, pending []candidate.Found) {
	if all := f.variants.found; all != nil {
		return all.Lexical, all.Pending
	}
	return f.lexical.Found, f.pendingFound()
}

// resolved is what of it the log shows.
type resolved struct {
	*resolve.Answer
	endless []resolve.Shown // what Shown is for a k without limit
	// versions that came while the answer was made, and that it may lack
	overtaken []contract.FileHead
}

// lose notes the stage at which a passage was left out, where that was asked
// for.
func (r *resolved) lose(s *resolve.Shown, stage, why string) {
	if r.Fates == nil {
		r.Fates = map[document.ChunkID]resolve.Fate{}
	}
	r.Fates[s.Candidate.ID] = resolve.Fate{Stage: stage, Why: why}
}

func lags(sinks []document.Sink, sink document.Sink) bool { return slices.Contains(sinks, sink) }

// hasOrAny reports whether an empty or matching list lets v through.
func hasOrAny[T comparable](list []T, v T) bool { return len(list) == 0 || slices.Contains(list, v) }
