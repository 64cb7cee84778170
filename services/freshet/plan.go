package freshet

import (
	"errors"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/static"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/store/open"
	"github.com/freshet-dev/freshet/services/chunker"
	"github.com/freshet-dev/freshet/services/embedder"
	"github.com/freshet-dev/freshet/services/indexer"
	"github.com/freshet-dev/freshet/services/query"
	"github.com/freshet-dev/freshet/services/watcher"
)

// plan is the configuration as each part of the process takes it.
type plan struct {
	state  string // folder, "" for the user's own
	log    string // level
	server bus.ServerConfig
	remote bus.Remote // without a URL: the embedded server is used
	health string     // address
	stores open.Options
	model  string // folder, "" for the bundled one
	spare  int64  // bytes of the disk that are left free

	watcher  watcher.Config
	chunker  chunker.Config
	embedder embedder.Config
	indexer  indexer.Config
	query    query.Config
}

// planOf translates the configuration. identity is that of the embedder.
func planOf(c config.Config, identity string) plan {
	p := plan{
		state: c.Data, log: c.Log, remote: process.Remote(c.NATS), health: c.Health.Listen, stores: open.FromConfig(c), model: c.Embedder.Model, spare: int64(c.Disk.Reserve),
		server:   bus.ServerConfig{Host: c.NATS.Host, Port: c.NATS.Port, SyncInterval: c.NATS.Sync},
		watcher:  watcher.FromConfig(c),
		chunker:  chunker.FromConfig(c, identity),
		embedder: embedder.FromConfig(c, identity),
		indexer:  indexer.FromConfig(c),
		query:    query.FromConfig(c),
	}
	p.watcher.Version, p.query.Version = process.Version, process.Version
	p.stores.Generations = p.embedder.Generations
	if p.server.Port == 0 {
		p.server.Port = bus.AnyPort
	}
	return p
}

// listen is where the health is told: nowhere in a run that nobody else finds.
func (p plan) listen(once bool) string {
	if once {
		return ""
	}
	return p.health
}

// validServer refuses settings of an external server where there is none: who
// wrote them may believe that the log is behind a login.
func validServer(n config.NATS) error {
	for _, s := range []struct{ key, value string }{
		{"user", n.User}, {"credentials", n.Credentials}, {"tls.ca", n.TLS.CA}, {"tls.cert", n.TLS.Cert},
	} {
		if n.URL == "" && s.value != "" {
			return document.Errorf(document.InvalidRequest, "nats.%s is set, but the server is embedded, and listens on this machine without a login: name an external one in nats.url, or leave it out", s.key)
		}
	}
	return nil
}

// Check reports the first setting with which a service would not start. What
// it finds beyond config.Validate is a mistake in the limits there.
func Check(c config.Config) error {
	p := planOf(c, "any")
	_, noModel := static.IdentityOf(p.model)
	return errors.Join(validServer(c.NATS), noModel, p.watcher.Validate(), p.chunker.Validate(), p.embedder.Validate(), p.indexer.Validate(), p.query.Validate())
}
