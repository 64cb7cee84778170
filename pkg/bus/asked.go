package bus

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// AuditLimits say how long, and in how many bytes, it is kept who asked what. Zero keeps
// nothing.
type AuditLimits struct {
	Age   time.Duration
	Bytes int64
}

// KeepAudit has who asks kept from now on, where limits say so. Whoever makes the log
// makes the stream for it.
func KeepAudit(ctx context.Context, b *Bus, limits AuditLimits) error {
	b.audit.Store(&limits)
	if !b.makes.Load() {
		return nil // EnsureStreams is still to come, or another process makes it
	}
	return maker{b}.audit(ctx)
}

// audit creates AUDIT where it is to be kept. Its limits are those of the configuration.
func (m maker) audit(ctx context.Context) error {
	limits := AskedOf(m.bus).limits()
	if limits.Age == 0 {
		return nil
	}
	cfg := m.streamConfig(contract.StreamAudit)
	cfg.MaxAge, cfg.MaxBytes, cfg.Discard = limits.Age, limits.Bytes, jetstream.DiscardOld
	if _, err := m.stream(ctx, cfg); err != nil {
		return err
	}
	s, err := m.bus.js.Stream(ctx, cfg.Name)
	if err != nil {
		return fmt.Errorf("open stream %s: %w", cfg.Name, err)
	}
	now := s.CachedInfo().Config
	if now.MaxAge == cfg.MaxAge && now.MaxBytes == cfg.MaxBytes {
		return nil
	}
	now.MaxAge, now.MaxBytes = cfg.MaxAge, cfg.MaxBytes
	if _, err := m.bus.js.UpdateStream(ctx, now); err != nil {
		return fmt.Errorf("give stream %s the limits of the configuration: %w", cfg.Name, err)
	}
	return nil
}

// AskedLog is the stream AUDIT. It is safe for concurrent use.
type AskedLog struct{ bus *Bus }

// AskedOf is who asked what and saw which documents.
func AskedOf(b *Bus) AskedLog { return AskedLog{b} }

func (a AskedLog) limits() AuditLimits {
	if l := a.bus.audit.Load(); l != nil {
		return *l
	}
	return AuditLimits{}
}

// On reports whether it is kept.
func (a AskedLog) On() bool { return a.limits().Age > 0 }

// Keep writes an entry, and returns once the log has it.
func (a AskedLog) Keep(ctx context.Context, entry contract.AuditEntry) error {
	body, err := json.Marshal(entry)
	if err != nil {
		return fmt.Errorf("encode an entry of the audit log: %w", err)
	}
	ack := a.bus.Publish(ctx, Out{Subject: contract.AuditEntrySubject(strings.ToLower(rand.Text())), Body: body, Raw: true})[0]
	if ack.Err != nil {
		return noAudit(fmt.Errorf("write the audit log: %w", ack.Err))
	}
	return nil
}

// noAudit says what to do where AUDIT was not made.
func noAudit(err error) error {
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrNoResponders) {
		return document.Errorf(document.Unavailable, "the log has no stream %s: set access.audit for the process that makes the log, too", contract.StreamAudit)
	}
	return err
}

// Page returns entries behind a sequence, the oldest first: at most limit, fewer once
// they have so many bytes together. more tells that others follow.
func (a AskedLog) Page(ctx context.Context, after uint64, limit, bytes int) (page []*Msg, more bool, err error) {
	page, more, err = readPage(ctx, a.bus, contract.StreamAudit, after+1, limit, bytes)
	return page, more, noAudit(err)
}

// drop takes out the entries that name a document of a source.
func (a AskedLog) drop(ctx context.Context, source document.Source) (n int, err error) {
	if _, err := a.bus.js.Stream(ctx, contract.StreamAudit); errors.Is(err, jetstream.ErrStreamNotFound) {
		return 0, nil // it was never kept
	}
	names := func(body []byte) bool {
		var e contract.AuditEntry
		if json.Unmarshal(body, &e) != nil {
			return false
		}
		for _, d := range e.Documents {
			if d.Source == source {
				return true
			}
		}
		return false
	}
	return dropNaming(ctx, a.bus, contract.StreamAudit, a.Page, names)
}
