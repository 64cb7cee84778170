package weaviate_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/weaviate"
)

// What servers answer to GET /v1/meta: Weaviate 1.35.2, the Elasticsearch of
// package servers, web servers.
const (
	elasticsearch = `{"error":"Incorrect HTTP method for uri [/v1/meta] and method [GET], allowed: [POST]","status":405}`
	nginx         = "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found</h1></center>\r\n<hr><center>nginx/1.27.3</center>\r\n</body>\r\n</html>\r\n"
	badGateway    = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n</body>\r\n</html>\r\n"
	anonymous     = `{"code":401,"message": "anonymous access not enabled. Please authenticate through one of the available methods: [API-keys]" }`
	unknownKey    = `{"code":401,"message":"unauthorized: invalid api key"}`
	forbidden     = `{"error":[{"message":"authorization, forbidden action: user 'reader' has insufficient permissions to read_cluster [[]]"}]}`
	plainToTLS    = "Client sent an HTTP request to an HTTPS server.\n"
)

func metaOf(version string) string {
	return fmt.Sprintf(`{"grpcMaxMessageSize":104858000,"hostname":"http://127.0.0.1:8080","modules":{},"version":%q}`, version)
}

func TestWrongServer_IsNotTakenForWeaviate(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		key    string
		kind   document.ErrorKind
		says   string
	}{
		"elasticsearch":    {405, elasticsearch, "", document.VersionMismatch, "not Weaviate"},
		"web server":       {404, nginx, "", document.VersionMismatch, "not Weaviate"},
		"web page":         {200, "<!doctype html><title>Hello</title>", "", document.VersionMismatch, "not Weaviate"},
		"other JSON":       {200, `{"version":{"number":"8.19.3"},"tagline":"You Know, for Search"}`, "", document.VersionMismatch, "not Weaviate"},
		"empty JSON":       {200, `{}`, "", document.VersionMismatch, "not Weaviate"},
		"list":             {200, `[]`, "", document.VersionMismatch, "not Weaviate"},
		"redirect":         {302, "", "", document.VersionMismatch, "not Weaviate"},
		"older":            {200, metaOf("1.26.17"), "", document.VersionMismatch, "is 1.26.17: freshet needs 1.27.0 or newer"},
		"much older":       {200, metaOf("0.23.2"), "", document.VersionMismatch, "is 0.23.2: freshet needs 1.27.0 or newer"},
		"TLS behind http":  {400, plainToTLS, "", document.VersionMismatch, "not Weaviate"},
		"no key":           {401, anonymous, "", document.Unauthorized, "asks for an API key"},
		"wrong key":        {401, unknownKey, "guess", document.Unauthorized, "does not accept the API key"},
		"key of a reader":  {403, forbidden, "reader", document.Forbidden, "user 'reader' has insufficient permissions to read_cluster"},
		"too many":         {429, `{"error":[{"message":"429 Too many requests"}]}`, "", document.RateLimited, "too many requests"},
		"starting":         {503, "", "", document.Unavailable, "does not say why"},
		"behind a gateway": {502, badGateway, "", document.Unavailable, "502 Bad Gateway"},
		"broken":           {500, `{"error":[{"message":"leader not found"}]}`, "", document.Unavailable, "leader not found"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if want := "Bearer " + c.key; c.key != "" && r.Header.Get("Authorization") != want {
					t.Errorf("the key is sent as %q", r.Header.Get("Authorization"))
				}
				if c.status == http.StatusFound {
					w.Header().Set("Location", "https://example.com/login")
				}
				w.WriteHeader(c.status)
				fmt.Fprint(w, c.body)
			}))
			t.Cleanup(server.Close)
			every(t, weaviate.Config{Timeout: time.Minute, URL: server.URL, APIKey: c.key}, c.kind, server.URL, c.says)
		})
	}
}

