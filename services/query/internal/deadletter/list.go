package deadletter

import (
	"context"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// List returns one page of letters.
func (l *Letters) List(ctx context.Context, in contract.DeadListRequest) (contract.DeadListReply, error) {
	limit := in.Limit
	if limit == 0 {
		limit = pageLetters
	}
	if limit < 1 || limit > pageLetters {
		return contract.DeadListReply{}, document.Errorf(document.InvalidRequest, "limit is %d: use 1 to %d", limit, pageLetters)
	}
	list, total, err := l.choose(ctx, in.Filter, in.After)
	if err != nil {
		return contract.DeadListReply{}, err
	}
	list, next := page(list, limit)
	reply := contract.DeadListReply{Letters: make([]contract.DeadLetter, len(list)), Total: total, Next: next}
	for i := range list {
		reply.Letters[i] = l.Letter(&list[i])
	}
	return reply, nil
}

// Letter returns a letter as lists have it.
func (l *Letters) Letter(d *contract.DeadHead) contract.DeadLetter {
	return contract.DeadLetter{
		Source: d.Source, Path: d.Path, Stage: d.Stage, State: d.State, Kind: d.Kind, Reason: d.Reason, Attempts: d.Attempts,
		FailedAt: d.Time, Versions: versions(d.Covers), Newest: l.newest(d), Seq: d.Seq,
	}
}

// shown is the most letters that are shown with all that they hold: their
// reasons are whole.
const shown = 100

// Show returns letters with their bodies.
func (l *Letters) Show(ctx context.Context, in contract.DeadShowRequest) (contract.DeadShowReply, error) {
	list, _, err := l.choose(ctx, in.Filter, "")
	if err != nil {
		return contract.DeadShowReply{}, err
	}
	reply := contract.DeadShowReply{Letters: []contract.DeadDetail{}}
	size := 0
	for i := range list {
		if i == shown || size > pageBytes {
			reply.More = len(list) - i
			break
		}
		d, err := l.detail(ctx, &list[i])
		if err != nil {
			return contract.DeadShowReply{}, err
		}
		size += letterBytes + len(d.Path) + len(d.Reason)
		reply.Letters = append(reply.Letters, d)
	}
	return reply, nil
}

func (l *Letters) detail(ctx context.Context, d *contract.DeadHead) (contract.DeadDetail, error) {
	out := contract.DeadDetail{DeadLetter: l.Letter(d), Now: map[document.View]document.Version{}}
	for view := range d.Covers.All() {
		if head, ok := l.Bus.Files().Get(bus.FileKey{Source: d.Source, Doc: d.Doc, View: view}); ok {
			out.Now[view] = head.Version
		}
	}
	subject := contract.DeadSubject(d.Stage, d.Source, d.Doc, d.Build)
	last, err := l.Bus.GetLast(ctx, contract.StreamDead, subject)
	if err != nil {
		return out, err
	}
	m := last[subject]
	if m == nil {
		return out, nil // forgotten meanwhile, with its document
	}
	raw, err := m.Body(ctx)
	if err != nil {
		return out, err
	}
	if len(raw) == 0 {
		return out, nil // cleared meanwhile
	}
	var body contract.DeadBody
	if _, err := contract.SplitBody(m.Header, raw, &body); err != nil {
		return out, fmt.Errorf("read the dead letter of %s: %w", d.Path, err)
	}
	out.InputSubject, out.InputSeq, out.Reason = body.Subject, body.Seq, body.Reason
	return out, nil
}
