package process

import (
	"context"
	"log/slog"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
)

// Restrict has what is served over b keep to the rules that a configuration names, and
// keeps who asks where it says so. The
// error says what is wrong with them, or that they could not hold here.
func Restrict(ctx context.Context, b *bus.Bus, c config.Access, log *slog.Logger) error {
	rules, err := access.Open(c.File, log)
	if err == nil {
		err = rules.CheckServices(b.Conn().Opts.InboxPrefix)
	}
	if err == nil {
		b.Restrict(rules)
		err = bus.KeepAudit(ctx, b, bus.AuditLimits{Age: c.Audit, Bytes: int64(c.AuditSize)})
	}
	return err
}
