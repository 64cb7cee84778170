package web

import (
	"bufio"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/gateway"
)

func TestStrangerOnTheMachine_IsRefused(t *testing.T) {
	s := start(t, nil)
	for _, given := range []string{"", "Bearer", "Bearer x", "Bearer " + s.secret.Reveal(), "Basic YTpi", "Bearer " + gateway.Token("another secret of 16", contract.RoleAsk)} {
		a := s.do(s.request("GET", "/api/v1/status", "", "Authorization", given))
		if e := a.failure(t).Error; a.code != http.StatusUnauthorized || e.Kind != "unauthorized" || a.header.Get("WWW-Authenticate") == "" {
			t.Errorf("%q: %d %s", given, a.code, a.body)
		}
	}
	for path, role := range map[string]contract.Role{
		"/api/v1/verify": contract.RoleAdmin, "/api/v1/documents": contract.RoleWrite, "/api/v1/token": contract.RoleAnnounce, "/api/v1/search": contract.RoleAsk,
	} {
		for _, who := range contract.Roles {
			a := s.as(who, "POST", path, "{}")
			if (a.code == http.StatusForbidden) == who.Includes(role) {
				t.Errorf("%s asks %s: %d", who, path, a.code)
			}
		}
	}
}

// browser is a client with cookies that a link let in; half is what the page keeps.
func (s *site) browser(link string) (c *http.Client, half string) {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	c = &http.Client{Jar: jar}
	resp, err := c.Get(link)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if m := regexp.MustCompile(`name="freshet-page" content="([^"]+)"`).FindStringSubmatch(lines.Text()); m != nil {
			half = m[1]
		}
	}
	return c, half
}

func (s *site) link(role contract.Role) string {
	s.t.Helper()
	a := s.as(contract.RoleAdmin, "POST", "/api/v1/links", `{"role":"`+string(role)+`"}`)
	m := regexp.MustCompile(`"url":"([^"]+)"`).FindSubmatch(a.body)
	if m == nil {
		s.t.Fatalf("%d %s", a.code, a.body)
	}
	return string(m[1])
}

func TestLink_IsGoodOnce(t *testing.T) {
	s := start(t, nil)
	link := s.link(contract.RoleAsk)
	c, half := s.browser(link)
	asks := func(half string) int {
		r := s.request("GET", "/api/v1/status", "")
		if half != "" {
			r.Header.Set("Freshet-Page", half)
		}
		resp, err := c.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.StatusCode
	}
	if got := asks(half); got != http.StatusOK {
		t.Errorf("the browser is not let in: %d", got)
	}
	// Another port of this host is sent the cookie as well, and no more than that.
	for _, other := range []string{"", "x"} {
		if got := asks(other); got != http.StatusUnauthorized {
			t.Errorf("with the cookie and %q: %d", other, got)
		}
	}
	if a := s.do(s.request("GET", "/api/v1/status", "", "Freshet-Page", half)); a.code != http.StatusUnauthorized {
		t.Errorf("without the cookie: %d", a.code)
	}
	u, err := url.Parse(s.url + "/api/")
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Jar.Cookies(u)) != 1 {
		t.Errorf("cookies: %v", c.Jar.Cookies(u))
	}
	if a := s.do(s.request("GET", strings.TrimPrefix(link, s.url), "")); a.code != http.StatusForbidden || len(a.header["Set-Cookie"]) > 0 {
		t.Errorf("the link was good for twice: %d", a.code)
	}
	if a := s.as(contract.RoleAsk, "POST", "/api/v1/links", `{"role":"admin"}`); a.code != http.StatusForbidden {
		t.Errorf("a link gives more than who makes it has: %d", a.code)
	}
}

func TestPageElsewhereHasTheBrowserAsk_ItIsRefused(t *testing.T) {
	s := start(t, func(c *config.Config) { c.Gateway.Hosts = []string{"search.example.org"} })
	_, port, _ := strings.Cut(strings.TrimPrefix(s.url, "http://"), ":")
	for _, c := range []struct {
		path    string
		headers []string
		want    int
	}{
		{"/api/v1/status", []string{"Host", "rebound.example:" + port}, 403},
		{"/", []string{"Host", "rebound.example"}, 403},
		{"/api/v1/status", []string{"Host", "localhost:" + port}, 200},
		{"/api/v1/status", []string{"Host", "[::1]:" + port}, 200},
		{"/api/v1/status", []string{"Host", "Search.example.org"}, 200},
		{"/api/v1/status", []string{"Origin", "http://other.example"}, 403},
		{"/api/v1/status", []string{"Origin", "null"}, 403},
		{"/api/v1/status", []string{"Origin", "http://127.0.0.1:1"}, 403}, // another port of this host
		{"/api/v1/status", []string{"Origin", s.url}, 200},
		{"/api/v1/status", []string{"Sec-Fetch-Site", "same-origin"}, 200},
		{"/api/v1/status", []string{"Sec-Fetch-Site", "same-site"}, 403},
		{"/api/v1/status", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 403},
		{"/open?code=x", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 403},
		{"/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 200},
		{"/", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		{"/index.html", []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "script"}, 403},
	} {
		a := s.as(contract.RoleAsk, "GET", c.path, "", c.headers...)
		if a.code != c.want {
			t.Errorf("%s with %v: %d, want %d: %s", c.path, c.headers, a.code, c.want, a.body)
		}
		if csp := a.header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || a.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: policy %q", c.path, csp)
		}
	}
}

func TestMoreThanThereIsRoomFor_IsToldWhenToComeAgain(t *testing.T) {
	s := start(t, func(c *config.Config) { c.Gateway.Concurrency, c.Gateway.Rate, c.Gateway.Body = 1, 2, 2048 })
	later := func(a answer, code int, kind string) {
		t.Helper()
		e := a.failure(t)
		after, err := strconv.Atoi(a.header.Get("Retry-After"))
		if a.code != code || string(e.Error.Kind) != kind || err != nil || after < 1 || e.RetryAfterMS < 1 {
			t.Errorf("%d, again after %q: %s", a.code, a.header.Get("Retry-After"), a.body)
		}
	}
	listening, err := http.DefaultClient.Do(s.request("GET", "/api/v1/events/changes", "", "Authorization", "Bearer "+gateway.Token(s.secret, contract.RoleAsk)))
	if err != nil {
		t.Fatal(err)
	}
	later(s.as(contract.RoleAsk, "GET", "/api/v1/events/changes", ""), http.StatusServiceUnavailable, "unavailable")
	listening.Body.Close()

	var last answer
	for range 50 { // far more than two a second on any machine
		if last = s.as(contract.RoleAsk, "GET", "/api/v1/asker", ""); last.code != http.StatusOK {
			break
		}
	}
	later(last, http.StatusTooManyRequests, "rate_limited")

	if a := s.as(contract.RoleAsk, "POST", "/api/v1/search", `{"query":"`+strings.Repeat("x", 4096)+`"}`); a.code != http.StatusRequestEntityTooLarge || a.failure(t).Error.Kind != "too_large" {
		t.Errorf("%d %s", a.code, a.body)
	}
}

func TestGatewayStops_ListenersEndCleanly(t *testing.T) {
	s := start(t, nil)
	resp, err := http.DefaultClient.Do(s.request("GET", "/api/v1/events/status", "", "Authorization", "Bearer "+gateway.Token(s.secret, contract.RoleAsk)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() { // until it ends
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the listener was cut off: %v", err)
	}
}
