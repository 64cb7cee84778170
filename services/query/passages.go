package query

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/query/internal/outline"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

const (
	// passagesLimit bounds the requests for passages that are answered at the same
	// time: each holds the documents that it tells.
	passagesLimit = 4
	// passagesRoom is about how many bytes an answer has.
	passagesRoom = 512 << 10
)

func servePassages(ctx context.Context, s *Service, svc micro.Service) error {
	return rpc.Endpoint(ctx, svc, rpc.Options{
		Name: "passages", Subject: contract.SubjectPassages, Limit: passagesLimit, Deadline: s.cfg.MaxDeadline,
	}, audited(s, contract.SubjectPassages, lookDocuments, s.Passages))
}

func lookDocuments(_ *contract.PassagesRequest, out *contract.PassagesReply, shown *seen) string {
	for i := range out.Documents {
		if d := &out.Documents[i]; d.State != contract.PassagesMoved {
			shown.add(d.Source, d.Path, d.Version)
		}
	}
	return ""
}

// Passages answers with what documents are cut into, out of the log. Errors are
// *document.Error.
func (s *Service) Passages(ctx context.Context, in contract.PassagesRequest) (contract.PassagesReply, error) {
	e, done := s.turn()
	defer done()
	q := e.asks(ctx, e.reachFiles)
	reply := contract.PassagesReply{Documents: []contract.DocumentPassages{}}
	if err := (aboutPassages{aboutOne{q}}).passages(ctx, in, &reply); err != nil {
		s.counters.errors.Add(1)
		return contract.PassagesReply{}, typed(err)
	}
	reply.TookMS = milliseconds(time.Since(q.arrived))
	return reply, nil
}

// aboutPassages is a question about what documents are cut into.
type aboutPassages struct{ aboutOne }

func (q aboutPassages) passages(ctx context.Context, in contract.PassagesRequest, reply *contract.PassagesReply) error {
	if err := contract.CheckLimits(in); err != nil {
		return err
	}
	for i := range in.Documents {
		if err := checkPassagesOf(&in.Documents[i]); err != nil {
			return err
		}
	}
	if err := q.namedScope(ctx, target{token: in.Token, within: in.DeadlineMS}); err != nil {
		return err
	}
	until, cancel := context.WithDeadline(ctx, q.deadline)
	defer cancel()
	if err := q.arriveLog(until); err != nil {
		return err
	}
	ctx, end := context.WithDeadline(ctx, later(q.deadline, time.Now().Add(grace)))
	defer end()
	room := min(passagesRoom, int(q.service.bus.Conn().MaxPayload()/2))
	if err := q.readAhead(ctx, in.Documents); err != nil {
		return err
	}
	for i := range in.Documents {
		d, err := q.passagesOf(ctx, &in.Documents[i])
		if err != nil {
			return err
		}
		first := i == 0
		if room, err = cutToRoom(&d, in.Documents[i].From, room, first); err != nil {
			return err
		}
		if !first && room <= 0 {
			reply.More = len(in.Documents) - i
			return nil
		}
		reply.Documents = append(reply.Documents, d)
		if d.Next > 0 || room <= 0 {
			reply.More = len(in.Documents) - i - 1
			return nil
		}
	}
	return nil
}

// readAhead has the first documents read at once, as many as an answer may have room for:
// they are kept a moment, and found there.
func (q aboutPassages) readAhead(ctx context.Context, list []contract.PassagesOf) error {
	var keys []resolve.DocKey
	size := int64(0)
	for i := range list {
		h, there := q.passagesHead(&list[i])
		if generation, served := q.service.stores.Generation(h.Collection); there && served {
			keys, size = append(keys, resolve.DocKey{Generation: generation, Source: h.Source, Doc: h.Doc}), size+h.Size
		}
		if size > 2*passagesRoom {
			break
		}
	}
	if _, err := q.service.reader.Chunks(ctx, keys); err != nil {
		return fmt.Errorf("read passages: %w", err)
	}
	return nil
}

// passagesHead is the head of the version that is meant. What may not be seen is not
// there.
func (q aboutPassages) passagesHead(of *contract.PassagesOf) (h contract.FileHead, there bool) {
	h, there = q.service.bus.Files().Get(bus.FileKey{Source: of.Source, Doc: document.DocOf(of.Path), View: of.View})
	return h, there && h.Op == contract.OpPut && bus.Head(q.sight, &h) && (of.Version == 0 || of.Version == h.Version)
}

