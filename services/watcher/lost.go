package watcher

import (
	"context"
	"errors"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// verifyLost takes up documents that outputs show and FILES has no head of:
// what is in the source is put, the rest is deleted in the log, so that every
// stage takes it back in its usual way.
func (s *Service) verifyLost(ctx context.Context, req contract.VerifyFilesRequest) error {
	s.mu.RLock()
	src := s.watched[req.Source]
	_, registered := s.registry.list[req.Source]
	s.mu.RUnlock()
	if src == nil && registered {
		return document.Errorf(document.Unavailable, "the source %s is not watched, so nobody knows what it holds: watch it with `freshet source add`, and verify again", req.Source)
	}
	if src != nil && src.place.kind == contract.SourceAPI {
		return document.Errorf(document.Unavailable, "the source %s is given by request: put what was lost again, or delete it", req.Source)
	}
	if !req.Repair {
		return nil
	}
	if src != nil {
		if err := src.putLost(ctx, req.Lost); err != nil {
			return err
		}
	}
	for _, l := range req.Lost {
		if err := s.deleteLost(ctx, req.Source, l); err != nil {
			return err
		}
	}
	return nil
}

// putLost puts those that are in the source.
func (s *source) putLost(ctx context.Context, lost []contract.LostDocument) error {
	if err := s.refusal(); err != nil {
		return err
	}
	t, view, _, err := s.currentTruth(ctx)
	if err == nil {
		err = t.reachable()
	}
	if err != nil {
		return err
	}
	var scopes []scope
	for _, l := range lost {
		if l.View == view {
			scopes = append(scopes, scope{raw: l.Path.Raw()})
		}
	}
	if len(scopes) == 0 {
		return nil
	}
	_, err = s.compareLimited(ctx, always(t), view, scopes, true)
	return err
}

// deleteLost deletes a document of which FILES still has no head.
func (s *Service) deleteLost(ctx context.Context, name document.Source, l contract.LostDocument) error {
	h := contract.FileHead{
		Source: name, Doc: document.DocOf(l.Path), View: l.View, Path: l.Path,
		Op: contract.OpDelete, Time: s.bus.Now(), Live: true,
	}
	subject := contract.FileSubject(name, h.Doc, h.View)
	if known, err := s.readHead(ctx, subject); err != nil || known.Version != 0 {
		return err
	}
	ack := s.bus.Publish(ctx, bus.Out{Subject: subject, Header: h.Header()})[0]
	if errors.Is(ack.Err, bus.ErrConflict) {
		return nil // it has one by now
	}
	if ack.Err != nil {
		return fmt.Errorf("delete %s of %s in the log: %w", l.Path, name, ack.Err)
	}
	h.Version = document.Version(ack.Seq)
	s.ledger.note(h)
	s.bus.Nudge(contract.StageChunker, subject, ack.Seq)
	return nil
}
