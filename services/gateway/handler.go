package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/klauspost/compress/gzhttp"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/gateway/internal/door"
	"github.com/freshet-dev/freshet/services/gateway/internal/guard"
	"github.com/freshet-dev/freshet/services/gateway/internal/limit"
	"github.com/freshet-dev/freshet/services/gateway/internal/page"
	"github.com/freshet-dev/freshet/services/gateway/internal/reply"
)

// handler puts everything together: first what holds for every request, then the
// interface, then the page.
func (s *Service) handler() http.Handler {
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, e := range endpoints() {
		mux.Handle(e.method+" "+e.path, s.answer(e))
		methods[e.path] = append(methods[e.path], e.method)
	}
	for path, allowed := range methods {
		mux.Handle(path, wrongMethod(allowed))
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		reply.Error(w, document.Errorf(document.NotFound, "there is no %s: /openapi.json lists what there is", document.Shorten(r.URL.Path)))
	})
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, "alive\n")
	})
	mux.Handle("GET /metrics", s.answer(endpoint{method: "GET", path: "/metrics", subject: contract.SubjectStatus, own: (*Service).metrics}))
	mux.Handle("POST "+hooksPath+"{name}", s.limited("POST "+hooksPath, s.cfg.Concurrency, s.takeHook))
	mux.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) { reply.JSON(w, s.openAPI) })
	mux.HandleFunc("GET /open", s.open)
	if s.cfg.OIDC.Issuer != "" {
		mux.HandleFunc("GET "+resourcePath, login{s.cfg.Gateway}.tell)
	}
	mux.Handle("/", page.Handler())
	return s.guarded(compressed(mux))
}

// compressed leaves out news, each piece of which is to arrive by itself.
func compressed(h http.Handler) http.Handler {
	zip := gzhttp.GzipHandler(h)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, base+"/events/") {
			h.ServeHTTP(w, r)
			return
		}
		zip(w, r)
	})
}

// guarded is what every request passes.
func (s *Service) guarded(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			if err, ok := v.(error); !ok || !errors.Is(err, http.ErrAbortHandler) {
				s.log.Error("a request broke the gateway", "path", r.URL.Path, "panic", v, "stack", string(debug.Stack()))
			}
			panic(http.ErrAbortHandler) // the answer may be half there
		}()
		guard.Headers(w.Header())
		if err := s.guard.Check(r, !strings.HasPrefix(r.URL.Path, "/api/") && r.URL.Path != "/open" && r.URL.Path != agentsPath && !strings.HasPrefix(r.URL.Path, hooksPath)); err != nil {
			reply.Error(w, err)
			return
		}
		h.ServeHTTP(w, r)
	})
}

func wrongMethod(allowed []string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		reply.Error(w, document.Errorf(document.InvalidRequest, "%s is not asked by %s: use %s", r.URL.Path, document.Shorten(r.Method), strings.Join(allowed, " or ")))
	}
}

// answer is one endpoint: whether there is room, who asks, whether they may, and
// then the answer.
func (s *Service) answer(e endpoint) http.Handler {
	name := e.method + " " + e.path
	if e.own != nil || e.body != nil {
		return s.limited(name, s.cfg.Concurrency, func(w http.ResponseWriter, r *http.Request) error { return s.serve(e, w, r, nil) })
	}
	room, reading := limit.New(name, s.cfg.Concurrency, 0), limit.NewReaders(name, readers*s.cfg.Concurrency, s.cfg.Rate)
	return s.metered(name, func(w http.ResponseWriter, r *http.Request) error {
		slow := http.NewResponseController(w)
		reader, err := reading.Take(func() { _ = slow.SetReadDeadline(time.Unix(1, 0)) })
		if err != nil {
			return err
		}
		defer func() { _ = reader.Leave() }() // however serve ends
		err = s.serve(e, w, r, func() (func(), error) {
			if err := reader.Leave(); err != nil {
				return nil, err
			}
			return room.Take()
		})
		if yielded := reader.Leave(); yielded != nil {
			return yielded
		}
		return err
	})
}

// readers is of how many requests the body may be on its way, for each that is answered
// at the same time: clients that are slow to send it take no room from the others.
const readers = 8

// limited counts and bounds the requests for one endpoint. Errors of serve come before
// anything was written.
func (s *Service) limited(name string, atOnce int, serve func(w http.ResponseWriter, r *http.Request) error) http.Handler {
	room := limit.New(name, atOnce, s.cfg.Rate)
	return s.metered(name, func(w http.ResponseWriter, r *http.Request) error {
		leave, err := room.Take()
		if err != nil {
			return err
		}
		defer leave()
		return serve(w, r)
	})
}

