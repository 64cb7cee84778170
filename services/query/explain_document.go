package query

import (
	"context"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// output is a stage's output on the document, as the log has it.
type output struct {
	head contract.OutputHead
	at   time.Time
	msg  *bus.Msg
}

// outputs are those of every generation that is searched, and the dead letters.
type outputs struct {
	chunks, vectors map[document.Generation]output
	indexed         map[bus.RecordKey]output
	bodies          map[document.Generation]*resolve.Body
	dead            map[contract.Stage]contract.DeadHead
}

// passage is a chunk of one of the contents that are cut.
type passage struct {
	document.Chunk
	generation document.Generation
	language   string
	text       []byte
	views      []document.View
}

// read reads what every stage has written about the document.
func (x *explanation) read(ctx context.Context) error {
	o := &x.outputs
	*o = outputs{
		chunks: map[document.Generation]output{}, vectors: map[document.Generation]output{},
		indexed: map[bus.RecordKey]output{}, dead: map[contract.Stage]contract.DeadHead{},
	}
	source := x.in.Source
	var keys []resolve.DocKey
	subjects := map[string][]string{}
	for _, g := range x.service.stores.Generations() {
		keys = append(keys, resolve.DocKey{Generation: g, Source: source, Doc: x.doc})
		subjects[contract.StreamChunks] = append(subjects[contract.StreamChunks], contract.ChunksSubject(g, source, x.doc))
		subjects[contract.StreamVectors] = append(subjects[contract.StreamVectors], contract.VectorsSubject(g, source, x.doc))
		for _, sink := range document.Sinks {
			subjects[contract.StreamIndexed] = append(subjects[contract.StreamIndexed], contract.IndexedSubject(g, sink, source, x.doc))
		}
	}
	for stream, list := range subjects {
		msgs, err := x.service.bus.GetLast(ctx, stream, list...)
		if err != nil {
			return err
		}
		for _, m := range msgs {
			head, err := contract.ParseOutputHead(m.Subject, m.Seq, m.Header)
			if err != nil {
				continue // no output of freshet's
			}
			out := output{head, m.Time, m}
			switch stream {
			case contract.StreamChunks:
				o.chunks[head.Generation] = out
			case contract.StreamVectors:
				o.vectors[head.Generation] = out
			default:
				o.indexed[bus.RecordKey{Generation: head.Generation, Sink: head.Sink}] = out
			}
		}
	}
	bodies, err := x.service.reader.Fetch(ctx, keys)
	if err != nil {
		return err
	}
	o.bodies = map[document.Generation]*resolve.Body{}
	for k, b := range bodies {
		o.bodies[k.Generation] = b
	}
	return x.readDead(ctx)
}

func (x *explanation) readDead(ctx context.Context) error {
	var subjects []string
	for _, stage := range contract.Stages {
		for _, build := range x.service.stores.AllDeadLetters(stage) {
			if x.service.about(bus.DeadKey{Stage: stage, Source: x.in.Source, Doc: x.doc, Build: build}) {
				subjects = append(subjects, contract.DeadSubject(stage, x.in.Source, x.doc, build))
			}
		}
	}
	msgs, err := x.service.bus.GetLast(ctx, contract.StreamDead, subjects...)
	if err != nil {
		return err
	}
	for _, m := range msgs {
		d, err := contract.ParseDeadHead(m.Subject, m.Seq, m.Header)
		if err != nil || d.Cleared {
			continue
		}
		if d.Time.IsZero() {
			d.Time = m.Time // an older version wrote it
		}
		if d, ok := seenBy(x).letter(d); ok {
			x.outputs.dead[d.Stage] = d
		}
	}
	return nil
}

// failures lists the dead letters.
func (x *explanation) failures() {
	for _, stage := range contract.Stages {
		if d, ok := x.outputs.dead[stage]; ok {
			x.Failed = append(x.Failed, x.service.deadLetters.Letter(&d))
		}
	}
}