// A server that starts says 404 of everything it will hold.
func TestStartingServer_IsNotBelieved(t *testing.T) {
	for name, ready := range map[string]func(asked int) bool{
		"starting":            func(int) bool { return false },
		"restarted meanwhile": func(asked int) bool { return asked == 1 },
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/v1/meta":
					fmt.Fprint(w, metaOf("1.35.2"))
				case "/v1/nodes":
					fmt.Fprint(w, `{"nodes":[{"batchStats":{"queueLength":0,"ratePerSecond":0},"name":"node1","status":"HEALTHY","version":"1.35.2"}]}`)
				case "/v1/.well-known/ready":
					if !ready(int(asked.Add(1))) {
						w.WriteHeader(http.StatusServiceUnavailable)
					}
				default:
					w.WriteHeader(http.StatusNotFound)
				}
			}))
			t.Cleanup(server.Close)
			s, err := weaviate.New(weaviate.Config{Timeout: time.Minute, URL: server.URL, Prefix: "test", Name: "none", Dims: 4})
			if err != nil {
				t.Fatal(err)
			}
			_, err = s.Mark(t.Context())
			oneSentence(t, err, document.Unavailable, server.URL, "not ready")
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestNoServerAtAll_IsUnavailable(t *testing.T) {
	t.Run("nobody listens", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		url := "http://" + l.Addr().String()
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		every(t, weaviate.Config{Timeout: time.Minute, URL: url}, document.Unavailable, url, "does not answer")
	})
	t.Run("no such host", func(t *testing.T) {
		every(t, weaviate.Config{Timeout: time.Minute, URL: "http://nobody.invalid:8080"}, document.Unavailable, "http://nobody.invalid:8080", "does not answer")
	})
	t.Run("plain behind https", func(t *testing.T) {
		server := httptest.NewServer(http.NotFoundHandler())
		t.Cleanup(server.Close)
		url := strings.Replace(server.URL, "http:", "https:", 1)
		every(t, weaviate.Config{Timeout: time.Minute, URL: url}, document.Unavailable, url, "http://")
	})
	t.Run("certificate of a stranger", func(t *testing.T) {
		server := httptest.NewTLSServer(http.NotFoundHandler())
		t.Cleanup(server.Close)
		server.Config.ErrorLog = nil
		every(t, weaviate.Config{Timeout: time.Minute, URL: server.URL}, document.Unavailable, server.URL, "not trusted")
	})
	t.Run("silent", func(t *testing.T) {
		done := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-done }))
		t.Cleanup(func() { close(done); server.Close() })
		every(t, weaviate.Config{URL: server.URL, Timeout: 20 * time.Millisecond}, document.Unavailable, server.URL, "does not answer")
	})
}

// every checks the error of every use, and that nothing is hung up by it.
func every(t *testing.T, cfg weaviate.Config, kind document.ErrorKind, parts ...string) {
	t.Helper()
	cfg.Prefix, cfg.Name, cfg.Dims = "test", "none", 4
	s, err := weaviate.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	ctx := context.Background()
	_, mark := s.Mark(ctx)
	_, apply := s.Apply(ctx, store.VectorBatch{})
	_, search := s.Search(ctx, axis(0), store.Filter{}, 1)
	_, count := s.Count(ctx)
	errs := []error{mark, s.SetMark(ctx, store.Mark{}), apply, search, count, s.Refresh(ctx)}
	for _, err := range s.IDs(ctx, store.Scope{}) {
		errs = append(errs, err)
	}
	for _, err := range errs {
		oneSentence(t, err, kind, parts...)
	}
}

// oneSentence checks an error's kind, and that its one sentence names what
// matters.
func oneSentence(t testing.TB, err error, kind document.ErrorKind, parts ...string) {
	t.Helper()
	if document.KindOf(err) != kind {
		t.Fatalf("the error is %q (%v), want %q", document.KindOf(err), err, kind)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error does not say %q: %v", part, err)
		}
	}
	if strings.ContainsAny(err.Error(), "\n\r") {
		t.Errorf("the error is more than a line: %q", err.Error())
	}
}

// axis is the unit vector along one of 4 dimensions.
func axis(i int) embed.Vector {
	v := embed.Vector{Scale: 1, Data: make([]int8, 4)}
	v.Data[i] = 1
	return v
}
