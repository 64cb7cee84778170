package bus

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/document"
)

// NoListen as a port keeps the embedded server off the network; AnyPort takes
// a free one.
const (
	NoListen = -2
	AnyPort  = -1
)

// ServerConfig configures the embedded server.
type ServerConfig struct {
	// Dir holds the log. It is created with mode 0700.
	Dir string
	// Host defaults to 127.0.0.1.
	Host string
	// Port is a TCP port, AnyPort or NoListen.
	Port int
	// SyncInterval is how often the log is synced to disk; default 1 s. A
	// power loss can cost what was written since.
	SyncInterval time.Duration
}

// cleanMarker is present in the log's folder between a clean stop and the
// next start.
const cleanMarker = "clean-stop"

// maxPayload allows long answers; what the log stores is claim-checked far
// below it.
const maxPayload = 8 << 20

// Server is an embedded NATS server with JetStream.
type Server struct {
	ns      *server.Server
	dir     string
	unclean bool
}

// StartServer starts an embedded server and waits until it accepts
// connections. A port in use is an Unavailable error.
func StartServer(cfg ServerConfig) (*Server, error) {
	if cfg.Host == "" {
		cfg.Host = "127.0.0.1"
	}
	if cfg.SyncInterval == 0 {
		cfg.SyncInterval = time.Second
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, document.Errorf(document.Forbidden, "cannot create the log's folder %s: %w", cfg.Dir, err)
	}
	if cfg.Port > 0 {
		// The server itself would end the process, or report late.
		l, err := net.Listen("tcp", net.JoinHostPort(cfg.Host, strconv.Itoa(cfg.Port)))
		if err != nil {
			return nil, document.Errorf(document.Unavailable, "port %d on %s is in use: choose another, or 0 for a free one: %w", cfg.Port, cfg.Host, err)
		}
		if err := l.Close(); err != nil {
			return nil, fmt.Errorf("probe port %d: %w", cfg.Port, err)
		}
	}
	marker := filepath.Join(cfg.Dir, cleanMarker)
	_, statErr := os.Stat(filepath.Join(cfg.Dir, "jetstream"))
	existed := statErr == nil
	removeErr := os.Remove(marker)
	unclean := existed && errors.Is(removeErr, fs.ErrNotExist)

	opts := &server.Options{
		ServerName:   "freshet",
		Host:         cfg.Host,
		Port:         cfg.Port,
		DontListen:   cfg.Port == NoListen,
		JetStream:    true,
		StoreDir:     cfg.Dir,
		SyncInterval: cfg.SyncInterval,
		MaxPayload:   maxPayload,
		NoSigs:       true,
		NoLog:        true,
		// Bulk readers fall behind for a moment under load; that is no fault.
		MaxPending:    256 << 20,
		WriteDeadline: 30 * time.Second,
	}
	if cfg.Port == NoListen {
		opts.Port = 0
	}
	ns, err := server.NewServer(opts)
	if err != nil {
		return nil, document.Errorf(document.Unavailable, "the embedded NATS server did not start: %w", err)
	}
	ns.Start()
	if !ns.ReadyForConnections(60 * time.Second) {
		ns.Shutdown()
		return nil, document.Errorf(document.Unavailable, "the embedded NATS server on %s:%d did not get ready: look for another process on that port, or for a full disk under %s", cfg.Host, cfg.Port, cfg.Dir)
	}
	if !ns.JetStreamEnabled() {
		ns.Shutdown()
		return nil, document.Errorf(document.Unavailable, "the log under %s cannot be opened: check its permissions and the free space", cfg.Dir)
	}
	return &Server{ns: ns, dir: cfg.Dir, unclean: unclean}, nil
}

// ClientURL is where clients of other processes connect to.
func (s *Server) ClientURL() string {
	if u, err := url.Parse(s.ns.ClientURL()); err == nil {
		return u.String()
	}
	return s.ns.ClientURL()
}

// Unclean reports whether the previous run ended without Shutdown.
func (s *Server) Unclean() bool { return s.unclean }

// Connect returns a Bus over an in-process connection. The caller closes it
// before Shutdown.
func (s *Server) Connect(ctx context.Context) (*Bus, error) {
	b, err := Connect(ctx, s.ns.ClientURL(), nats.InProcessServer(s.ns))
	if err != nil {
		return nil, err
	}
	b.unclean, b.started = s.unclean, true
	return b, nil
}

// Shutdown stops the server and notes that the stop was clean.
func (s *Server) Shutdown() error {
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
	f, err := os.Create(filepath.Join(s.dir, cleanMarker))
	if err != nil {
		return fmt.Errorf("note the clean stop: %w", err)
	}
	return f.Close()
}
