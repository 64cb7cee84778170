package resolve

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// Want is what an answer is to hold.
type Want struct {
	K        int
	MinScore float64
	// ByLine puts candidates of one document that fusion and signals do not tell apart into
	// the order of their lines; else all stay in the order in which they come, as of a list
	// that nothing has fused.
	ByLine bool
	Views  []document.View // empty: any
	// May reports whether whoever asks may see a document: another is not there. nil:
	// every one may be seen.
	May func(*contract.FileHead) bool
	// PerFile bounds the hits of one file among ten; Named says which files
	// the caller asked for by name, which are not bounded.
	PerFile PerFile
	Named   func(document.Path) bool
	// Pending bounds the pending documents whose contents are read.
	Pending int
	// Matches reports whether a part of a pending document's lines is what was
	// looked for, where the rest of them is shown already; nil: any is.
	Matches func(h *contract.FileHead, at *document.Span, text []byte) bool
	// Bare is set where who asks sees only a part: an earlier version may have been hidden
	// from them. What a seen version still has of a passage of it is told as lines of the
	// seen one, without what only the earlier one says of them, where Bare says that these
	// lines are what was looked for. nil: as the earlier version has it.
	Bare func(c *candidate.Candidate, h *contract.FileHead, at *document.Span, text []byte) bool
	// Lacks says why a passage may not be shown for its text, "" where it may; nil:
	// every one may.
	Lacks func(text []byte) string
	// Copies begins to tell, of passages best first, which say the same as one
	// before them: K does not count these; nil: all count.
	Copies func() func(*Shown) bool
	// Fates asks what became of each candidate that was come to.
	Fates bool
}

// Shown is a passage that the log holds at the answer's sequence.
type Shown struct {
	Candidate candidate.Candidate
	Head      contract.FileHead // of the view that shows it
	Language  string
	Span      document.Span // its place in the content of Head
	Text      []byte        // shared, must not be changed
	// Content is what Text is a part of, at the place that Span names; nil where that is
	// not at hand.
	Content []byte
	// Part is what of a document of a format it is made of, nil for none.
	Part    *document.Part
	Pending bool   // the head is not settled in both sinks
	Copies  []Copy // that it stands for; nobody knows them yet here
}

// Copy is a passage that says the same as one that is shown.
type Copy struct {
	Head    contract.FileHead
	Span    document.Span
	Differs bool // not the same byte for byte
}

// Orphan is a passage that a sink holds and the log does not list.
type Orphan struct {
	Doc  DocKey
	ID   document.ChunkID
	Sink document.Sink
}

// Answer is what may be shown of a list of candidates.
type Answer struct {
	Seen  uint64 // the sequence of FILES that the answer holds for
	Shown []Shown
	// Held may be shown, and too many of its files stand among the ten that it
	// would be one of; best first. It may fill what is left of the answer.
	Held []Shown
	// Hasty says that the time was over before enough were shown: candidates behind the
	// best were not come to.
	Hasty   bool
	Dropped int
	Orphans []Orphan
	// Unread are documents whose passages would be among the candidates, and
	// cannot be read in the log.
	Unread []contract.FileHead
	// Late are documents whose passages would be among the candidates, and were not
	// read in time.
	Late []contract.FileHead
	// Unsearched are pending documents of candidates whose contents were not read:
	// Want.Pending others were, or the log moved on each time, or their text is still to
	// be made.
	Unsearched []contract.FileHead
	// Overtaken are the versions, newer than the caller knew of or cut anew since, of
	// documents of which a candidate was left out: what such a version shows in its
	// place is not among the candidates.
	Overtaken []contract.FileHead
	// Fates says why candidates are not shown, or not where their score would
	// have them; only where it was asked for.
	Fates map[document.ChunkID]Fate
}

func (a *Answer) overtakes(h *contract.FileHead) {
	if !slices.ContainsFunc(a.Overtaken, func(o contract.FileHead) bool { return o.Version == h.Version }) {
		a.Overtaken = append(a.Overtaken, *h)
	}
}
