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
func TestAuditLogWithNewLimits_HasTheLimitsOfThisStart(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	entry := contract.AuditEntry{Who: "key:laptop", Subject: contract.SubjectSearch}
	if err := bus.AskedOf(b).Keep(t.Context(), entry); document.KindOf(err) != document.Unavailable || bus.AskedOf(b).On() {
		t.Errorf("without a stream: %v", err)
	}
	for _, limits := range []bus.AuditLimits{{Age: time.Hour, Bytes: 1 << 20}, {Age: 2 * time.Hour, Bytes: 2 << 20}} {
		if err := bus.KeepAudit(t.Context(), b, limits); err != nil {
			t.Fatal(err)
		}
		if err := bus.Mend(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		s, err := b.JetStream().Stream(t.Context(), contract.StreamAudit)
		if err != nil {
			t.Fatal(err)
		}
		if cfg := s.CachedInfo().Config; cfg.MaxAge != limits.Age || cfg.MaxBytes != limits.Bytes {
			t.Errorf("%v has %v and %d", limits, cfg.MaxAge, cfg.MaxBytes)
		}
		if err := bus.AskedOf(b).Keep(t.Context(), entry); err != nil {
			t.Error(err)
		}
	}
	if page, more, err := bus.AskedOf(b).Page(t.Context(), 0, 10, 1<<20); err != nil || more || len(page) != 2 {
		t.Errorf("%d entries, %v, %v", len(page), more, err)
	}
}
