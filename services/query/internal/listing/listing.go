package listing

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/freshness"
)

// Scope tells which documents are listed.
type Scope struct {
	// Head judges by what the head tells, and Language by what the content is.
	Head     func(*contract.FileHead) bool
	Language func(language string) bool
	// Languages says that a language is asked for, so that it has to be known.
	Languages bool
	// Textless returns why a format could make no text of a version, "" where it could.
	Textless func(context.Context, *contract.FileHead) string
	// Whole reports whether who asks sees all that the passages of a document are of;
	// otherwise they are not counted.
	Whole func(*contract.FileHead) bool
	// Letter returns what is told to who asks of a dead letter.
	Letter func(contract.DeadHead) contract.DeadHead
}

// Listing answers one request. It is used once, by one goroutine.
type Listing struct {
	bus   *bus.Bus
	index *freshness.Index
	asked contract.FilesRequest
	scope Scope

	seen    uint64
	items   []*item
	unknown int // documents whose language could not be told
	sum     contract.FilesSummary
}

// item is a document of the snapshot.
type item struct {
	head     contract.FileHead
	language string
	untold   bool // the language is not known: the content was not read
	// textless is why a format could make no text of it: it is left out as if it had
	// never been taken up.
	textless string
}

// New checks a request. Every error is an InvalidRequest.
func New(b *bus.Bus, index *freshness.Index, in contract.FilesRequest) (*Listing, error) {
	switch {
	case len(in.Filter.Kinds) > 0:
		return nil, document.Errorf(document.InvalidRequest, "kinds are of passages, and documents are listed: leave filter.kinds out")
	case in.Limit < 0:
		return nil, document.Errorf(document.InvalidRequest, "limit is %d: choose 1 or more, or 0 for all", in.Limit)
	case in.Show != "" && in.Show != contract.FilesIndexed && in.Show != contract.FilesSkipped:
		return nil, document.Errorf(document.InvalidRequest, "show is %q: choose indexed or skipped", in.Show)
	}
	return &Listing{bus: b, index: index, asked: in}, nil
}

// Run lists the documents in scope and sends them in parts. The heads must have
// been seen up to what the list is to include. Nothing is read after until; what
// was not read by then is counted by Unknown.
func (l *Listing) Run(ctx context.Context, scope Scope, until time.Time, send func(contract.FilesPart) error) error {
	l.scope = scope
	l.snapshot(scope)
	l.leaveTextless(ctx, scope)
	if l.asked.Show != contract.FilesSkipped && (!l.asked.Paths || scope.Languages) {
		within, cancel := context.WithDeadline(ctx, until)
		err := l.tellLanguages(within)
		cancel()
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		l.items = slices.DeleteFunc(l.items, func(it *item) bool {
			if it.untold {
				l.unknown++
				return scope.Languages
			}
			return !scope.Language(it.language)
		})
	}
	return l.send(ctx, send)
}

// snapshot takes one consistent state of the heads.
func (l *Listing) snapshot(scope Scope) {
	wanted := contract.OpPut
	if l.asked.Show == contract.FilesSkipped {
		wanted = contract.OpSkipped
	}
	skipped := map[string]int{}
	l.seen = l.bus.Files().Range(func(_ bus.FileKey, h contract.FileHead) bool {
		if h.Op != contract.OpPut && h.Op != contract.OpSkipped || !scope.Head(&h) {
			return true
		}
		if h.Op == contract.OpSkipped {
			skipped[h.Reason]++
		}
		if h.Op == wanted || h.Format != "" && h.Op == contract.OpPut {
			l.items = append(l.items, &item{head: h})
		}
		return true
	})
	l.sum.Skipped = skipped
	slices.SortFunc(l.items, func(a, b *item) int {
		return cmp.Or(
			strings.Compare(string(a.head.Source), string(b.head.Source)),
			strings.Compare(string(a.head.Path), string(b.head.Path)),
			strings.Compare(string(a.head.View), string(b.head.View)),
		)
	})
}

// leaveTextless tells documents of a format that have a text from those that have none,
// and leaves out those that are not asked for. The heads of CHUNKS say where there is
// something to tell.
func (l *Listing) leaveTextless(ctx context.Context, scope Scope) {
	skipped := l.asked.Show == contract.FilesSkipped
	l.items = slices.DeleteFunc(l.items, func(it *item) bool {
		if it.head.Format != "" && it.head.Op == contract.OpPut && l.index.Textless(&it.head) {
			if it.textless = scope.Textless(ctx, &it.head); it.textless != "" {
				l.sum.Skipped[it.textless]++
			}
		}
		return skipped != (it.textless != "" || it.head.Op == contract.OpSkipped)
	})
	if len(l.sum.Skipped) == 0 {
		l.sum.Skipped = nil
	}
}

// Seen is the sequence of FILES that the list is that of.
func (l *Listing) Seen() uint64 { return l.seen }

// Unknown is how many documents have a language that could not be told. Where one
// is asked for, they are not listed.
func (l *Listing) Unknown() int { return l.unknown }

// Summary is what the list comes to, but for what the log as a whole has to say.
func (l *Listing) Summary() contract.FilesSummary { return l.sum }
