package issuer

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/issuertest"
)

var start = time.Unix(1_800_000_000, 0)

func open(l *issuertest.Login, change func(*config.OIDC), now func() time.Time) *Issuer {
	cfg := l.Config()
	cfg.Admins = []string{"ops"}
	if change != nil {
		change(&cfg)
	}
	return New(cfg, now)
}

func still() time.Time { return start }

func TestTokenOfTheIssuer_SaysWhoAsks(t *testing.T) {
	l := issuertest.New(t, start)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	l.AddKey("curve", curve)
	by := open(l, nil, still)
	for name, c := range map[string]struct {
		token string
		want  contract.Principal
	}{
		"a member":         {l.Token("one", nil), contract.Principal{Name: "oidc:1f3a", Role: contract.RoleAsk, Groups: []string{"docs", "lead"}}},
		"another kind":     {l.Sign(jose.ES256, "curve", curve, l.Claims(nil)), contract.Principal{Name: "oidc:1f3a", Role: contract.RoleAsk, Groups: []string{"docs", "lead"}}},
		"an administrator": {l.Token("one", map[string]any{"groups": []string{"ops"}}), contract.Principal{Name: "oidc:1f3a", Role: contract.RoleAdmin, Groups: []string{"ops"}}},
		"one group":        {l.Token("one", map[string]any{"groups": "docs", "aud": "freshet"}), contract.Principal{Name: "oidc:1f3a", Role: contract.RoleAsk, Groups: []string{"docs"}}},
		"in no group":      {l.Token("one", map[string]any{"groups": nil}), contract.Principal{Name: "oidc:1f3a", Role: contract.RoleAsk}},
		"everyone":         {l.Token("one", map[string]any{"groups": []string{contract.Everyone}}), contract.Principal{Name: "oidc:1f3a", Role: contract.RoleAsk}},
	} {
		who, until, err := by.Who(t.Context(), c.token)
		if err != nil || who.Name != c.want.Name || who.Role != c.want.Role || !slices.Equal(who.Groups, c.want.Groups) || !until.Equal(start.Add(time.Hour)) {
			t.Errorf("%s is %+v until %v, %v; want %+v", name, who, until, err, c.want)
		}
		if !IsToken(c.token) {
			t.Errorf("%s is told as none", name)
		}
	}
	named := open(l, func(c *config.OIDC) { c.Name, c.Groups, c.Role = "email", "roles", "write" }, still)
	who, _, err := named.Who(t.Context(), l.Token("one", map[string]any{"roles": []string{"docs"}}))
	if err != nil || who.Name != "oidc:ada@example.org" || who.Role != contract.RoleWrite || !slices.Equal(who.Groups, []string{"docs"}) {
		t.Errorf("by other claims it is %+v, %v", who, err)
	}
}

