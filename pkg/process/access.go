package process

import (
	"log/slog"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
)

// Restrict has what is served over b keep to the rules that a configuration names. The
// error says what is wrong with them, or that they could not hold here.
func Restrict(b *bus.Bus, c config.Access, log *slog.Logger) error {
	rules, err := access.Open(c.File, log)
	if err == nil {
		err = rules.CheckServices(b.Conn().Opts.InboxPrefix)
	}
	if err == nil {
		b.Restrict(rules)
	}
	return err
}
