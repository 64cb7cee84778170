package query

import (
	"bytes"
	"context"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/excerpt"
	"github.com/freshet-dev/freshet/services/query/internal/member"
	"github.com/freshet-dev/freshet/services/query/internal/plain"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// relating is a question for what is related to a passage, on its way.
type relating struct {
	in    contract.RelatedRequest
	limit int
	reply contract.RelatedReply

	of    candidate.Found // the passage
	text  []byte          // of it, or of the one of its names that is meant
	whole []byte          // of it
	names []string        // that it defines, and that are meant
	found *relatives
}

// findPassage is the stage that finds the passage which was asked about, in the newest
// text of its document. It is done again where the document has changed since: the
// passage stands in the answer's state of the log, or there is no answer.
func (r *relating) findPassage(ctx context.Context, q *search) (report, error) {
	for {
		h, err := r.head(ctx, q)
		if err != nil {
			return report{}, err
		}
		generation, served := q.service.stores.Generation(h.Collection)
		if !served {
			return report{}, document.Errorf(document.InvalidRequest, "no passages are made of %s: the collection %s is not served", h.Path, h.Collection)
		}
		body, passed, err := aboutOne{&q.question}.awaitBody(ctx, resolve.DocKey{Generation: generation, Source: h.Source, Doc: h.Doc}, &h)
		switch {
		case err != nil:
			return report{}, err
		case passed:
			continue
		case body.Late():
			return report{}, document.Errorf(document.Deadline, "the passages of %s were not read in time: ask again, or allow more with deadline_ms", h.Path)
		}
		if body.Of(&h) == nil {
			cut, err := r.takeLines(ctx, q, &h)
			if cut {
				continue
			}
			return report{in: 1}, err
		}
		return report{in: 1, out: 1}, r.takeChunk(body, &h, generation)
	}
}

// head returns that of the document, in the newest state of the heads. The filter is of
// what is related, so it does not count.
func (r *relating) head(ctx context.Context, q *search) (contract.FileHead, error) {
	at := &question{service: q.service, who: q.who, sight: q.sight, scope: q.scope, nothing: q.nothing}
	switch {
	case r.in.Source != "":
		at.sources = []document.Source{r.in.Source}
	case len(r.in.Filter.Sources) == 0:
		at.sources = q.sources
	}
	h, _, err := aboutOne{at}.find(ctx, r.in.Path)
	return h, err
}

// takeChunk takes the passage of a document that is cut.
func (r *relating) takeChunk(body *resolve.Body, h *contract.FileHead, generation document.Generation) error {
	content, text := body.Of(h), body.Bytes(h)
	var i int
	if r.in.ID != nil {
		i = slices.IndexFunc(content.Chunks, func(c document.Chunk) bool { return c.ID == *r.in.ID })
		if i < 0 {
			return document.Errorf(document.NotFound, "%s has no passage %s any more: it was changed, so name it by a line", h.Path, r.in.ID)
		}
	} else if i = plain.Holding(content.Chunks, r.in.Line); i < 0 {
		return noLine(h, r.in.Line)
	}
	c := &content.Chunks[i]
	r.of = candidate.OfChunk(h, generation, content.Language, c)
	r.whole = text[c.StartByte:c.EndByte]
	r.text, r.names = r.whole, slices.DeleteFunc(append([]string{c.Symbol}, c.Names...), func(n string) bool { return n == "" })
	if r.in.Line > 0 && len(r.names) > 1 {
		r.meant(r.in.Line-c.StartLine, content.Language)
	}
	return nil
}

// meant leaves of several names that a passage defines the one that a line belongs to.
func (r *relating) meant(line int, lang string) {
	lines := excerpt.Lines(r.whole)
	places := member.Places(lines, r.names, lang)
	at := member.Of(places, lines, min(max(line, 0), len(lines)-1))
	if at < 0 {
		return
	}
	from, to, n := 0, len(r.whole), 0
	for i, line := range bytes.SplitAfter(r.whole, []byte("\n")) {
		if i == places[at].Line {
			from = n
		}
		if at+1 < len(places) && i == places[at+1].Line {
			to = n
		}
		n += len(line)
	}
	r.text, r.names = r.whole[from:max(from, to)], []string{places[at].Name}
}

// noLines says why a document that is not cut gives no lines, unless it was changed.
func (r *relating) noLines(ctx context.Context, q *search, h *contract.FileHead, read bool) (passed bool, err error) {
	if read {
		return false, noLine(h, r.in.Line)
	}
	if err := bus.CatchUp(ctx, q.service.bus, q.service.bus.Files()); err != nil {
		return false, err
	}
	now, err := r.head(ctx, q)
	if err != nil || now.Version != h.Version {
		return err == nil, err
	}
	return false, document.Errorf(document.Unavailable, "the text of %s is still being made: ask with a token, which waits", h.Path)
}

func noLine(h *contract.FileHead, line int) error {
	return document.Errorf(document.InvalidRequest, "%s has no line %d: its passages end before", h.Path, line)
}

// takeLines takes plain lines of a document that is not cut yet: what they define
// nobody knows. Where it was cut or changed meanwhile, nothing is taken, and passed
// is true.
func (r *relating) takeLines(ctx context.Context, q *search, h *contract.FileHead) (passed bool, err error) {
	if r.in.ID != nil {
		return false, document.Errorf(document.NotFound, "the passages of %s are still being made: name the passage by a line, or ask with a token, which waits", h.Path)
	}
	at, err := q.service.plain.At(ctx, []plain.Line{{Head: *h, Line: r.in.Line}}, nil)
	if err != nil {
		return false, err
	}
	if at[0].Line == 0 {
		return r.noLines(ctx, q, h, at[0].Read)
	}
	if at[0].Found.Window == nil {
		return true, nil
	}
	r.of, r.names = at[0].Found, nil
	r.of.Attrs.Language = language.OfPath(h.Path)
	r.whole = r.of.Window.Text
	r.text = r.whole
	q.degradeOnce("the passages of "+string(h.Path)+" are still being made, so that nothing is known of what it defines", document.Action{Do: document.DoExplain, Source: h.Source, Path: h.Path})
	return false, nil
}

// isOf reports whether a passage is the one that was asked about.
func (r *relating) isOf(f *candidate.Found) bool { return f.ID == r.of.ID }
