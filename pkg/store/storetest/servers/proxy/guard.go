package proxy

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Guard says what a proxy lets through to Elasticsearch. An empty field is a
// credential that nobody has.
type Guard struct {
	// APIKey may do everything. It is what Elasticsearch calls encoded: id:key in
	// base64, as clients take it and send it.
	APIKey string
	// ReadOnlyAPIKey may only read; anything else is answered with 403.
	ReadOnlyAPIKey string
	// User and Password are for basic auth and may do everything.
	User, Password string
}

// challenges are the ways to authenticate that Elasticsearch 8 offers.
var challenges = []string{`Basic realm="security", charset="UTF-8"`, `Bearer realm="security"`, "ApiKey"}

func (g Guard) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		authorization := r.Header.Get("Authorization")
		scheme, credential, _ := strings.Cut(authorization, " ")
		user, password, basic := r.BasicAuth()
		key := strings.EqualFold(scheme, "ApiKey") && credential != ""
		switch {
		case authorization == "":
			refuse(w, http.StatusUnauthorized, fmt.Sprintf("missing authentication credentials for REST request [%s]", r.URL.RequestURI()))
		case basic && g.User != "" && user == g.User && password == g.Password,
			key && credential == g.APIKey,
			key && credential == g.ReadOnlyAPIKey && reads(r):
			next.ServeHTTP(w, r)
		case key && credential == g.ReadOnlyAPIKey:
			refuse(w, http.StatusForbidden, fmt.Sprintf(
				"action [%s] is unauthorized for API key id [%s] of user [elastic], this action is granted by the index privileges [%s]",
				"indices:data/write/bulk", keyID(credential), "create_doc,create,delete,index,write,all"))
		case basic:
			refuse(w, http.StatusUnauthorized, fmt.Sprintf("unable to authenticate user [%s] for REST request [%s]", user, r.URL.RequestURI()))
		default:
			refuse(w, http.StatusUnauthorized, "unable to authenticate with provided credentials and anonymous access is not allowed for this request")
		}
	})
}

// reads reports whether a request leaves everything as it is. Elasticsearch
// searches with POST, and ends a point in time with DELETE.
func reads(r *http.Request) bool {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return true
	}
	last := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch last {
	case "_pit":
		return true
	case "_search", "_msearch", "_count", "_mget", "_mtermvectors", "_explain", "_analyze":
		return r.Method == http.MethodPost
	}
	return false
}

// keyID is the public part of an encoded API key.
func keyID(encoded string) string {
	pair, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return encoded
	}
	id, _, _ := strings.Cut(string(pair), ":")
	return id
}

// refuse answers as Elasticsearch's security does.
func refuse(w http.ResponseWriter, status int, reason string) {
	c := cause{Type: "security_exception", Reason: reason}
	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	w.Header().Set("Content-Type", "application/json")
	if status == http.StatusUnauthorized {
		w.Header()["Www-Authenticate"] = challenges
		c.Header = map[string][]string{"WWW-Authenticate": challenges}
	}
	w.WriteHeader(status)
	// Whoever has gone away does not read it.
	_ = json.NewEncoder(w).Encode(refusal{failure{[]cause{c}, c}, status})
}

// refusal is the body of an answer that is an error.
type refusal struct {
	Error  failure `json:"error"`
	Status int     `json:"status"`
}

type failure struct {
	RootCause []cause `json:"root_cause"`
	cause
}

type cause struct {
	Type   string              `json:"type"`
	Reason string              `json:"reason"`
	Header map[string][]string `json:"header,omitempty"`
}
