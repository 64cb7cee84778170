package watcher

import (
	"context"
	"errors"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
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
		return document.Errorf(document.Unavailable, "the source %s is not watched, so nobody knows what it holds: watch it, and verify again", req.Source).Do(document.DoSourceAdd)
	}
	if src != nil && src.origin.Place.Kind == contract.SourceAPI && !req.Accepted {
		return document.Errorf(document.Unavailable, "the source %s is given by request: put what was lost again, or accept the loss", req.Source).Do(document.DoLossAccept)
	}
	if !req.Repair {
		return nil
	}
	if src != nil && src.origin.Place.Kind != contract.SourceAPI {
		if err := src.putLost(ctx, req.Lost, func(t origin.Truth) origin.Truth { return t }); err != nil {
			return err
		}
	}
	for _, l := range req.Lost {
		if err := s.deleteLost(ctx, req.Source, l, req.Accepted); err != nil {
			return err
		}
	}
	return nil
}

// putLost compares documents with the source, as seen through wrap.
func (s *source) putLost(ctx context.Context, lost []contract.LostDocument, wrap func(origin.Truth) origin.Truth) error {
	if err := s.quota.refusal(); err != nil {
		return err
	}
	t, view, _, err := s.origin.Current(ctx)
	if err == nil {
		err = t.Reachable()
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
	_, err = s.comparer.compareLimited(ctx, wrap(origin.ReadAll(t)), view, scopes, true)
	return err
}

// deleteLost deletes a document of which FILES still has no head, or where that
// is accepted one whose content it does not give.
func (r *records) deleteLost(ctx context.Context, name document.Source, l contract.LostDocument, accepted bool) error {
	h := contract.FileHead{
		Source: name, Doc: document.DocOf(l.Path), View: l.View, Path: l.Path,
		Op: contract.OpDelete, Time: r.bus.Now(), Live: true, First: true,
	}
	subject := contract.FileSubject(name, h.Doc, h.View)
	known, err := r.readHead(ctx, subject)
	if err != nil {
		return err
	}
	if known.Version != 0 {
		if !accepted {
			return nil
		}
		lost, _, is, err := r.contentLost(ctx, name, l)
		if err != nil || !is {
			return err
		}
		h.First, h.Collection, h.Metadata, known = false, lost.Collection, lost.Metadata.Only(document.MetadataRoles), lost
	}
	ack := r.bus.Publish(ctx, bus.Out{Subject: subject, Header: h.Header(), Expect: uint64(known.Version)})[0]
	if errors.Is(ack.Err, bus.ErrConflict) {
		return nil // it has another by now
	}
	if ack.Err != nil {
		return fmt.Errorf("delete %s of %s in the log: %w", l.Path, name, ack.Err)
	}
	h.Version = document.Version(ack.Seq)
	r.ledger.note(h)
	r.bus.Nudge(contract.StageChunker, subject, ack.Seq)
	return nil
}
