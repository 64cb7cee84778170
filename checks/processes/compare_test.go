//go:build servers

package processes

import (
	"fmt"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// equal compares what the log asks for with the ids that each server lists,
// and returns how many passages that are.
func (d *deployment) equal() (passages int) {
	d.t.Helper()
	for _, sink := range document.Sinks {
		want := d.wanted(sink)
		have := map[document.ChunkID]bool{}
		for g := range d.stores {
			var s store.Store = d.stores[g].Lexical
			if sink == document.Vector {
				s = d.stores[g].Vector
			}
			for ref, err := range s.IDs(d.t.Context(), store.Scope{}) {
				if err != nil {
					d.t.Fatal(err)
				}
				if have[ref.ID] {
					d.t.Errorf("the %s server lists %s twice", sink, ref.ID)
				}
				have[ref.ID] = true
			}
		}
		missing, extra := difference(want, have), difference(have, want)
		if missing+extra > 0 {
			d.t.Errorf("the %s server lacks %d of %d passages and holds %d that nobody asked for", sink, missing, len(want), extra)
		}
		passages = max(passages, len(want))
	}
	if passages == 0 {
		d.t.Error("the log asks for nothing: nothing was compared")
	}
	d.verified()
	return passages
}

// verified checks that `freshet verify` finds the same.
func (d *deployment) verified() {
	d.t.Helper()
	err := client.Verify.Each(d.t.Context(), d.bus.Conn(), contract.VerifyRequest{}, func(p contract.VerifyPart) error {
		if p.Difference != nil {
			d.t.Errorf("verify: %+v", *p.Difference)
		}
		want := contract.OutcomeEqual
		if d.unwatched {
			want = contract.OutcomeIncomplete // and nothing that differs
		}
		if s := p.Summary; s != nil && (s.Outcome != want || s.Pending > 0) {
			d.t.Errorf("verify: %s, want %s, %d pending", s.Outcome, want, s.Pending)
		}
		return nil
	})
	if err != nil {
		d.t.Errorf("verify: %v", err)
	}
}

func difference(a, b map[document.ChunkID]bool) (n int) {
	for id := range a {
		if !b[id] {
			n++
		}
	}
	return n
}

// wanted are the ids that CHUNKS and VECTORS ask for, read from the log and
// not from INDEXED.
func (d *deployment) wanted(sink document.Sink) map[document.ChunkID]bool {
	d.t.Helper()
	stream := contract.StreamChunks
	if sink == document.Vector {
		stream = contract.StreamVectors
	}
	table := d.bus.Outputs(stream)
	last, err := d.bus.LastSeq(d.t.Context(), stream)
	if err != nil {
		d.t.Fatal(err)
	}
	if err := table.Wait(d.t.Context(), last); err != nil {
		d.t.Fatal(err)
	}
	var subjects []string
	table.Range(func(_ bus.OutputKey, h contract.OutputHead) bool {
		subjects = append(subjects, h.Subject(stream))
		return true
	})
	heads, err := d.bus.GetLast(d.t.Context(), stream, subjects...)
	if err != nil {
		d.t.Fatal(err)
	}
	out := map[document.ChunkID]bool{}
	for _, subject := range subjects {
		m := heads[subject]
		if m == nil {
			continue
		}
		ids, err := idsOf(d, m, sink)
		if err != nil {
			d.t.Fatalf("%s: %v", subject, err)
		}
		for _, id := range ids {
			out[id] = true
		}
	}
	return out
}

func idsOf(d *deployment, m *bus.Msg, sink document.Sink) ([]document.ChunkID, error) {
	raw, err := m.Body(d.t.Context())
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if sink == document.Vector {
		var body contract.VectorsBody
		_, err := contract.SplitBody(m.Header, raw, &body)
		return body.IDs, err
	}
	var body contract.ChunksBody
	if _, err := contract.SplitBody(m.Header, raw, &body); err != nil {
		return nil, err
	}
	var ids []document.ChunkID
	for _, c := range body.Contents {
		for _, k := range c.Chunks {
			ids = append(ids, k.ID)
		}
	}
	return ids, nil
}
