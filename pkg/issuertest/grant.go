package issuertest

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
)

// grant is what somebody agreed to, until the program fetches the token for it.
type grant struct {
	challenge, redirect, scope string
}

// agree is the page on which a person logs in and agrees, who does so at once: it sends
// the browser back to the program with a code. l.mu is held.
func (l *Login) agree(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || q.Get("client_id") != Audience || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" {
		http.Error(w, "invalid_request", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	l.grants[code] = grant{q.Get("code_challenge"), q.Get("redirect_uri"), q.Get("scope")}
	back.RawQuery = url.Values{"code": {code}, "state": {q.Get("state")}}.Encode()
	http.Redirect(w, r, back.String(), http.StatusFound)
}

// redeem gives the token for a code, once, to whoever asked for the code. l.mu is held.
func (l *Login) redeem(r *http.Request) (scope string, ok bool) {
	g, known := l.grants[r.FormValue("code")]
	delete(l.grants, r.FormValue("code"))
	sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
	return g.scope, known && r.FormValue("grant_type") == "authorization_code" && r.FormValue("redirect_uri") == g.redirect &&
		base64.RawURLEncoding.EncodeToString(sum[:]) == g.challenge
}
