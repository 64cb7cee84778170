package watcher

import (
	"context"
	"encoding/json"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// records are the versions of documents that the watcher reads and writes one by
// one, beside what a comparison does.
type records struct {
	bus    *bus.Bus
	ledger *ledger
}

// token returns the token of a version, or of the log's end for 0.
func (r *records) token(ctx context.Context, v document.Version) (document.Token, error) {
	seq := uint64(v)
	if seq == 0 {
		var err error
		if seq, err = r.bus.LastSeq(ctx, contract.StreamFiles); err != nil {
			return document.Token{}, err
		}
	}
	return r.bus.Tokens().Of(ctx, seq)
}

// tell announces a version that the log has taken. Who does not listen has
// lost nothing, so a failure is none.
func (r *records) tell(ctx context.Context, h contract.FileHead) {
	token, err := r.bus.Tokens().Of(ctx, uint64(h.Version))
	if err != nil {
		return
	}
	change := contract.ChangeOf(h, token)
	if r.bus.Restricts() && h.Op != contract.OpMarker {
		change.Access = r.rulesIn(h.Source, h.View).Texts()
	}
	if js, err := json.Marshal(change); err == nil {
		_ = r.bus.Conn().Publish(contract.ChangeSubject(h.Source, h.View), js)
	}
}

// rulesIn are the rules that stand in a view of a source.
func (r *records) rulesIn(source document.Source, view document.View) contract.SourceRules {
	return r.ledger.get(bus.FileKey{Source: source, Doc: document.AccessDoc, View: view}).Access
}

// known reports whether the log has a document at a path.
func (r *records) known(source document.Source, view document.View, raw string) bool {
	return present(r.ledger.get(bus.FileKey{Source: source, Doc: document.DocOf(document.EncodePath(raw)), View: view}))
}

// head returns the newest head of a document, the zero head where there is none.
func (r *records) head(ctx context.Context, k bus.FileKey) (contract.FileHead, error) {
	if !r.ledger.doubts(k) {
		return r.ledger.get(k), nil
	}
	h, err := r.readHead(ctx, contract.FileSubject(k.Source, k.Doc, k.View))
	switch {
	case err != nil:
		return h, err
	case h.Version == 0:
		r.ledger.forget(k)
	default:
		r.ledger.note(h)
	}
	return h, nil
}

// readHead reads the head of a subject from the stream; the zero head where it
// has none.
func (r *records) readHead(ctx context.Context, subject string) (contract.FileHead, error) {
	msgs, err := r.bus.GetLast(ctx, contract.StreamFiles, subject)
	if err != nil {
		return contract.FileHead{}, err
	}
	m := msgs[subject]
	if m == nil {
		return contract.FileHead{}, nil
	}
	head, err := contract.ParseFileHead(subject, m.Seq, m.Header)
	if err == nil {
		return head, nil
	}
	// It says nothing of the document, but what is written has to replace it.
	k, err := contract.ParseSubject(subject)
	return contract.FileHead{Source: k.Source, Doc: k.Doc, View: k.View, Version: document.Version(m.Seq)}, err
}
