package gateway

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"golang.org/x/net/netutil"
	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/schemas"
	"github.com/freshet-dev/freshet/services/gateway/internal/description"
	"github.com/freshet-dev/freshet/services/gateway/internal/door"
	"github.com/freshet-dev/freshet/services/gateway/internal/feed"
	"github.com/freshet-dev/freshet/services/gateway/internal/guard"
	"github.com/freshet-dev/freshet/services/gateway/internal/meter"
)

// Bounds of connections, beside those of the configuration.
const (
	headerTime  = 5 * time.Second  // until the header of a request is there
	bodyTime    = 30 * time.Second // until its body is
	idleTime    = 2 * time.Minute  // between two requests
	headerBytes = 16 << 10
	connections = 2048
	drainTime   = 4 * time.Second // for the answers under way when it stops
)

// Deps are what the service works with; they stay the caller's.
type Deps struct {
	// Conn reaches the services.
	Conn *nats.Conn
	// Secret is what tokens are made of.
	Secret bus.Secret
	// Visibility says who may see which changes; nil: everybody may see all.
	Visibility *bus.Visibility
	Log        *slog.Logger
}

// Service answers over HTTP. It is safe for concurrent use.
type Service struct {
	cfg        Config
	conn       *nats.Conn
	log        *slog.Logger
	door       *door.Door
	visibility *bus.Visibility
	guard      *guard.Guard
	meter      meter.Meter
	news       feed.Feed
	openAPI    []byte
	listener   net.Listener
	server     *http.Server
	stopping   chan struct{}
	stop       sync.Once
	hooks      map[string]webhook
	looks      *looks
	// forAgents is what answers agents.
	forAgents func() (http.Handler, error)
}

// New checks the configuration and begins to listen; nothing is answered before
// Run. The error is Unavailable where the address cannot be listened on, and
// InvalidRequest for a certificate that cannot be used. Whoever does not come to Run
// closes the service.
func New(cfg Config, deps Deps) (*Service, error) {
	if err := config.Filled("gateway", cfg.Gateway); err != nil {
		return nil, err
	}
	if deps.Secret == "" {
		return nil, document.Errorf(document.InvalidRequest, "gateway.secret_file is missing: name a file with the secret that tokens are made of")
	}
	if deps.Log == nil {
		deps.Log = slog.New(slog.DiscardHandler)
	}
	s := &Service{
		cfg: cfg, conn: deps.Conn, log: deps.Log, visibility: deps.Visibility,
		door:     door.New(deps.Secret, whose(deps.Conn), issued(cfg.OIDC), cfg.Link, cfg.Session, time.Now),
		guard:    guard.New(cfg.Hosts),
		stopping: make(chan struct{}),
	}
	s.forAgents = sync.OnceValues(s.openAgents)
	s.looks = newLooks()
	var err error
	if s.hooks, err = openHooks(cfg.Hooks); err != nil {
		return nil, err
	}
	if s.openAPI, err = description.Whole(schemas.Files); err != nil {
		return nil, err
	}
	var encrypted *tls.Config
	if cfg.Cert != "" {
		pair, err := tls.LoadX509KeyPair(cfg.Cert, cfg.Key)
		if err != nil {
			return nil, document.Errorf(document.InvalidRequest, "gateway.cert and gateway.key cannot be used: %w", err)
		}
		encrypted = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	}
	if s.listener, err = listen(cfg.Listen); err != nil {
		return nil, err
	}
	s.listener = netutil.LimitListener(s.listener, connections)
	s.server = &http.Server{
		Handler: s.handler(), TLSConfig: encrypted,
		ReadHeaderTimeout: headerTime, IdleTimeout: idleTime, MaxHeaderBytes: headerBytes,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	if encrypted != nil {
		s.listener = tls.NewListener(s.listener, encrypted)
	}
	return s, nil
}

// listen listens at an address. Where another process has the default, which nobody
// chose, a free port is taken.
func listen(address string) (net.Listener, error) {
	ln, err := net.Listen("tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) && address == config.DefaultGateway {
		host, _, _ := net.SplitHostPort(address)
		ln, err = net.Listen("tcp", net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, document.Errorf(document.Unavailable, "gateway.listen is %s, which cannot be listened on: choose another address: %w", address, err)
	}
	return ln, nil
}

// URL is where the page is, without a slash at its end.
func (s *Service) URL() string {
	scheme := "http://"
	if s.cfg.Cert != "" {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(s.listener.Addr().String())
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return scheme + net.JoinHostPort(host, port)
}

// Close ends the service where it does not run.
func (s *Service) Close() error {
	s.looks.stop()
	s.stop.Do(s.leave)
	if err := s.listener.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("close the gateway: %w", err)
	}
	return nil
}

// Ready returns nil when the services can be asked.
func (s *Service) Ready(context.Context) error {
	if !s.conn.IsConnected() {
		return document.Errorf(document.Unavailable, "the gateway has lost its connection to NATS and tries again")
	}
	return nil
}

// Run answers until ctx ends, and then finishes the answers under way.
func (s *Service) Run(ctx context.Context) error {
	group, life := errgroup.WithContext(ctx)
	group.Go(func() error { return s.tellNews(life) })
	group.Go(func() error {
		if err := s.server.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
			return fmt.Errorf("serve the gateway: %w", err)
		}
		return nil
	})
	group.Go(func() error {
		<-life.Done()
		s.stop.Do(s.leave) // ends what listens to news
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
		defer cancel()
		if err := s.server.Shutdown(drain); err != nil {
			_ = s.server.Close() // cuts off who does not read
		}
		return nil
	})
	err := group.Wait()
	s.looks.stop()
	return err
}

// leave tells everybody who waits for news that the service stops.
func (s *Service) leave() { close(s.stopping) }
