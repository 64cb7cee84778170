// Package guard refuses what a browser sends because a page elsewhere told it to,
// and tells browsers what the answers may do.
package guard

import (
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Guard knows the names that it is asked by.
type Guard struct {
	hosts []string
}

// New makes a guard that is reached by addresses, as localhost, and by names.
func New(names []string) *Guard {
	g := &Guard{hosts: []string{"localhost"}}
	for _, n := range names {
		g.hosts = append(g.hosts, strings.ToLower(n))
	}
	return g
}

// Check returns a Forbidden for a request that a page elsewhere is behind. page
// says that it is one for the page itself, to which links from anywhere may lead.
func (g *Guard) Check(r *http.Request, page bool) error {
	if host := hostOf(r.Host); !g.known(host) {
		return document.Errorf(document.Forbidden, "nobody here is called %q: ask by address, or add the name to gateway.hosts", host)
	}
	if origin := r.Header.Get("Origin"); origin != "" && !strings.EqualFold(origin, ownOrigin(r)) {
		return document.Errorf(document.Forbidden, "the request comes from a page at %q: only the page of this freshet may ask", origin)
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); {
	case site == "", site == "same-origin", site == "none":
		return nil
	case page && r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document":
		return nil
	}
	return document.Errorf(document.Forbidden, "another page had the browser send this request: only the page of this freshet may ask")
}

// known reports whether a host is an address, or a name of ours. A name that
// somebody else has lead here is the only way by which a page of theirs could read
// an answer.
func (g *Guard) known(host string) bool {
	return net.ParseIP(host) != nil || slices.Contains(g.hosts, strings.ToLower(host))
}

func hostOf(hostPort string) string {
	if host, _, err := net.SplitHostPort(hostPort); err == nil {
		return host
	}
	return strings.Trim(hostPort, "[]")
}

func ownOrigin(r *http.Request) string {
	if r.TLS != nil {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// policy allows what the page needs: its own files, and its own interface. Nothing
// that is inserted as markup runs, and no string becomes markup.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

// Headers says in every answer what a browser may do with it.
func Headers(h http.Header) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=(), usb=()")
	h.Set("Cache-Control", "no-store")
}
