package feedback

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Update returns events whose hits have the lines of today: a passage keeps its
// id while others of its document are edited. What was edited itself keeps the
// lines that it had. Hits in documents that are gone are left out, and counted.
// progress is told how many documents of how many have been looked at.
func Update(ctx context.Context, nc *nats.Conn, events []contract.FeedbackEvent, progress func(done, total int)) (now []contract.FeedbackEvent, gone int, err error) {
	documents := map[place]*state{}
	for _, e := range events {
		for _, h := range e.Hits {
			documents[place{h.Source, h.Path}] = nil
		}
	}
	done := 0
	for p := range documents {
		progress(done, len(documents))
		if documents[p], err = look(ctx, nc, p); err != nil {
			return nil, 0, err
		}
		done++
	}
	for _, e := range events {
		hits := make([]contract.FeedbackHit, 0, len(e.Hits))
		for _, h := range e.Hits {
			there := documents[place{h.Source, h.Path}]
			if there.gone {
				gone++
				continue
			}
			if c, ok := there.passages[h.ID]; ok {
				h.StartLine, h.EndLine = c.StartLine, c.EndLine
			}
			hits = append(hits, h)
		}
		e.Hits = hits
		now = append(now, e)
	}
	return now, gone, nil
}

type place struct {
	source document.Source
	path   document.Path
}

// state is that of a document.
type state struct {
	gone     bool
	passages map[document.ChunkID]contract.ChunkState
}

// lookLimit is above what the service allows itself.
const lookLimit = 30 * time.Second

func look(ctx context.Context, nc *nats.Conn, p place) (*state, error) {
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	log, err := client.ExplainQuery.Ask(ctx, nc, contract.ExplainQuery{Source: p.source, Path: p.path})
	if err != nil {
		return nil, err
	}
	s := &state{passages: map[document.ChunkID]contract.ChunkState{}}
	s.gone = log.Verdict == contract.VerdictMissing || log.Verdict == contract.VerdictDeleted
	for _, c := range log.Chunks {
		s.passages[c.ID] = c
	}
	return s, nil
}
