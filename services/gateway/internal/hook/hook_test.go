package hook

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

const secret = "what both sides have"

var noon = time.Date(2026, 5, 17, 12, 0, 0, 0, time.UTC)

func at(t time.Time) func() time.Time { return func() time.Time { return t } }

// delivery is a request as a maker sends it.
type delivery struct {
	kind, file string
	headers    map[string]string // with the signature as SIGNATURE
	push       bool
}

// deliveries are pushes as the makers describe them.
var deliveries = []delivery{
	{"github", "github.json", map[string]string{"X-GitHub-Event": "push", "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958", "X-Hub-Signature-256": "sha256=HEX"}, true},
	{"github", "github.json", map[string]string{"X-GitHub-Event": "ping", "X-Hub-Signature-256": "sha256=HEX"}, false},
	{"gitlab", "gitlab.json", map[string]string{"X-Gitlab-Event": "Push Hook", "X-Gitlab-Event-UUID": "13792a34-cac6-4fda-95a8-c58e00a3954e", "X-Gitlab-Token": secret}, true},
	{"gitlab", "gitlab.json", map[string]string{"X-Gitlab-Event": "Push Hook", "Webhook-Id": "f5e5f430-f57b-4e6e-9fac-d9128cd7232f", "Webhook-Timestamp": "TIME", "Webhook-Signature": "v1,STANDARD"}, true},
	{"gitlab", "gitlab.json", map[string]string{"X-Gitlab-Event": "Pipeline Hook", "X-Gitlab-Token": secret}, false},
	{"gitea", "gitea.json", map[string]string{"X-Gitea-Event": "push", "X-Gitea-Delivery": "f6266f16-1bf3-46a5-9ea4-602e06ead473", "X-Gitea-Signature": "HEX"}, true},
	{"gitea", "gitea.json", map[string]string{"X-Forgejo-Event": "push", "X-Forgejo-Signature": "HEX", "X-Gitea-Event": "push", "X-Gitea-Signature": "HEX"}, true},
	{"bitbucket", "bitbucket.json", map[string]string{"X-Event-Key": "repo:push", "X-Request-UUID": "5c2a6a4f-8c93-4c8b-9c2f-0a2f9a8b7c6d", "X-Hub-Signature": "sha256=HEX"}, true},
	{"bitbucket", "datacenter.json", map[string]string{"X-Event-Key": "repo:refs_changed", "X-Request-Id": "a1b2", "X-Hub-Signature": "sha256=HEX"}, true},
	{"bitbucket", "datacenter.json", map[string]string{"X-Event-Key": "diagnostics:ping", "X-Hub-Signature": "sha256=HEX"}, false},
	{"generic", "gitea.json", map[string]string{"Webhook-Id": "msg_1", "Webhook-Timestamp": "TIME", "Webhook-Signature": "v1,bm9uZQ== v1,STANDARD"}, true},
}

// request signs a body as the maker does, at a time.
func (d delivery) request(t *testing.T, body []byte, signed time.Time) *http.Request {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/hooks/x", bytes.NewReader(body))
	stamp := fmt.Sprint(signed.Unix())
	for name, value := range d.headers {
		value = strings.NewReplacer("HEX", hex.EncodeToString(sum(body)), "TIME", stamp,
			"STANDARD", base64.StdEncoding.EncodeToString(sum([]byte(d.headers["Webhook-Id"]+"."+stamp+"."+string(body))))).Replace(value)
		r.Header.Set(name, value)
	}
	return r
}

func sum(text []byte) []byte {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(text)
	return mac.Sum(nil)
}

func (d delivery) body(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/" + d.file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestDelivery_IsTakenForWhatItIs(t *testing.T) {
	for _, d := range deliveries {
		e, err := New(d.kind, secret, at(noon)).Read(d.request(t, d.body(t), noon))
		if err != nil || e.Push != d.push || e.Name == "" {
			t.Errorf("%s %v: %+v, %v", d.kind, d.headers, e, err)
		}
	}
}

