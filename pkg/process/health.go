package process

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

// readyLimit bounds one look at whether a service is ready.
const readyLimit = 2 * time.Second

// Health serves /healthz, which answers 200 while the process lives, and
// /readyz, which answers 200 when it does its work and otherwise 503 with one
// sentence. The zero value serves nothing and may be used.
type Health struct {
	srv *http.Server
	ln  net.Listener
	end chan struct{}

	mu    sync.Mutex
	ready func(context.Context) error
}

// ServeHealth begins to serve at an address ("" for nowhere), not ready for
// the reason that is given until Ready is called. The error is Unavailable
// when the address cannot be listened on.
func ServeHealth(listen string, notYet error) (*Health, error) {
	h := &Health{}
	h.Ready(func(context.Context) error { return notYet })
	if listen == "" {
		return h, nil
	}
	ln, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, document.Errorf(document.Unavailable, "health.listen is %s, which cannot be listened on: choose another address: %w", listen, err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { say(w, http.StatusOK, "alive") })
	mux.HandleFunc("GET /readyz", h.answer)
	h.ln, h.end = ln, make(chan struct{})
	h.srv = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		defer close(h.end)
		_ = h.srv.Serve(ln) // says that it was closed
	}()
	return h, nil
}

// Addr is where Health listens, "" for nowhere.
func (h *Health) Addr() string {
	if h.ln == nil {
		return ""
	}
	return h.ln.Addr().String()
}

// Ready sets what is asked from now on whether the process is ready. It is
// called by many at once.
func (h *Health) Ready(ask func(context.Context) error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ready = ask
}

// Close ends the answers that are under way, and stops listening.
func (h *Health) Close() {
	if h.srv == nil {
		return
	}
	_ = h.srv.Close()
	<-h.end
}

func (h *Health) answer(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	ask := h.ready
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(r.Context(), readyLimit)
	defer cancel()
	if err := ask(ctx); err != nil {
		say(w, http.StatusServiceUnavailable, err.Error())
		return
	}
	say(w, http.StatusOK, "ready")
}

func say(w http.ResponseWriter, code int, sentence string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_, _ = fmt.Fprintln(w, sentence)
}

// errNotReady makes --ready exit with ExitNotReady.
var errNotReady = errors.New("not ready")

// askReady asks the process that serves its health at an address whether it is
// ready, from the same machine. The error is errNotReady when it is not.
func askReady(ctx context.Context, listen string) error {
	if listen == "" {
		return document.Errorf(document.InvalidRequest, "health.listen is empty, so nobody can be asked: set it, for example %s=:8080", config.Variable("health.listen"))
	}
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return document.Errorf(document.InvalidRequest, "health.listen is %q: write it as HOST:PORT", listen)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	ctx, cancel := context.WithTimeout(ctx, 2*readyLimit)
	defer cancel()
	url := "http://" + net.JoinHostPort(host, port) + "/readyz"
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return document.Errorf(document.InvalidRequest, "health.listen is %q: write it as HOST:PORT", listen)
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // past any proxy
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("%w: nobody answers at %s", errNotReady, url)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return fmt.Errorf("%w: %w", errNotReady, err)
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%w: %s", errNotReady, strings.TrimSpace(string(body)))
	}
	return nil
}
