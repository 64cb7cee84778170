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
	"sync"
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
	// Clock tells the time to whoever writes the log; nil is the system's.
	Clock func() time.Time
}

// cleanMarker is present in the log's folder between a clean stop and the
// next start.
const cleanMarker = "clean-stop"

// maxPayload allows long answers; what the log stores is claim-checked far
// below it.
const maxPayload = 8 << 20

// maxStore keeps the server from setting a limit of its own: three quarters of
// what was free when it started, which a log can well exceed that was there.
const maxStore = 1 << 50

// Server is an embedded NATS server with JetStream. It is safe for concurrent
// use.
type Server struct {
	cfg     ServerConfig
	unclean bool

	mu     sync.RWMutex
	ns     *server.Server
	broken error // why it cannot write any more
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
	s := &Server{cfg: cfg, unclean: existed && errors.Is(removeErr, fs.ErrNotExist)}
	if err := s.begin(); err != nil {
		return nil, err
	}
	if addr, ok := s.ns.Addr().(*net.TCPAddr); ok {
		s.cfg.Port = addr.Port // the same after a restart
	}
	return s, nil
}

// begin starts the server; s.mu is held, or nobody else knows s.
func (s *Server) begin() error {
	cfg := s.cfg
	opts := &server.Options{
		ServerName:        "freshet",
		Host:              cfg.Host,
		Port:              cfg.Port,
		DontListen:        cfg.Port == NoListen,
		JetStream:         true,
		JetStreamMaxStore: maxStore,
		StoreDir:          cfg.Dir,
		SyncInterval:      cfg.SyncInterval,
		MaxPayload:        maxPayload,
		NoSigs:            true,
		NoLog:             true,
		// Bulk readers fall behind for a moment under load; that is no fault.
		MaxPending:    256 << 20,
		WriteDeadline: 30 * time.Second,
	}
	if cfg.Port == NoListen {
		opts.Port = 0
	}
	ns, err := server.NewServer(opts)
	if err != nil {
		return document.Errorf(document.Unavailable, "the embedded NATS server did not start: %w", err)
	}
	ns.SetLoggerV2(&serverLog{broke: func(err error) { s.breaks(ns, err) }}, false, false, false)
	ns.Start()
	if !ns.ReadyForConnections(60 * time.Second) {
		ns.Shutdown()
		return document.Errorf(document.Unavailable, "the embedded NATS server on %s:%d did not get ready: look for another process on that port, or for a full disk under %s", cfg.Host, cfg.Port, cfg.Dir)
	}
	if !ns.JetStreamEnabled() {
		ns.Shutdown()
		return document.Errorf(document.Unavailable, "the log under %s cannot be opened: check its permissions and the free space", cfg.Dir)
	}
	s.ns = ns
	return nil
}

// ClientURL is where clients of other processes connect to.
func (s *Server) ClientURL() string {
	text := s.server().ClientURL()
	if u, err := url.Parse(text); err == nil {
		return u.String()
	}
	return text
}

func (s *Server) server() *server.Server {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.ns
}

// Unclean reports whether the previous run ended without Shutdown.
func (s *Server) Unclean() bool { return s.unclean }

// Connect returns a Bus over an in-process connection. The caller closes it
// before Shutdown.
func (s *Server) Connect(ctx context.Context) (*Bus, error) {
	b, err := Remote{URL: s.server().ClientURL(), Clock: s.cfg.Clock}.Connect(ctx, nats.InProcessServer(s))
	if err != nil {
		return nil, err
	}
	b.unclean, b.started = s.unclean, true
	return b, nil
}

// InProcessConn connects to the server that runs now, so that a connection
// finds the one after a Restart.
func (s *Server) InProcessConn() (net.Conn, error) {
	conn, err := s.server().InProcessConn()
	if err != nil {
		return nil, fmt.Errorf("connect to the embedded server: %w", err)
	}
	return conn, nil
}

// Shutdown stops the server and notes that the stop was clean; after a write
// that failed it was not.
func (s *Server) Shutdown() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ns.Shutdown()
	s.ns.WaitForShutdown()
	if s.broken != nil {
		return nil
	}
	f, err := os.Create(filepath.Join(s.cfg.Dir, cleanMarker))
	if err != nil {
		return fmt.Errorf("note the clean stop: %w", err)
	}
	return f.Close()
}
