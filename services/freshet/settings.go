package freshet

import (
	"cmp"
	"errors"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	embedders "github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/store/open"
	"github.com/freshet-dev/freshet/services/chunker"
	"github.com/freshet-dev/freshet/services/embedder"
	"github.com/freshet-dev/freshet/services/freshet/internal/state"
	"github.com/freshet-dev/freshet/services/gateway"
	"github.com/freshet-dev/freshet/services/query"
	"github.com/freshet-dev/freshet/services/watcher"
)

// settings are the configuration as each part of the process takes it.
type settings struct {
	state  string // folder, "" for the user's own
	log    string // level
	server embedded.Config
	remote bus.Remote // without a URL: the embedded server is used
	open   bool       // the embedded server lets everybody in
	health string     // address
	stores open.Options

	secretFile string        // "" for that of the state folder
	spare      int64         // bytes of the disk that are left free
	grace      time.Duration // how long what nobody builds any more stays
	memory     config.Size
	access     config.Access
	agents     config.Agents // for the servers of agents that start or find this process

	watcher  watcher.Config
	chunker  chunker.Config
	embedder embedder.Config
	indexer  config.Indexer
	query    query.Config
	gateway  gateway.Config
}

// settingsOf translates the configuration, for a build.
func settingsOf(c config.Config, b contract.Build) settings {
	s := settings{
		state: c.Data, log: c.Log, remote: process.Remote(c.NATS), health: c.Health.Listen, stores: open.FromConfig(c, b), spare: int64(c.Disk.Reserve), memory: c.Limits.Memory, agents: c.Agents,
		access: c.Access,
		grace:  c.Superseded.Grace,
		open:   c.NATS.Open, secretFile: c.NATS.SecretFile,
		server:   embedded.Config{Host: c.NATS.Host, Port: c.NATS.Port, SyncInterval: c.NATS.Sync, Hushed: c.Access.File != ""},
		watcher:  watcher.FromConfig(c),
		chunker:  chunker.FromConfig(c, b),
		embedder: embedder.FromConfig(c, b),
		indexer:  c.Indexer,
		query:    query.FromConfig(c),
		gateway:  gateway.FromConfig(c),
	}
	s.watcher.Version, s.query.Version = process.Version, process.Version
	if s.server.Port == 0 {
		s.server.Port = embedded.AnyPort
	}
	return s
}

// secretOf gives the embedded server its secret, and returns the file that has
// it; "" for a server that lets everybody in, and for an external one.
func (s *settings) secretOf(folder *state.Folder) (file string, err error) {
	switch {
	case s.remote.URL != "" || s.open:
		return "", nil
	case s.secretFile != "":
		if file, err = filepath.Abs(s.secretFile); err == nil {
			s.server.Secret, err = bus.ReadSecret(file)
		}
		return file, err
	}
	s.server.Secret, file, err = folder.Secret()
	return file, err
}

// openGateway makes the page and the HTTP interface, and returns the file of their
// secret, secretFile being that of the embedded server; nil where there are none,
// as in a run that nobody else finds.
func (s settings) openGateway(b *bus.Bus, folder *state.Folder, secretFile string, once bool, log *slog.Logger) (*gateway.Service, string, error) {
	if once || s.gateway.Listen == "" {
		return nil, "", nil
	}
	file := cmp.Or(s.gateway.SecretFile, secretFile)
	if file == "" {
		var err error
		if _, file, err = folder.Secret(); err != nil {
			return nil, "", err
		}
	}
	file, err := filepath.Abs(file)
	if err != nil {
		return nil, "", err
	}
	secret, err := bus.ReadSecret(file)
	if err != nil {
		return nil, "", err
	}
	front, err := gateway.New(s.gateway, gateway.Deps{Conn: b.Conn(), Secret: secret, Visibility: b.Visibility(), Log: log})
	return front, file, err
}

// listen is where the health is told: nowhere in a run that nobody else finds.
func (s settings) listen(once bool) string {
	if once {
		return ""
	}
	return s.health
}

// validServer refuses settings of an external server where there is none: who
// wrote them may believe that the log is behind a login.
func validServer(n config.NATS) error {
	if n.URL != "" && (n.Open || n.SecretFile != "") {
		return document.Errorf(document.InvalidRequest, "nats.open and nats.secret_file are settings of the embedded server, but nats.url names an external one: leave them out")
	}
	for _, s := range []struct{ key, value string }{
		{"user", n.User}, {"credentials", n.Credentials}, {"tls.ca", n.TLS.CA}, {"tls.cert", n.TLS.Cert},
	} {
		if n.URL == "" && s.value != "" {
			return document.Errorf(document.InvalidRequest, "nats.%s is set, but the server is embedded, and has logins of its own: name an external one in nats.url, or leave it out", s.key)
		}
	}
	return nil
}

// Check reports what a valid configuration has that freshet up would not start
// with: settings of another way to run, and a model that is not there.
func Check(c config.Config) error {
	var noModel error
	for _, name := range c.Collections.Names() {
		if _, err := embedders.Space(c.EmbedderOf(name)); err != nil && noModel == nil {
			noModel = err
		}
	}
	return errors.Join(validServer(c.NATS), noModel)
}
