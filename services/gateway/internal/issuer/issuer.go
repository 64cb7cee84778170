// Package issuer knows who asks by the tokens of an OpenID Connect issuer, such as a
// company's login service gives them to programs and people.
package issuer

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// patience is how long the issuer may take for its description or its keys.
	patience = 5 * time.Second
	// again is the least time between two of one kind: whoever sends forged tokens does
	// not have the issuer asked as often as they like.
	again = 10 * time.Second
	// longest is how many bytes a name has at most, and a group; more than mostGroups are
	// refused, too.
	longest, mostGroups = 256, 1000
)

// Issuer takes the tokens of one issuer. It is safe for concurrent use.
type Issuer struct {
	cfg    config.OIDC
	now    func() time.Time
	client *http.Client

	mu       sync.Mutex // held while the issuer is asked what it is
	verifier *oidc.IDTokenVerifier
}

// New returns what takes the tokens of an issuer, nil where none is configured. The issuer
// is asked with the first token: that it is away keeps nobody else out. now is the clock.
func New(cfg config.OIDC, now func() time.Time) *Issuer {
	if cfg.Issuer == "" {
		return nil
	}
	return &Issuer{cfg: cfg, now: now, client: &http.Client{Timeout: patience, Transport: &sparing{now: now, last: map[string]asked{}}}}
}

// IsToken reports whether a text looks like a token of an issuer: three parts, of which
// the first is JSON.
func IsToken(text string) bool { return strings.HasPrefix(text, "ey") && strings.Count(text, ".") == 2 }

// Who says whose token it is, and when that ends. The error is Unauthorized for a token
// that is not the issuer's, not for freshet, or over, and Unavailable where the issuer
// cannot be asked for its keys.
func (i *Issuer) Who(ctx context.Context, token string) (who contract.Principal, until time.Time, err error) {
	verifier, err := i.open(ctx)
	if err != nil {
		return who, until, err
	}
	t, err := verifier.Verify(ctx, token)
	if err != nil {
		return who, until, i.why(err)
	}
	claims := map[string]any{}
	if err := t.Claims(&claims); err != nil {
		return who, until, refused("what it says is not understood")
	}
	name, ok := claims[i.cfg.Name].(string)
	if !ok || !isName(name) {
		return who, until, refused("it names nobody in %s: see gateway.oidc.name", i.cfg.Name)
	}
	groups, err := groupsOf(claims[i.cfg.Groups])
	if err != nil {
		return who, until, err
	}
	who = contract.Principal{Name: contract.IssuedPrefix + name, Role: contract.Role(i.cfg.Role), Groups: groups}
	if slices.ContainsFunc(i.cfg.Admins, func(g string) bool { return slices.Contains(groups, g) }) {
		who.Role = contract.RoleAdmin
	}
	return who, t.Expiry, nil
}

// open asks the issuer what it is, once that is needed.
func (i *Issuer) open(ctx context.Context) (*oidc.IDTokenVerifier, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.verifier != nil {
		return i.verifier, nil
	}
	// What is asked outlives the request that began it.
	p, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), i.client), i.cfg.Issuer)
	if err != nil {
		return nil, i.away(err)
	}
	i.verifier = p.Verifier(&oidc.Config{ClientID: i.cfg.Audience, Now: i.now})
	return i.verifier, nil
}

func (i *Issuer) away(err error) error {
	return document.Errorf(document.Unavailable, "the issuer %s of gateway.oidc cannot be asked who that is: %w", i.cfg.Issuer, err)
}

// why says in a sentence why a token is not taken.
func (i *Issuer) why(err error) error {
	var over *oidc.TokenExpiredError
	switch text := err.Error(); { // the library wraps little, and says it in words
	case errors.As(err, &over):
		return refused("it has ended: take a new one")
	case strings.Contains(text, "fetching keys") && !strings.Contains(text, errSpared.Error()):
		return i.away(err)
	case strings.Contains(text, "audience"):
		return refused("it is for somebody else: ask for one whose aud is %s", i.cfg.Audience)
	case strings.Contains(text, "nbf"):
		return refused("it is not good yet")
	case strings.Contains(text, "different provider"):
		return refused("it is of another issuer than %s", i.cfg.Issuer)
	}
	return refused("it is none that %s has signed", i.cfg.Issuer)
}

func refused(format string, args ...any) error {
	return document.Errorf(document.Unauthorized, "the token in the header Authorization is refused: "+format, args...).
		With(document.Action{Do: document.DoLoginShow, Value: string(contract.RoleAsk)})
}

// isName keeps what is told of who asks, and is compared, to what can be seen.
func isName(s string) bool {
	return s != "" && len(s) <= longest && strings.TrimSpace(s) == s && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}

// groupsOf are the groups that a claim names: a list of words, or one. A group that
// everybody is in is nobody's to give.
func groupsOf(claim any) (groups []string, err error) {
	list, ok := claim.([]any)
	if one, is := claim.(string); is {
		list, ok = []any{one}, true
	}
	if claim != nil && !ok {
		return nil, refused("its groups are no list of words")
	}
	if len(list) > mostGroups {
		return nil, refused("it names more than %d groups", mostGroups)
	}
	for _, g := range list {
		name, ok := g.(string)
		if !ok || !isName(name) {
			return nil, refused("one of its groups is no word of at most %d bytes", longest)
		}
		if name != contract.Everyone {
			groups = append(groups, name)
		}
	}
	return groups, nil
}