// metered counts the requests for one endpoint, and answers with the errors of serve,
// which come before anything was written.
func (s *Service) metered(name string, serve func(w http.ResponseWriter, r *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &code{ResponseWriter: w, code: http.StatusOK, challenge: login{s.cfg.Gateway}.challenge(r)}
		end := s.meter.Begin(name)
		defer func() { end(seen.code) }()
		if err := serve(seen, r); err != nil {
			s.log.Debug("request refused", "endpoint", name, "kind", document.KindOf(err), "error", err)
			reply.Error(seen, err)
		}
	})
}

// serve answers, once there is room where the body has been read. Its errors come before
// anything was written.
func (s *Service) serve(e endpoint, w http.ResponseWriter, r *http.Request, room func() (leave func(), err error)) error {
	who, err := s.door.Who(r)
	if err != nil {
		return err
	}
	if err := may(who, e.subject); err != nil {
		return err
	}
	// What the services are asked from here on is asked for who that is.
	r = r.WithContext(rpc.Through(rpc.As(r.Context(), who.Principal), contract.WayHTTP))
	if e.own != nil {
		if !who.Until.IsZero() { // news end with the right to them
			ctx, cancel := context.WithDeadline(r.Context(), who.Until)
			defer cancel()
			r = r.WithContext(ctx)
		}
		return e.own(s, w, r, who)
	}
	var body json.RawMessage
	if e.body != nil {
		body = e.body(r)
	} else if body, err = s.read(e, w, r); err != nil {
		return err
	}
	if room != nil {
		leave, err := room()
		if err != nil {
			return err
		}
		defer leave()
	}
	if e.parts != nil {
		return s.stream(e, w, r, body)
	}
	answer, err := e.whole(r.Context(), s.conn, body)
	if err != nil {
		return err
	}
	reply.JSON(w, answer)
	return nil
}

// may returns a Forbidden where the role of who asks does not include that of the
// request.
func may(who door.Asker, subject string) error {
	if subject == "" {
		return nil
	}
	needs, ok := contract.RoleFor(subject)
	if ok && who.Role.Includes(needs) {
		return nil
	}
	return document.Errorf(document.Forbidden, "this needs the role %s, and the request has the role %s", needs, who.Role).
		With(document.Action{Do: document.DoLoginShow, Value: string(needs)})
}

// read reads the body of a request.
func (s *Service) read(e endpoint, w http.ResponseWriter, r *http.Request) (json.RawMessage, error) {
	most := max(int64(s.cfg.Body), e.most)
	slow := http.NewResponseController(w)
	_ = slow.SetReadDeadline(time.Now().Add(bodyTime)) // a recorder of a test has none
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, most))
	_ = slow.SetReadDeadline(time.Time{})
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, document.Errorf(document.TooLarge, "the request has more than %d bytes: send less at once, or raise gateway.body", most)
	case err != nil:
		return nil, document.Errorf(document.InvalidRequest, "the request did not come to its end: %w", err)
	case len(body) == 0:
		return json.RawMessage("{}"), nil
	case !json.Valid(body):
		return nil, document.Errorf(document.InvalidRequest, "the request is not JSON: send one JSON object")
	}
	return body, nil
}

// metrics counts what everybody asks, so whoever sees only a part is not told.
func (s *Service) metrics(w http.ResponseWriter, _ *http.Request, who door.Asker) error {
	if s.visibility.Sight(who.Principal) != nil {
		return document.Errorf(document.Forbidden, "the metrics count what everybody asks, and who asks sees only a part of what is indexed: ask as the owner").
			With(document.Action{Do: document.DoLoginShow, Value: string(contract.RoleAdmin)})
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = s.meter.WriteTo(w)
	return nil
}

// code remembers the status of an answer.
type code struct {
	http.ResponseWriter
	code int
	// challenge is said to whoever is not let in, "" for what is said anyway.
	challenge string
}

func (c *code) WriteHeader(code int) {
	if c.code = code; code == http.StatusUnauthorized && c.challenge != "" {
		c.Header().Set("WWW-Authenticate", c.challenge)
	}
	c.ResponseWriter.WriteHeader(code)
}

// Unwrap is for http.ResponseController.
func (c *code) Unwrap() http.ResponseWriter { return c.ResponseWriter }
