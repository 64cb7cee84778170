package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// bury writes the last failure of a stage on a path to DEAD.
func (b *Bus) bury(ctx context.Context, stage contract.Stage, m *Msg, reason error, attempts int) error {
	k, err := contract.ParseSubject(m.Subject)
	if err != nil {
		return err
	}
	covers, err := coversOf(k, m)
	if err != nil {
		return err
	}
	versions := map[document.View]document.Version{}
	for v, c := range covers {
		versions[v] = c.Version
	}
	head := contract.DeadHead{
		Stage: stage, Source: k.Source, Doc: k.Doc, Path: document.Path(m.Header.Get(contract.HeaderPath)),
		Covers: covers, Reason: reason.Error(), Attempts: attempts,
	}
	body, err := json.Marshal(contract.DeadBody{
		Stage: stage, Source: k.Source, Path: head.Path, Subject: m.Subject, Seq: m.Seq,
		Reason: reason.Error(), Attempts: attempts, Versions: versions,
	})
	if err != nil {
		return fmt.Errorf("encode dead letter: %w", err)
	}
	return b.overwriteDead(ctx, head, body)
}

// clearDead notes that a stage has succeeded on a path it once failed on.
func (b *Bus) clearDead(ctx context.Context, stage contract.Stage, m *Msg) error {
	k, err := contract.ParseSubject(m.Subject)
	if err != nil {
		return err
	}
	old, ok := b.Dead().Get(DeadKey{stage, k.Source, k.Doc})
	if !ok {
		return nil
	}
	old.Cleared = true
	return b.overwriteDead(ctx, old, nil)
}

func (b *Bus) overwriteDead(ctx context.Context, head contract.DeadHead, body []byte) error {
	subject := contract.DeadSubject(head.Stage, head.Source, head.Doc)
	for {
		last, err := b.GetLast(ctx, contract.StreamDead, subject)
		if err != nil {
			return err
		}
		var expect uint64
		if m := last[subject]; m != nil {
			expect = m.Seq
		}
		ack := b.Publish(ctx, Out{Subject: subject, Header: head.Header(), Body: body, Expect: expect})[0]
		if !errors.Is(ack.Err, ErrConflict) {
			return ack.Err
		}
	}
}

func coversOf(k contract.Key, m *Msg) (contract.Covers, error) {
	if k.Stream == contract.StreamFiles {
		return contract.Covers{k.View: {Version: document.Version(m.Seq), Hash: document.Hash(m.Header.Get(contract.HeaderHash))}}, nil
	}
	return contract.ParseCovers(m.Header.Get(contract.HeaderCovers))
}
