package verify

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// healAfter is how long reports of messages that cannot be read are gathered:
	// several stages meet the same damage.
	healAfter = 200 * time.Millisecond
	// healMost bounds what is gathered. What is left out is reported again.
	healMost = 1024
)

// heal has documents made again of which somebody could not read a message.
func (s *Verifier) heal(ctx context.Context) error {
	ch := make(chan *nats.Msg, healMost)
	sub, err := s.Bus.Conn().ChanSubscribe(contract.SubjectUnread, ch)
	if err != nil {
		return fmt.Errorf("listen on %s: %w", contract.SubjectUnread, err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	var due <-chan time.Time
	unread := unread{}
	for {
		select {
		case <-ctx.Done():
			return nil
		case m := <-ch:
			var u contract.UnreadBody
			if err := json.Unmarshal(m.Data, &u); err != nil {
				s.Log.Warn("unread message not understood", "error", err)
				continue
			}
			unread.add(u)
			if due == nil {
				due = time.After(healAfter)
			}
		case <-due:
			if err := s.makeAgain(ctx, unread); err != nil && ctx.Err() == nil {
				s.Log.Warn("documents that cannot be read are not made again", "documents", len(unread), "error", err)
			}
			clear(unread)
			due = nil
		}
	}
}

// unread are the streams in which a message of a document cannot be read.
type unread map[Document]map[string]bool

func (u unread) add(b contract.UnreadBody) {
	d := Document{Source: b.Source, Doc: b.Doc}
	if u[d] == nil {
		if len(u) == healMost {
			return
		}
		u[d] = map[string]bool{}
	}
	u[d][b.Stream] = true
}

// makeAgain has the watcher write documents again whose content or passages
// cannot be read. Of the others what a comparison with repair would repair is.
func (s *Verifier) makeAgain(ctx context.Context, docs unread) error {
	over, err := s.Turn(ctx)
	if err != nil {
		return err
	}
	defer over()
	v := s.comparison(contract.VerifyRequest{Repair: true}, func(p contract.VerifyPart) error {
		if d := p.Difference; d != nil {
			s.Log.Warn("a document could not be read", "stage", d.Stage, "sink", d.Sink, "source", d.Source, "path", d.Path,
				"what", d.What, "detail", d.Detail, "repaired", d.Repaired)
		}
		return nil
	})
	last, err := v.Bus.LastSeq(ctx, contract.StreamFiles)
	if err == nil {
		err = v.Bus.Outputs(contract.StreamChunks).Ready(ctx)
	}
	if err == nil {
		err = v.Bus.Files().Wait(ctx, last)
	}
	if err != nil {
		return err
	}
	v.writeAgain(ctx, docs)
	for _, g := range v.generations() {
		all, err := v.documents(ctx, g)
		if err != nil {
			return err
		}
		var looks []*look
		for _, d := range all {
			if streams := docs[d]; streams[contract.StreamVectors] || streams[contract.StreamIndexed] {
				looks = append(looks, v.heads(g, d))
			}
		}
		for batch := range slices.Chunk(looks, verifyBatch) {
			if err := v.examine(ctx, g, batch); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeAgain has the watcher write documents again: those that FILES does not
// give, and those whose passages cannot be read, unless newer ones of them are on
// their way.
func (v *verification) writeAgain(ctx context.Context, docs unread) {
	type request struct {
		source document.Source
		again  bool
	}
	asked := map[request][]contract.LostDocument{}
	v.Bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		streams := docs[Document{Source: k.Source, Doc: k.Doc}]
		again := streams[contract.StreamChunks] && v.cut(h)
		if h.Op == contract.OpPut && (again || streams[contract.StreamFiles]) {
			r := request{k.Source, again}
			asked[r] = append(asked[r], contract.LostDocument{View: k.View, Path: h.Path})
		}
		return true
	})
	for r, all := range asked {
		for some := range slices.Chunk(all, contract.LostAtOnce) {
			req := contract.VerifyFilesRequest{Source: r.source, Repair: true, Unread: some, Again: r.again}
			err := client.VerifyFiles.Each(ctx, v.Bus.Conn(), req, func(contract.VerifyPart) error { return nil })
			if err != nil && ctx.Err() == nil {
				v.Log.Warn("documents that cannot be read are not written again", "source", r.source, "documents", len(some), "error", err)
			}
		}
	}
}

// cut reports whether CHUNKS covers a version.
func (v *verification) cut(h contract.FileHead) bool {
	for _, g := range v.generations() {
		out, ok := v.Bus.Outputs(contract.StreamChunks).Get(bus.OutputKey{Generation: g.name, Source: h.Source, Doc: h.Doc})
		if ok && out.Covers.At(h.View).Version >= h.Version {
			return true
		}
	}
	return false
}
