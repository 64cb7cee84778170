// Package proxy puts TLS in front of a test server, and in front of Elasticsearch
// also API keys and basic auth.
//
// It stands in for the security that the Elasticsearch of package servers lacks,
// since Elastic's security module is not on Maven Central. A test through it shows
// that the right credentials are sent, that the certificate is checked and that
// refusals are understood; it does not show that Elasticsearch's own security
// works. Weaviate checks API keys itself when it is started with them (see
// servers.WeaviateKeys); there the proxy adds TLS alone.
package proxy

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"testing"
)

// Proxy is a TLS server that forwards what it lets through. It ends with its test.
type Proxy struct {
	URL    string // https://127.0.0.1:port
	CA     []byte // the certificate that signed the proxy's own, PEM
	CAFile string // a file with CA
}

// Elasticsearch starts a proxy in front of the Elasticsearch at target that lets
// through what guard allows and refuses the rest in Elasticsearch's format.
func Elasticsearch(t testing.TB, target string, guard Guard) *Proxy {
	t.Helper()
	return start(t, guard.protect(forward(t, target)))
}

// Weaviate starts a proxy in front of the Weaviate at target that lets everything
// through, the Authorization header included.
func Weaviate(t testing.TB, target string) *Proxy {
	t.Helper()
	return start(t, forward(t, target))
}

// forward passes requests on. A server that does not answer is a 502, as behind
// every proxy.
func forward(t testing.TB, target string) http.Handler {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) },
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusBadGateway)
		},
	}
}

func start(t testing.TB, handler http.Handler) *Proxy {
	t.Helper()
	ca, config, err := certificates()
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{CA: ca, CAFile: filepath.Join(t.TempDir(), "ca.pem")}
	if err := os.WriteFile(p.CAFile, ca, 0o600); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(handler)
	server.TLS = config
	// A client that does not trust the proxy says so itself.
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}
