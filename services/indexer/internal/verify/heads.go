package verify

import (
	"context"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/indexer/internal/judge"
)

// checkRegularly checks the heads of the log at the start, when the head tables
// are as new as the log, and as often as the stores are swept.
func (s *Verifier) checkRegularly(ctx context.Context) error {
	for {
		if !s.scanned(ctx) {
			return nil
		}
		switch err := s.check(ctx); {
		case err == nil:
			s.checks.Add(1)
		case ctx.Err() == nil:
			s.Log.Warn("the heads of the log were not checked", "error", err)
		}
		if !pause(ctx, s.Heads) {
			return nil
		}
	}
}

// scanPause is the time between looks at whether sources are still being
// compared.
const scanPause = time.Second

// scanned waits until no source is being compared: what a comparison has not
// reached yet is not lost. False when ctx ended before.
func (s *Verifier) scanned(ctx context.Context) bool {
	for {
		list, err := s.sourceList(ctx)
		if ctx.Err() != nil {
			return false
		}
		if err != nil || !slices.ContainsFunc(list.Sources, func(i contract.SourceInfo) bool { return i.Scanning }) {
			return true
		}
		if !pause(ctx, scanPause) {
			return false
		}
	}
}

func (s *Verifier) sourceList(ctx context.Context) (contract.SourceList, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*scanPause)
	defer cancel()
	return client.Sources.Ask(ctx, s.Bus.Conn(), client.None)
}

// check compares the heads of the log by what they cover, which costs a few
// look-ups a document, and has outputs made again that are gone although their
// stage is done with the input: nobody else would ever make them, and whoever
// waits for the document would wait for ever.
func (s *Verifier) check(ctx context.Context) error {
	over, err := s.Turn(ctx)
	if err != nil {
		return err
	}
	defer over()
	v := s.comparison(contract.VerifyRequest{Repair: true}, func(p contract.VerifyPart) error {
		if d := p.Difference; d != nil {
			s.Log.Warn("the log lacked something", "stage", d.Stage, "sink", d.Sink, "source", d.Source, "path", d.Path,
				"what", d.What, "detail", d.Detail, "repaired", d.Repaired)
		}
		return nil
	})
	if err := v.audit(ctx); err != nil {
		return err
	}
	if err := s.Bus.Records().Ready(ctx); err != nil {
		return err
	}
	for _, g := range v.generations() {
		docs, err := v.documents(ctx, g)
		if err != nil {
			return err
		}
		var odd []*look
		for _, d := range docs {
			if l := v.heads(g, d); !clean(l) {
				odd = append(odd, l)
			}
		}
		if len(odd) == 0 {
			continue
		}
		b, err := v.backlog(ctx, g.name)
		if err != nil {
			return err
		}
		odd = slices.DeleteFunc(odd, func(l *look) bool { return b.ahead(l.state) })
		for batch := range slices.Chunk(odd, verifyBatch) {
			if err := v.examine(ctx, g, batch); err != nil {
				return err
			}
		}
	}
	return nil
}

// heads looks at a document in the head tables alone.
func (x *looker) heads(g *generation, d Document) *look {
	st := x.newState(g, d)
	get := func(stream string, sink document.Sink) *judge.Output {
		key := bus.OutputKey{Generation: g.name, Sink: sink, Source: d.Source, Doc: d.Doc}
		h, ok := x.Bus.Outputs(stream).Get(key)
		if !ok {
			return nil
		}
		return &judge.Output{OutputHead: h, Holds: true} // the keeper's business
	}
	st.Chunks, st.Vectors = get(contract.StreamChunks, ""), get(contract.StreamVectors, "")
	for _, sink := range document.Sinks {
		if out := get(contract.StreamIndexed, sink); out != nil {
			st.Indexed[sink] = out
		}
	}
	for _, view := range x.viewsOf(d, st.Chunks) {
		if h, ok := x.Bus.Files().Get(bus.FileKey{Source: d.Source, Doc: d.Doc, View: view}); ok {
			st.Files[view] = h
		}
	}
	st.Waits = func(contract.Stage, uint64) bool { return false }
	return &look{Document: d, state: st, verdict: judge.Of(st)}
}

// ahead reports whether any input of a document is still on its way.
func (b backlog) ahead(st *judge.State) bool {
	for _, h := range st.Files {
		if b.waits(contract.StageChunker, uint64(h.Version)) {
			return true
		}
	}
	return st.Chunks != nil && (b.waits(contract.StageEmbed, st.Chunks.Seq) || b.waits(contract.StageLexical, st.Chunks.Seq)) ||
		st.Vectors != nil && b.waits(contract.StageVector, st.Vectors.Seq)
}
