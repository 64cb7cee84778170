package query

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// reindexing has the index made once more. It writes the record that all who make it
// follow, and makes nothing itself.
type reindexing struct{ service *Service }

func serveReindex(ctx context.Context, s *Service, svc micro.Service) error {
	return bounded(ctx, s, svc, endpoint{"reindex", contract.SubjectReindex, acceptLimit, rpc.Finished}, reindexing{s}.ask)
}

// ask tells how the index is made, after it has done what is asked for.
func (r reindexing) ask(ctx context.Context, req contract.ReindexRequest) (out contract.ReindexReply, err error) {
	for {
		answers, done := r.service.turn()
		all := answers.stores.Collections()
		done()
		if req.Collection != "" && !slices.Contains(all, req.Collection) {
			return out, document.Errorf(document.InvalidRequest, "%q is no collection: choose from %v, or leave it out", req.Collection, all)
		}
		out, serving, before, err := r.tell(ctx, req.Collection)
		if err != nil || req.Do == contract.ReindexTell {
			return out, err
		}
		now, err := r.next(req, out, before, before.Makes(serving))
		if err != nil {
			return out, err
		}
		if next := now.Of(serving); next.ID() != serving.ID() {
			// Who asks for it has been told what it takes.
			if err := bus.AcceptedBuildOf(r.service.bus).Accept(ctx, next.ID()); err != nil {
				return out, err
			}
		}
		now.At = r.service.bus.Now().UTC()
		err = (bus.Reindexing{Bus: r.service.bus}).Write(ctx, before, now)
		if errors.Is(err, bus.ErrConflict) {
			continue // somebody else has asked, too
		}
		if err != nil {
			return out, err
		}
		out, _, _, err = r.tell(ctx, req.Collection)
		return out, err
	}
}

// next is the record that a request makes of one.
func (r reindexing) next(req contract.ReindexRequest, told contract.ReindexReply, record bus.Reindex, complete bool) (bus.Reindex, error) {
	now := record
	now.Seconds, now.Bytes = told.Seconds, told.TextBytes
	switch req.Do {
	case contract.ReindexBegin:
		if !complete || told.Next != "" {
			return now, document.Errorf(document.Conflict, "another index is made already, and takes the place of what answers once it is complete: wait for it, or go back").
				With(document.Action{Do: document.DoReindexTell}, document.Action{Do: document.DoReindexBack})
		}
		return now.Begin(req.Collection), nil
	case contract.ReindexRollback:
		if told.Former == "" {
			return now, document.Errorf(document.NotFound, "there is nothing to go back to: the former index is removed, or the index was not made again; how long it stays is said by generations.grace").
				With(document.Action{Do: document.DoReindexTell})
		}
		return now.Rollback(), nil
	}
	return now, document.Errorf(document.InvalidRequest, "do is %q: use %s or %s, or leave it out", req.Do, contract.ReindexBegin, contract.ReindexRollback)
}

// tell counts what there is of a collection; "" is all.
func (r reindexing) tell(ctx context.Context, c document.Collection) (out contract.ReindexReply, build contract.Build, record bus.Reindex, err error) {
	s := r.service
	// Who answers is asked first: what the log names is then that build or a newer one.
	// The other way round another build could take the place in between, and be told as
	// neither made nor answering.
	answers, done := s.turn()
	defer done()
	if record, err = (bus.Reindexing{Bus: s.bus}).Read(ctx); err != nil {
		return out, build, record, err
	}
	var serving bus.Serving
	serving, err = bus.BuildsOf(s.bus).Serving(ctx)
	if err != nil {
		return out, build, record, err
	}
	known := false
	if serving.Build != "" {
		if build, known, err = bus.BuildsOf(s.bus).Get(ctx, serving.Build); err != nil {
			return out, build, record, err
		}
	}
	if !known {
		return out, build, record, document.Errorf(document.Unavailable, "the first index is not complete yet: ask again once it is").Do(document.DoStatusShow)
	}
	out.Serving, out.Again, out.Since = serving.Build, build.Again, serving.Since
	for _, c := range build.Collections() {
		if build.Of(c).Again != build.Again {
			out.Collections = append(out.Collections, c)
		}
	}
	if answers != s.configured {
		next := s.next()
		out.Next, out.Pending = next.Build.ID(), next.Pending
	}
	for _, stream := range []string{contract.StreamChunks, contract.StreamVectors} {
		if err := s.bus.Outputs(stream).Ready(ctx); err != nil {
			return out, build, record, err
		}
	}
	made := build.Collections()
	s.bus.Files().Range(func(_ bus.FileKey, h contract.FileHead) bool {
		if h.Op == contract.OpPut && (c == "" || h.Collection.In(made) == c) {
			out.Documents++
			out.TextBytes += h.Size
		}
		return true
	})
	of := func(stream string, count func(contract.OutputHead), generations []document.Generation) {
		s.bus.Outputs(stream).Range(func(k bus.OutputKey, h contract.OutputHead) bool {
			if slices.Contains(generations, k.Generation) {
				count(h)
			}
			return true
		})
	}
	asked := build.Generations()
	if c != "" {
		asked = []document.Generation{build.Generation(c)}
	}
	of(contract.StreamChunks, func(h contract.OutputHead) { out.Passages += h.Count }, asked)
	of(contract.StreamVectors, func(h contract.OutputHead) { out.Vectors += h.Count }, asked)
	complete := record.Makes(build)
	switch {
	case !complete:
		at := record.At
		out.Begun = &at
	case record.Back != nil && serving.Since.After(record.At.Add(-time.Second)):
		out.Seconds = max(serving.Since.Sub(record.At), time.Second).Seconds()
	}
	if out.Seconds == 0 && record.Bytes > 0 {
		out.Seconds = record.Seconds * float64(out.TextBytes) / float64(record.Bytes)
	}
	if record.Back != nil {
		former := record.Rollback().Of(build)
		kept := 0
		of(contract.StreamChunks, func(contract.OutputHead) { kept++ }, former.Without(build))
		if former.ID() == build.ID() || kept > 0 {
			out.Former = former.ID()
		}
	}
	return out, build, record, nil
}
