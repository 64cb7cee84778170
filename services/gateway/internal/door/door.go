// Package door knows who asks over HTTP. Nobody is let in for being on this
// machine.
package door

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Asker is who sent a request.
type Asker struct {
	contract.Principal
	// Page says that a browser asks, which was let in by a link.
	Page bool
	// Until is when that ends, which an issuer says; zero where nothing of it is known.
	Until time.Time
}

// PageHeader is where the page says its half of a session. A browser sends a cookie
// to every port of a host, but tells the other half to the page's own origin alone:
// who has only one of the two is nobody.
const PageHeader = "Freshet-Page"

// Door tells who asks. It is safe for concurrent use.
type Door struct {
	secret  bus.Secret
	key     []byte // of sessions: made anew in each process, so that none outlives it
	keys    Keys
	issued  Issued
	link    time.Duration
	session time.Duration
	now     func() time.Time

	mu    sync.Mutex
	links map[string]link
}

// Keys says whose key a token is. The error is Unauthorized for nobody's.
type Keys func(ctx context.Context, token string) (contract.Principal, error)

// Issued says who an issuer's token is of, and until when; ok is false for what is no such
// token. The error is Unauthorized for a token that is not taken.
type Issued func(ctx context.Context, token string) (who contract.Principal, until time.Time, ok bool, err error)

// New makes a door whose tokens are made of a secret, and whose links and sessions
// last as long as given; keys and issued may be nil. now is the clock.
func New(secret bus.Secret, keys Keys, issued Issued, forLink, session time.Duration, now func() time.Time) *Door {
	return &Door{secret: secret, keys: keys, issued: issued, key: []byte(rand.Text() + rand.Text()), link: forLink, session: session, now: now, links: map[string]link{}}
}

// Token is that of a role: the password that its user has at the embedded server.
func Token(secret bus.Secret, role contract.Role) string { return secret.Password(string(role)) }

// Who says who sent a request. The error is Unauthorized where nobody is told.
func (d *Door) Who(r *http.Request) (Asker, error) {
	if given := r.Header.Get("Authorization"); given != "" {
		return d.bearer(r.Context(), given)
	}
	for _, c := range r.CookiesNamed(CookieName(r)) {
		if role, ok := d.opened(c.Value); ok && same(r.Header.Get(PageHeader), d.half(c.Value)) {
			return Asker{Principal: roleOf(role), Page: true}, nil
		}
	}
	return Asker{}, stranger("the request says not who asks: send the header Authorization: Bearer TOKEN")
}

// roleOf is who has the login of a role.
func roleOf(role contract.Role) contract.Principal { return contract.OfUser(string(role)) }

func (d *Door) bearer(ctx context.Context, given string) (Asker, error) {
	scheme, token, _ := strings.Cut(given, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return Asker{}, stranger("the header Authorization is of a kind that is not known: write it as Bearer TOKEN")
	}
	token = strings.TrimSpace(token)
	if _, ok := bus.KeyName(token); ok && d.keys != nil {
		who, err := d.keys(ctx, token)
		return Asker{Principal: who}, err
	}
	for _, role := range contract.Roles {
		if same(token, Token(d.secret, role)) {
			return Asker{Principal: roleOf(role)}, nil
		}
	}
	if d.issued != nil {
		if who, until, ok, err := d.issued(ctx, token); ok {
			return Asker{Principal: who, Until: until}, err
		}
	}
	return Asker{}, stranger("the token in the header Authorization is none of this freshet's: take a new one")
}

func stranger(sentence string) error {
	return document.Errorf(document.Unauthorized, "%s", sentence).
		With(document.Action{Do: document.DoLoginShow, Value: string(contract.RoleAsk)})
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// CookieName is that of a session; cookies are shared by the ports of a host.
func CookieName(r *http.Request) string {
	if i := strings.LastIndexByte(r.Host, ':'); i >= 0 && !strings.HasSuffix(r.Host, "]") {
		return "freshet-" + r.Host[i+1:]
	}
	return "freshet"
}

// sign is what only this process can make of a text.
func (d *Door) sign(kind, text string) string {
	mac := hmac.New(sha256.New, d.key)
	mac.Write([]byte(kind + " " + text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// half is the page's half of a session.
func (d *Door) half(session string) string { return d.sign("page", session) }

func (d *Door) seal(role contract.Role) string {
	text := string(role) + "." + strconv.FormatInt(d.now().Add(d.session).Unix(), 10) + "." + rand.Text()
	return text + "." + d.sign("session", text)
}

// opened reads a session.
func (d *Door) opened(session string) (contract.Role, bool) {
	i := strings.LastIndexByte(session, '.')
	if i < 0 || !same(session[i+1:], d.sign("session", session[:i])) {
		return "", false
	}
	role, rest, _ := strings.Cut(session[:i], ".")
	end, _, _ := strings.Cut(rest, ".")
	until, err := strconv.ParseInt(end, 10, 64)
	return contract.Role(role), err == nil && d.now().Unix() < until
}
