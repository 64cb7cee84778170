package bus_test

import (
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Who asks is kept within the limits that the configuration has now, and without the
// stream nobody is told that it was.
func TestLimitsOfTheAuditLogAreThoseOfAnEarlierStart(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	entry := contract.AuditEntry{Who: "key:laptop", Subject: contract.SubjectSearch}
	if err := b.Asked().Keep(t.Context(), entry); document.KindOf(err) != document.Unavailable || b.Asked().On() {
		t.Errorf("without a stream: %v", err)
	}
	for _, limits := range []bus.AuditLimits{{Age: time.Hour, Bytes: 1 << 20}, {Age: 2 * time.Hour, Bytes: 2 << 20}} {
		if err := b.KeepAudit(t.Context(), limits); err != nil {
			t.Fatal(err)
		}
		if err := b.Mend(t.Context()); err != nil {
			t.Fatal(err)
		}
		s, err := b.JetStream().Stream(t.Context(), contract.StreamAudit)
		if err != nil {
			t.Fatal(err)
		}
		if cfg := s.CachedInfo().Config; cfg.MaxAge != limits.Age || cfg.MaxBytes != limits.Bytes {
			t.Errorf("%v has %v and %d", limits, cfg.MaxAge, cfg.MaxBytes)
		}
		if err := b.Asked().Keep(t.Context(), entry); err != nil {
			t.Error(err)
		}
	}
	if page, more, err := b.Asked().Page(t.Context(), 0, 10, 1<<20); err != nil || more || len(page) != 2 {
		t.Errorf("%d entries, %v, %v", len(page), more, err)
	}
}