func TestTokenIsNotForFreshet_IsRefusedAndSaysWhy(t *testing.T) {
	l := issuertest.New(t, start)
	by := open(l, nil, still)
	strange := issuertest.RSA(t)
	good := l.Token("one", nil)
	parts := strings.Split(good, ".")
	text := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	for name, c := range map[string]struct{ token, says string }{
		"over":                  {l.Token("one", map[string]any{"exp": start.Add(-time.Second).Unix()}), "it has ended"},
		"without an end":        {l.Token("one", map[string]any{"exp": nil}), "it has ended"},
		"for another program":   {l.Token("one", map[string]any{"aud": "wiki"}), "aud is freshet"},
		"for nobody":            {l.Token("one", map[string]any{"aud": nil}), "aud is freshet"},
		"of another issuer":     {l.Token("one", map[string]any{"iss": "https://login.example.org"}), "another issuer"},
		"not yet good":          {l.Token("one", map[string]any{"nbf": start.Add(time.Hour).Unix()}), "not good yet"},
		"signed by another key": {l.Sign(jose.RS256, "one", strange, l.Claims(nil)), "none that"},
		"by an unknown key":     {l.Sign(jose.RS256, "two", strange, l.Claims(nil)), "none that"},
		"signed with a word":    {l.Sign(jose.HS256, "one", []byte(strings.Repeat("secret", 8)), l.Claims(nil)), "none that"},
		"not signed":            {text(`{"alg":"none","kid":"one"}`) + "." + parts[1] + ".", "none that"},
		"changed":               {parts[0] + "." + text(`{"iss":"`+l.URL+`","aud":"freshet","sub":"root","groups":["ops"],"exp":1900000000}`) + "." + parts[2], "none that"},
		"no JSON":               {"eyJ.eyJ.eyJ", "none that"},
		"of nobody":             {l.Token("one", map[string]any{"sub": ""}), "names nobody"},
		"of what is not seen":   {l.Token("one", map[string]any{"sub": "a\u200bb"}), "names nobody"},
		"groups of numbers":     {l.Token("one", map[string]any{"groups": []int{1}}), "no word"},
		"groups as a table":     {l.Token("one", map[string]any{"groups": map[string]any{"docs": true}}), "no list of words"},
		"too many groups":       {l.Token("one", map[string]any{"groups": slices.Repeat([]string{"g"}, mostGroups+1)}), "more than"},
	} {
		if who, _, err := by.Who(t.Context(), c.token); document.KindOf(err) != document.Unauthorized || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %+v, %v; want %q", name, who, err, c.says)
		}
	}
	if n := l.Asked("/keys"); n > 2 {
		t.Errorf("the keys were asked for %d times", n)
	}
	if who, _, err := by.Who(t.Context(), good); err != nil || who.Name != "oidc:1f3a" {
		t.Errorf("afterwards a good one is %+v, %v", who, err)
	}
}

func TestIssuerHasAnotherKey_ItsTokensAreTaken(t *testing.T) {
	l := issuertest.New(t, start)
	now := start
	by := open(l, nil, func() time.Time { return now })
	if _, _, err := by.Who(t.Context(), l.Token("one", nil)); err != nil {
		t.Fatal(err)
	}
	l.AddKey("two", issuertest.RSA(t))
	now = now.Add(again)
	if who, _, err := by.Who(t.Context(), l.Token("two", nil)); err != nil || who.Name != "oidc:1f3a" {
		t.Errorf("by the new key: %+v, %v", who, err)
	}
}

func TestIssuerIsAway_ItIsToldAndAskedAgain(t *testing.T) {
	l := issuertest.New(t, start)
	now := start
	by := open(l, nil, func() time.Time { return now })
	token := l.Token("one", nil)
	l.Away(true)
	for range 3 {
		if _, _, err := by.Who(t.Context(), token); document.KindOf(err) != document.Unavailable || !strings.Contains(err.Error(), "503") {
			t.Errorf("away: %v", err)
		}
	}
	if n := l.Asked("/.well-known/openid-configuration"); n != 1 {
		t.Errorf("it was asked %d times what it is", n)
	}
	l.Away(false)
	now = now.Add(again)
	if _, _, err := by.Who(t.Context(), token); err != nil {
		t.Errorf("it is back: %v", err)
	}
	// What is known of it is enough for a while without it.
	l.Away(true)
	if _, _, err := by.Who(t.Context(), token); err != nil {
		t.Errorf("away again: %v", err)
	}
	now = now.Add(again)
	l.AddKey("two", issuertest.RSA(t))
	for range 2 {
		if _, _, err := by.Who(t.Context(), l.Token("two", nil)); document.KindOf(err) != document.Unavailable {
			t.Errorf("by a key that cannot be asked for: %v", err)
		}
	}
}

func TestNoIssuer_NoTokensAreTaken(t *testing.T) {
	if New(config.Default().Gateway.OIDC, still) != nil {
		t.Error("without an issuer there is one")
	}
}
