package watcher

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// renew writes documents again whose content the log does not give any more,
// where the source has them. What was given by request the log alone had: it is
// noted as lost. With req.Again the others are written again as the log has them,
// as new versions: so each stage makes its output again in its usual way, and
// whoever asks meanwhile is told that they are pending.
func (s *Service) renew(ctx context.Context, req contract.VerifyFilesRequest) error {
	if !req.Repair {
		return nil
	}
	var lost []contract.LostDocument
	for _, l := range req.Unread {
		h, content, is, err := s.contentLost(ctx, req.Source, l)
		switch {
		case err != nil:
			return err
		case is:
			lost = append(lost, l)
		case req.Again && content != nil:
			if err := s.writeAgain(ctx, h, content); err != nil {
				return err
			}
		}
	}
	if len(lost) == 0 {
		return nil
	}
	s.mu.RLock()
	src := s.watched[req.Source]
	s.mu.RUnlock()
	switch {
	case src == nil:
		return document.Errorf(document.Unavailable, "the source %s is not watched, so nobody knows what it holds: watch it", req.Source).Do(document.DoSourceAdd)
	case src.origin.Place.Kind == contract.SourceAPI:
		return s.noteLost(ctx, req.Source, lost)
	}
	return src.putLost(ctx, lost, func(t origin.Truth) origin.Truth { return renewed{t} })
}

// noteLost notes documents that nobody can make again.
func (r *records) noteLost(ctx context.Context, source document.Source, lost []contract.LostDocument) error {
	losses := make([]contract.Loss, len(lost))
	for i, l := range lost {
		losses[i] = contract.Loss{What: contract.LossDocument, Source: source, View: l.View, Path: l.Path, Found: time.Now().UTC().Truncate(time.Second)}
	}
	return bus.LossesOf(r.bus).Keep(ctx, losses)
}

// writeAgain writes a version of a document again, unless there is a newer one.
func (r *records) writeAgain(ctx context.Context, h contract.FileHead, content []byte) error {
	known := h.Version
	h.Time, h.Live, h.First, h.Version = r.bus.Now(), true, false, 0
	subject := contract.FileSubject(h.Source, h.Doc, h.View)
	ack := r.bus.Publish(ctx, bus.Out{Subject: subject, Header: h.Header(), Body: content, Expect: uint64(known)})[0]
	if errors.Is(ack.Err, bus.ErrConflict) {
		return nil
	}
	if ack.Err != nil {
		return fmt.Errorf("write %s of %s again: %w", h.Path, h.Source, ack.Err)
	}
	h.Version = document.Version(ack.Seq)
	r.ledger.note(h)
	r.bus.Nudge(contract.StageChunker, subject, ack.Seq)
	return nil
}

// contentLost reports whether the log does not give the content of a document
// any more. It returns the head, and the content where there is one.
func (r *records) contentLost(ctx context.Context, source document.Source, l contract.LostDocument) (contract.FileHead, []byte, bool, error) {
	m, err := r.bus.LeaderLast(ctx, contract.StreamFiles, contract.FileSubject(source, document.DocOf(l.Path), l.View))
	if err != nil || m == nil {
		return contract.FileHead{}, nil, false, err
	}
	h, err := contract.ParseFileHead(m.Subject, m.Seq, m.Header)
	if err != nil || h.Op != contract.OpPut {
		return h, nil, false, nil //nolint:nilerr // it is none of ours, and has no content
	}
	content, err := m.Content(ctx, &h)
	switch {
	case errors.Is(err, bus.ErrGone):
		return h, nil, false, nil // replaced meanwhile
	case bus.IsUnread(err):
		return h, nil, true, nil
	case err != nil:
		return h, nil, false, err
	}
	return h, append([]byte{}, content...), false, nil
}

// renewed is a truth with which no content counts as known: what it has is
// written again.
type renewed struct{ origin.Truth }

func (r renewed) Look(ctx context.Context, c scan.Candidate, known contract.FileHead, park scan.Parker) (scan.Finding, error) {
	known.Hash = ""
	return r.Truth.Look(ctx, c, known, park)
}
