// Package feedback keeps what people did with the hits of answers, lists it, and
// removes it. Answers are not made of it: it touches no token, no head table and
// no store.
package feedback

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// Events answers for the feedback in the log. It is safe for concurrent use.
type Events struct{ Bus *bus.Bus }

// Keep writes an event, and returns once the log has it. An event that was the
// last one about the same hits of the same answer already is not written again.
// The error is InvalidRequest where something is wrong with in.
func (e *Events) Keep(ctx context.Context, in contract.Feedback) (contract.FeedbackReply, error) {
	if err := check(&in); err != nil {
		return contract.FeedbackReply{}, err
	}
	in.Owner = ""
	if e.Bus.Restricts() {
		in.Owner = rpc.Asker(ctx).Name
	}
	about, err := in.About()
	if err != nil {
		return contract.FeedbackReply{}, err
	}
	body, err := json.Marshal(in)
	if err != nil {
		return contract.FeedbackReply{}, fmt.Errorf("encode an event: %w", err)
	}
	if len(body) > maxEvent {
		return contract.FeedbackReply{}, document.Errorf(document.TooLarge, "the event has %d bytes: send fewer hits, so that it has at most %d", len(body), maxEvent)
	}
	seq, repeated, err := bus.FeedbackOf(e.Bus).Keep(ctx, contract.FeedbackEventSubject(about), body)
	return contract.FeedbackReply{Seq: seq, Repeated: repeated}, err
}

const (
	// pageEvents is the most that one answer lists.
	pageEvents = 1000
	// pageBytes keeps an answer well below the 1 MiB that a NATS server lets
	// through: one event may exceed it, and each has a sequence and a time beside.
	pageBytes = 512 << 10
)

// List returns one page of events, the oldest first.
func (e *Events) List(ctx context.Context, in contract.FeedbackListRequest) (contract.FeedbackListReply, error) {
	reply := contract.FeedbackListReply{Events: []contract.FeedbackEvent{}}
	limit := in.Limit
	if limit == 0 {
		limit = pageEvents
	}
	if limit < 1 || limit > pageEvents {
		return reply, document.Errorf(document.InvalidRequest, "limit is %d: use 1 to %d", limit, pageEvents)
	}
	msgs, more, err := bus.FeedbackOf(e.Bus).Page(ctx, in.After, limit, pageBytes)
	if err != nil {
		return reply, err
	}
	for _, m := range msgs {
		body, err := m.Body(ctx)
		if err != nil {
			return reply, err
		}
		event := contract.FeedbackEvent{Seq: m.Seq, Time: m.Time}
		if json.Unmarshal(body, &event.Feedback) != nil {
			continue // freshet did not write it
		}
		reply.Events = append(reply.Events, event)
	}
	who := rpc.Asker(ctx)
	if sight := e.Bus.Visibility().Sight(who); sight != nil {
		reply.Events = e.keepOwn(sight, who, reply.Events)
	}
	if more && len(msgs) > 0 {
		reply.Next = msgs[len(msgs)-1].Seq
	}
	return reply, nil
}

// keepOwn leaves of a page what whoever sees only a part has sent, and of that the hits
// that they still see.
func (e *Events) keepOwn(sight *access.Sight, who contract.Principal, events []contract.FeedbackEvent) []contract.FeedbackEvent {
	events = slices.DeleteFunc(events, func(event contract.FeedbackEvent) bool { return !sight.Own(event.Owner, who) })
	var places []bus.Place
	for i := range events {
		for _, h := range events[i].Hits {
			places = append(places, bus.Place{Source: h.Source, Path: h.Path})
		}
	}
	shown := e.Bus.Visibility().Shown(sight, places)
	for i := range events {
		events[i].Hits = slices.DeleteFunc(events[i].Hits, func(h contract.FeedbackHit) bool { return !shown[bus.Place{Source: h.Source, Path: h.Path}] })
	}
	return events
}

// Purge removes all events.
func (e *Events) Purge(ctx context.Context, _ struct{}) (contract.FeedbackPurgeReply, error) {
	removed, err := bus.FeedbackOf(e.Bus).Purge(ctx)
	return contract.FeedbackPurgeReply{Removed: removed}, err
}