// The example of GitHub's own documentation.
func TestSignatureOfGitHubsExample_IsTaken(t *testing.T) {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader("Hello, World!"))
	r.Header.Set("X-GitHub-Event", "push")
	r.Header.Set("X-Hub-Signature-256", "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17")
	if _, err := New("github", "It's a Secret to Everybody", at(noon)).Read(r); err != nil {
		t.Error(err)
	}
}

// A secret in the form of Standard Webhooks is the bytes that it stands for.
func TestSecretInTheFormOfTheStandard_IsItsBytes(t *testing.T) {
	d := deliveries[len(deliveries)-1]
	prefixed := "whsec_" + base64.StdEncoding.EncodeToString([]byte(secret))
	if _, err := New(d.kind, prefixed, at(noon)).Read(d.request(t, d.body(t), noon)); err != nil {
		t.Error(err)
	}
}

func TestForgedDelivery_IsRefused(t *testing.T) {
	for _, d := range deliveries {
		body := d.body(t)
		refused := func(what string, r *http.Request) {
			t.Helper()
			if e, err := New(d.kind, secret, at(noon)).Read(r); document.KindOf(err) != document.Unauthorized {
				t.Errorf("%s, %v, %s: %+v, %v", d.kind, d.headers, what, e, err)
			}
		}
		if d.headers["X-Gitlab-Token"] == "" { // which signs nothing
			r := d.request(t, body, noon)
			r.Body = http.NoBody
			refused("another body", r)
		}
		for name := range d.headers {
			if !strings.Contains(name, "Signature") && !strings.Contains(name, "Token") || strings.Contains(name, "Forgejo") {
				continue
			}
			for _, value := range []string{"", "sha256=", "v1,", "x", "sha256=" + strings.Repeat("00", 32), strings.Repeat("00", 32), "v1," + base64.StdEncoding.EncodeToString(make([]byte, 32))} {
				r := d.request(t, body, noon)
				r.Header.Set(name, value)
				if name == "Webhook-Signature" && value == "" && d.kind == "gitlab" {
					r.Header.Del(name) // falls back to the token, which is not there
				}
				refused(name+": "+value, r)
			}
		}
		if d.headers["Webhook-Timestamp"] == "" {
			continue
		}
		for _, off := range []time.Duration{-6 * time.Minute, 6 * time.Minute} {
			refused("signed "+off.String()+" from now", d.request(t, body, noon.Add(off)))
		}
		r := d.request(t, body, noon.Add(-6*time.Minute))
		r.Header.Set("Webhook-Timestamp", fmt.Sprint(noon.Unix()))
		refused("with another time", r)
		r = d.request(t, body, noon)
		r.Header.Set("Webhook-Id", "another")
		refused("with another id", r)
	}
}

func TestDeliveryThatComesAgain_IsAnsweredOnce(t *testing.T) {
	for _, d := range deliveries {
		now := noon
		h := New(d.kind, secret, func() time.Time { return now })
		take := func() (func(), error) {
			e, err := h.Read(d.request(t, d.body(t), now))
			if err != nil {
				t.Fatal(err)
			}
			return h.Once(e)
		}
		back, err := take()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := take(); document.KindOf(err) != document.Conflict {
			t.Errorf("%s: again: %v", d.kind, err)
		}
		back()
		if _, err := take(); err != nil {
			t.Errorf("%s: what was not answered is refused: %v", d.kind, err)
		}
		now = now.Add(seenFor)
		if _, err := take(); err != nil {
			t.Errorf("%s: a day later: %v", d.kind, err)
		}
	}
}

func TestMemoryOfDeliveries_IsBounded(t *testing.T) {
	now := noon
	h := New("github", secret, func() time.Time { return now })
	var last Event
	for i := range 2*seenMost + 1 {
		now = now.Add(time.Second)
		last = Event{id: sha256.Sum256(fmt.Append(nil, i))}
		if _, err := h.Once(last); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(h.seen.at); n > seenMost {
		t.Errorf("%d are remembered", n)
	}
	if _, err := h.Once(last); document.KindOf(err) != document.Conflict {
		t.Errorf("the last one is forgotten: %v", err)
	}
}
