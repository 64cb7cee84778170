package query

import (
	"context"
	"fmt"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// chunksListed bounds the passages that an explanation lists, so that it fits
// into one message.
const chunksListed = 500

// chunks lists the passages that CHUNKS has of each view, and where each is.
func (x *explanation) chunks(ctx context.Context) {
	for _, g := range x.service.stores.Generations() {
		body := x.outputs.bodies[g]
		if body == nil {
			continue
		}
		at := map[document.ChunkID]int{}
		for _, h := range x.heads {
			c, text := body.Covered(h.View)
			if x.sight != nil {
				c, text = body.Of(&h), body.Bytes(&h) // an earlier version may be hidden
			}
			if c == nil {
				continue
			}
			for i := range c.Chunks {
				k := &c.Chunks[i]
				n, known := at[k.ID]
				if !known {
					n = len(x.passages)
					at[k.ID] = n
					x.passages = append(x.passages, passage{
						Chunk: *k, generation: g, language: c.Language, text: text[k.StartByte:k.EndByte],
					})
				}
				x.passages[n].views = append(x.passages[n].views, h.View)
			}
		}
	}
	held := x.sinks(ctx)
	for i := range x.passages {
		if i == chunksListed {
			x.Degraded = append(x.Degraded, fmt.Sprintf("%d passages more are not listed", len(x.passages)-chunksListed))
			break
		}
		p := &x.passages[i]
		c := contract.ChunkState{
			ID: p.ID, StartLine: p.StartLine, EndLine: p.EndLine, Symbol: p.Symbol, Kind: p.Kind, Headings: p.Headings,
			Fallback: p.Fallback, Born: p.Born, Views: p.views, Sinks: map[document.Sink]string{},
		}
		if x.sight != nil && !slices.ContainsFunc(x.heads, func(h contract.FileHead) bool { return h.Version == p.Born }) {
			c.Born = 0 // it came with a version that may be hidden
		}
		for _, sink := range document.Sinks {
			state := held[bus.RecordKey{Generation: p.generation, Sink: sink}][p.ID]
			if state == "" {
				state = contract.SinkUnlisted
			}
			c.Sinks[sink] = state
			if state == contract.SinkLost {
				x.lost(sink)
			}
		}
		x.Chunks = append(x.Chunks, c)
	}
}

// lost notes once that a sink's store lacks what is listed for it.
func (x *explanation) lost(sink document.Sink) {
	for i := range x.Stages {
		st := &x.Stages[i]
		if st.Note == "" && st.Stage == sinkStage(sink) {
			st.Note = "its store lacks passages that are listed for it"
		}
	}
}

func sinkStage(sink document.Sink) contract.Stage {
	if sink == document.Lexical {
		return contract.StageLexical
	}
	return contract.StageVector
}

// sinks returns what each sink has of each passage: INDEXED lists it, and the
// store is asked whether it is there.
func (x *explanation) sinks(ctx context.Context) map[bus.RecordKey]map[document.ChunkID]string {
	all := map[bus.RecordKey]map[document.ChunkID]string{}
	for k, out := range x.outputs.indexed {
		states := map[document.ChunkID]string{}
		all[k] = states
		var body contract.IndexedBody
		raw, err := out.msg.Body(ctx)
		if err == nil {
			_, err = contract.SplitBody(out.msg.Header, raw, &body)
		}
		if err != nil {
			x.Degraded = append(x.Degraded, fmt.Sprintf("%s: what is listed could not be read: %v", k.Sink, err))
			continue
		}
		for _, id := range body.Bare {
			states[id] = contract.SinkBare
		}
		there, err := x.held(ctx, k)
		if err != nil {
			x.Degraded = append(x.Degraded, fmt.Sprintf("%s: the store does not say what it holds: %v", k.Sink, err))
		}
		listed := x.service.index.Holds(&out.head)
		for _, id := range body.IDs {
			switch {
			case !listed:
				states[id] = contract.SinkUnlisted // for a store that is no more
			case err != nil:
				states[id] = contract.SinkListed
			case there[id]:
				states[id] = contract.SinkHeld
			default:
				states[id] = contract.SinkLost
			}
		}
	}
	return all
}

// held asks a store what it has of the document.
func (x *explanation) held(ctx context.Context, k bus.RecordKey) (map[document.ChunkID]bool, error) {
	ctx, cancel := context.WithTimeout(ctx, x.service.cfg.ChannelDeadline)
	defer cancel()
	stores := x.service.stores.sinks[k.Generation]
	var from store.Store = stores.Lexical
	if k.Sink == document.Vector {
		from = stores.Vector
	}
	there := map[document.ChunkID]bool{}
	for ref, err := range from.IDs(ctx, store.Scope{Source: x.in.Source, Doc: x.doc}) {
		if err != nil {
			return nil, err
		}
		there[ref.ID] = true
	}
	return there, nil
}
