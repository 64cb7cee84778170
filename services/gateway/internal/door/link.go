package door

import (
	"crypto/rand"
	"maps"
	"net/http"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// link lets one browser in.
type link struct {
	role  contract.Role
	until time.Time
}

// linksKept bounds the links that nobody has used yet.
const linksKept = 1000

// Link makes a code that lets one browser in as a role, once and for a short time.
func (d *Door) Link(role contract.Role) (code string, until time.Time, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	maps.DeleteFunc(d.links, func(_ string, l link) bool { return !now.Before(l.until) })
	if len(d.links) >= linksKept {
		return "", until, document.Errorf(document.RateLimited, "%d links wait to be used: ask again when they have ended", linksKept)
	}
	code, until = rand.Text(), now.Add(d.link)
	d.links[code] = link{role, until}
	return code, until, nil
}

// Open takes a code and returns the two halves of a session. The error is
// Unauthorized for a code that was used, that has ended, or that nobody made.
func (d *Door) Open(r *http.Request, code string) (*http.Cookie, string, error) {
	d.mu.Lock()
	l, known := d.links[code]
	delete(d.links, code)
	d.mu.Unlock()
	if !known || !d.now().Before(l.until) {
		return nil, "", document.Errorf(document.Unauthorized, "this link was used or has ended: take a new one").Do(document.DoPageOpen)
	}
	session := d.seal(l.role)
	return &http.Cookie{
		Name: CookieName(r), Value: session, Path: "/api/", MaxAge: int(d.session / time.Second),
		HttpOnly: true, Secure: r.TLS != nil, SameSite: http.SameSiteStrictMode,
	}, d.half(session), nil
}