func checkPassagesOf(of *contract.PassagesOf) error {
	if _, err := document.ParseSource(string(of.Source)); err != nil {
		return err
	}
	if err := document.CheckPath(of.Path); err != nil {
		return err
	}
	if of.From < 0 {
		return document.Errorf(document.InvalidRequest, "from is %d: count the passages to pass over from 0", of.From)
	}
	return nil
}

// passagesOf returns all passages of a document.
func (q aboutPassages) passagesOf(ctx context.Context, of *contract.PassagesOf) (contract.DocumentPassages, error) {
	s := q.service
	moved := contract.DocumentPassages{Source: of.Source, Path: of.Path, View: of.View, State: contract.PassagesMoved}
	h, there := q.passagesHead(of)
	if !there {
		return moved, nil
	}
	d := contract.DocumentPassages{
		Source: h.Source, Path: h.Path, View: h.View, Version: h.Version, State: contract.PassagesPending, Hash: h.Hash, Size: h.Size,
		Collection: h.Collection, Metadata: h.Metadata.Metadata(), Format: string(h.Format), Commit: h.Commit, Modified: h.Modified.UTC(),
	}
	generation, served := s.stores.Generation(h.Collection)
	if !served {
		return d, nil
	}
	key := resolve.DocKey{Generation: generation, Source: h.Source, Doc: h.Doc}
	bodies, err := s.reader.Chunks(ctx, []resolve.DocKey{key})
	if err != nil {
		return d, fmt.Errorf("read the passages of %s: %w", h.Path, err)
	}
	body := bodies[key]
	if body.Of(cutOf(body, &h)) == nil {
		if stand, letter := s.index.Stand(&h); stand == contract.FileDead {
			told, _ := s.seenOf(q.sight, h.Source, h.Doc).letter(letter)
			d.State, d.Reason = contract.PassagesFailed, told.Reason
			return d, nil
		}
		awaited, passed, err := q.awaitBody(ctx, key, &h)
		if err != nil {
			return d, err
		}
		if passed {
			return moved, nil
		}
		body = awaited
	}
	cut := cutOf(body, &h)
	c := body.Of(cut)
	if c == nil {
		return d, nil
	}
	d.State, d.Language, d.Reason = contract.PassagesThere, c.Language, c.Textless
	d.Passages = passagesIn(c, body.Bytes(cut))
	return d, nil
}

// passagesIn are the passages of a content, each with the definitions that begin in it.
func passagesIn(c *document.Content, text []byte) []contract.Passage {
	out := make([]contract.Passage, len(c.Chunks))
	for i := range c.Chunks {
		k := &c.Chunks[i]
		out[i] = contract.Passage{
			ID: k.ID, Kind: k.Kind, StartLine: k.StartLine, EndLine: k.EndLine, StartByte: k.StartByte, EndByte: k.EndByte,
			Headings: k.Headings, References: k.References(),
		}
		if t := text[k.StartByte:k.EndByte]; utf8.Valid(t) {
			out[i].Text = string(t)
		} else {
			out[i].Bytes = t
		}
	}
	for _, e := range outline.Entries(c, text) {
		if e.Kind == document.KindSection {
			continue // a heading defines nothing
		}
		at := slices.IndexFunc(c.Chunks, func(k document.Chunk) bool {
			return k.StartLine <= e.StartLine && e.StartLine <= k.EndLine && (k.Symbol == e.Name || slices.Contains(k.Names, e.Name))
		})
		if at >= 0 {
			out[at].Symbols = append(out[at].Symbols, contract.PassageSymbol{
				Name: e.Name, Kind: e.Kind, StartLine: e.StartLine, EndLine: e.EndLine, Signature: e.Signature,
			})
		}
	}
	return out
}

// cutToRoom leaves in d the passages behind from that have room, and returns what is left
// of it; at least one is left where must is true.
func cutToRoom(d *contract.DocumentPassages, from, room int, must bool) (int, error) {
	all := d.Passages
	from = min(from, len(all))
	d.Passages = nil
	js, err := json.Marshal(d)
	if err != nil {
		return 0, fmt.Errorf("encode a document: %w", err)
	}
	room -= len(js)
	for i := from; i < len(all); i++ {
		js, err := json.Marshal(all[i])
		if err != nil {
			return 0, fmt.Errorf("encode a passage: %w", err)
		}
		room -= len(js) + 1
		if room < 0 && (i > from || !must) {
			d.Next, d.Passages = i, all[from:i]
			if i == from {
				return room, nil // not even one
			}
			return max(room, 1), nil
		}
	}
	d.Passages = all[from:]
	return room, nil
}
