package config

import (
	"net"
	"strconv"
)

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
	for _, h := range g.Hosts {
		if h == "" || net.ParseIP(h) == nil && !hostName.MatchString(h) {
			p.addf("gateway.hosts", "has %q: write a host name without port, such as freshet.example.org", h)
		}
	}
}
