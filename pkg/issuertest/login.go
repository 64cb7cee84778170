// Package issuertest is an OpenID Connect issuer for tests: it tells over HTTP what it is
// and has for keys, as a login service does, and signs tokens.
package issuertest

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/freshet-dev/freshet/pkg/config"
)

// Audience is what its tokens are for.
const Audience = "freshet"

// First is the id of the key that it has from the beginning.
const First = "one"

// Login is the issuer. It is safe for concurrent use.
type Login struct {
	*httptest.Server
	t     *testing.T
	start time.Time

	mu     sync.Mutex
	keys   map[string]any // private, by id
	away   bool
	asked  map[string]int   // by path
	grants map[string]grant // by code
}

// New starts an issuer that ends with the test; its tokens are good for an hour from start
// on.
func New(t *testing.T, start time.Time) *Login {
	t.Helper()
	l := &Login{t: t, start: start, keys: map[string]any{First: RSA(t)}, asked: map[string]int{}, grants: map[string]grant{}}
	l.Server = httptest.NewServer(l)
	t.Cleanup(l.Close)
	return l
}

// RSA is a key that nobody else has.
func RSA(t *testing.T) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// Config is that of a gateway which takes its tokens.
func (l *Login) Config() config.OIDC {
	cfg := config.Default().Gateway.OIDC
	cfg.Issuer, cfg.Audience = l.URL, Audience
	return cfg
}

// ServeHTTP answers as an issuer does.
func (l *Login) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked[r.URL.Path]++
	var out any
	switch {
	case l.away:
		http.Error(w, "maintenance", http.StatusServiceUnavailable)
		return
	case r.URL.Path == "/.well-known/openid-configuration":
		out = map[string]any{
			"issuer": l.URL, "authorization_endpoint": l.URL + "/auth", "token_endpoint": l.URL + "/token", "jwks_uri": l.URL + "/keys",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}, "scopes_supported": []string{"openid"},
			"grant_types_supported": []string{"authorization_code"}, "subject_types_supported": []string{"public"},
			"id_token_signing_alg_values_supported": []string{"RS256", "ES256", "HS256", "none"},
		}
	case r.URL.Path == "/keys":
		set := jose.JSONWebKeySet{}
		for id, key := range l.keys {
			k := jose.JSONWebKey{Key: key, KeyID: id, Use: "sig"}
			set.Keys = append(set.Keys, k.Public())
		}
		out = set
	case r.URL.Path == "/auth":
		l.agree(w, r)
		return
	case r.URL.Path == "/token":
		scope, ok := l.redeem(r)
		if !ok {
			http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
			return
		}
		out = map[string]any{
			"access_token": l.Sign(jose.RS256, First, l.keys[First], l.Claims(nil)), "token_type": "Bearer", "expires_in": 3600, "scope": scope,
		}
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(out); err != nil {
		l.t.Error(err)
	}
}

// AddKey adds a private key.
func (l *Login) AddKey(id string, key any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys[id] = key
}

// Away has it answer nothing.
func (l *Login) Away(away bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = away
}

// Asked is how often a path was asked for.
func (l *Login) Asked(path string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked[path]
}

// Claims are those of a token of somebody, as changed: nil takes one away.
func (l *Login) Claims(change map[string]any) map[string]any {
	out := map[string]any{
		"iss": l.URL, "aud": []string{"other", Audience}, "sub": "1f3a", "email": "ada@example.org", "groups": []string{"docs", "lead"},
		"iat": l.start.Unix(), "exp": l.start.Add(time.Hour).Unix(),
	}
	maps.Copy(out, change)
	maps.DeleteFunc(out, func(_ string, v any) bool { return v == nil })
	return out
}

// Token is one that the key of an id signs.
func (l *Login) Token(id string, change map[string]any) string {
	l.t.Helper()
	l.mu.Lock()
	key := l.keys[id]
	l.mu.Unlock()
	return l.Sign(jose.RS256, id, key, l.Claims(change))
}

// Sign signs claims with a key, as that of an id.
func (l *Login) Sign(alg jose.SignatureAlgorithm, id string, key any, claims map[string]any) string {
	l.t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: jose.JSONWebKey{Key: key, KeyID: id}}, nil)
	if err != nil {
		l.t.Fatal(err)
	}
	text, err := json.Marshal(claims)
	if err != nil {
		l.t.Fatal(err)
	}
	signed, err := signer.Sign(text)
	if err != nil {
		l.t.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		l.t.Fatal(err)
	}
	return token
}
