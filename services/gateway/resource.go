package gateway

import (
	"encoding/json"
	"net/http"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/services/gateway/internal/reply"
)

// resourcePath is where whoever has no token learns whose tokens are taken at agentsPath,
// as RFC 9728 has it: so an agent has its person log in there.
const resourcePath = "/.well-known/oauth-protected-resource" + agentsPath

// resource is what the gateway says of itself there.
type resource struct {
	Resource             string   `json:"resource"`
	Name                 string   `json:"resource_name"`
	AuthorizationServers []string `json:"authorization_servers"`
	Scopes               []string `json:"scopes_supported,omitempty"`
	Methods              []string `json:"bearer_methods_supported"`
}

// login is what whoever has no token is told, by the configuration of the gateway.
type login struct{ cfg config.Gateway }

// tell answers with what the gateway is.
func (l login) tell(w http.ResponseWriter, r *http.Request) {
	js, err := json.Marshal(resource{
		Resource: l.reached(r) + agentsPath, Name: "freshet",
		AuthorizationServers: []string{l.cfg.OIDC.Issuer}, Scopes: l.cfg.OIDC.Scopes, Methods: []string{"header"},
	})
	if err != nil {
		reply.Error(w, err)
		return
	}
	reply.JSON(w, js)
}

// challenge is what whoever has no token is answered with at a path; "" for what every
// path says.
func (l login) challenge(r *http.Request) string {
	if l.cfg.OIDC.Issuer == "" || r.URL.Path != agentsPath {
		return ""
	}
	return `Bearer realm="freshet", resource_metadata="` + l.reached(r) + resourcePath + `"`
}

// reached is the address that a request came by. A proxy that encrypts for a gateway which
// does not says so in a header; nothing but what is told of the address rests on it.
func (l login) reached(r *http.Request) string {
	if r.TLS != nil || l.cfg.Plain && r.Header.Get("X-Forwarded-Proto") == "https" {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}
