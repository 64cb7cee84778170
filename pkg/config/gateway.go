package config

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// HookKinds are the senders of webhooks.
var HookKinds = []string{"github", "gitlab", "gitea", "bitbucket", "generic"}

func (p *Problems) hooks(list []Hook) {
	names := map[string]bool{}
	for i, h := range list {
		at := fmt.Sprintf("gateway.hooks[%d]", i)
		// It is a word in an address, as a source's name is one in a subject.
		if _, err := document.ParseSource(h.Name); err != nil {
			p.addf(at+".name", "is %q: use 1 to 64 of a-z, 0-9, - and _", h.Name)
		} else if names[h.Name] {
			p.addf(at+".name", "is %q, as another's: give each its own", h.Name)
		}
		names[h.Name] = true
		if !slices.Contains(HookKinds, h.Kind) {
			p.addf(at+".kind", "is %q: use %s", h.Kind, strings.Join(HookKinds, ", "))
		}
		if _, err := document.ParseSource(h.Source); err != nil {
			p.addf(at+".source", "is %q: name the source that is looked at", h.Source)
		}
		if h.SecretFile == "" {
			p.addf(at+".secret_file", "is missing: name the file with the secret that the sender has, too")
		}
	}
}

// Loopback reports whether an address (HOST:PORT) is reached from its own machine
// alone.
func Loopback(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func checkIssuer(p *Problems, o OIDC) {
	if o.Issuer == "" {
		if o.Audience != "" || len(o.Admins) > 0 {
			p.addf("gateway.oidc.issuer", "is missing: name the address of the issuer whose tokens are taken")
		}
		return
	}
	u, err := url.Parse(o.Issuer)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		p.addf("gateway.oidc.issuer", "is %q: write it as its tokens name it (iss), such as https://login.example.org/realms/team", o.Issuer)
	case u.Scheme == "http" && !Loopback(net.JoinHostPort(u.Hostname(), "0")):
		p.addf("gateway.oidc.issuer", "is %q, whose keys whoever is on the way could replace: use https", o.Issuer)
	}
	for key, text := range map[string]string{"audience": o.Audience, "name": o.Name, "groups": o.Groups} {
		if text == "" {
			p.addf("gateway.oidc."+key, "is missing: %s", map[string]string{
				"audience": "name what its tokens have to be for (aud), the client id of freshet there; else a token for any other program would be taken",
				"name":     "name the claim with the name of who asks, such as sub", "groups": "name the claim with their groups, such as groups",
			}[key])
		}
	}
}

func (p *Problems) gateway(g Gateway) {
	if g.Listen == "" {
		return
	}
	_, port, err := net.SplitHostPort(g.Listen)
	n, perr := strconv.Atoi(port)
	switch {
	case err != nil || perr != nil || n < 0 || n > 65535:
		p.addf("gateway.listen", "is %q: write it as HOST:PORT, such as %s", g.Listen, DefaultGateway)
	case !Loopback(g.Listen) && g.Cert == "" && !g.Plain:
		p.addf("gateway.listen", "is %q, which others reach, and nothing would be encrypted: name a certificate in gateway.cert, or set gateway.plain", g.Listen)
	}
	switch {
	case g.Cert != "" && g.Key == "":
		p.addf("gateway.key", "is missing: name the file with the private key of gateway.cert")
	case g.Key != "" && g.Cert == "":
		p.addf("gateway.cert", "is missing: name the file with the certificate of gateway.key")
	}
	p.hooks(g.Hooks)
	checkIssuer(p, g.OIDC)
	for _, h := range g.Hosts {
		if h == "" || net.ParseIP(h) == nil && !hostName.MatchString(h) {
			p.addf("gateway.hosts", "has %q: write a host name without port, such as freshet.example.org", h)
		}
	}
}
