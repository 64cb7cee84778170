// Package hook knows what the makers of git servers send when something was pushed,
// and whether it is they who sent it.
package hook

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Most is how many bytes a body may have: what GitHub sends at most. It is never kept.
const Most = 25 << 20

// signedWithin is how far the time in a signature may be from ours.
const signedWithin = 5 * time.Minute

// Hook is one that a maker sends. It is safe for concurrent use.
type Hook struct {
	kind   string
	secret []byte
	now    func() time.Time
	seen   seen
}

// New makes a hook of a kind that the configuration knows. now is the clock.
func New(kind, secret string, now func() time.Time) *Hook {
	return &Hook{kind: kind, secret: []byte(secret), now: now}
}

// Event is what was sent.
type Event struct {
	// Name is the maker's own.
	Name string
	// Push says that commits may have come.
	Push bool
	id   [sha256.Size]byte
}

// Read reads a request to its end and says what it is. The error is Unauthorized where
// the secret's owner did not send it, TooLarge, or InvalidRequest where it does not
// come to its end.
func (h *Hook) Read(r *http.Request) (Event, error) {
	p := proofOf(h.kind, r.Header)
	if p.missing != "" {
		return Event{}, document.Errorf(document.Unauthorized, "the header %s is missing: give the webhook a secret where it is sent", p.missing)
	}
	if err := h.timely(p.time); err != nil {
		return Event{}, err
	}
	mac, sum := h.mac(p), sha256.New()
	_, _ = mac.Write([]byte(p.prefix)) // a hash takes everything
	_, err := io.Copy(io.MultiWriter(mac, sum), r.Body)
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return Event{}, document.Errorf(document.TooLarge, "the webhook has more than %d bytes", tooLarge.Limit)
	case err != nil:
		return Event{}, document.Errorf(document.InvalidRequest, "the webhook did not come to its end: %w", err)
	}
	if !p.holds(mac.Sum(nil), h.secret) {
		return Event{}, document.Errorf(document.Unauthorized, "the header %s is not what the secret of this webhook makes of the body: use the same secret on both sides", p.header)
	}
	e := Event{Name: p.event, Push: p.push}
	_, _ = sum.Write([]byte("\x00" + p.prefix)) // so that what is signed again is another
	sum.Sum(e.id[:0])
	return e, nil
}

// timely refuses what was signed too long ago, or is from the future.
func (h *Hook) timely(signed string) error {
	if signed == "" {
		return nil
	}
	seconds, err := strconv.ParseInt(signed, 10, 64)
	if err != nil {
		return document.Errorf(document.Unauthorized, "the header %s is no time in seconds", timeHeader)
	}
	if d := h.now().Sub(time.Unix(seconds, 0)).Abs(); d > signedWithin {
		return document.Errorf(document.Unauthorized, "the webhook was signed %s away from now, and %s are allowed: is a clock wrong, or is it sent again?", d.Truncate(time.Second), signedWithin)
	}
	return nil
}

// mac is what signs a body.
func (h *Hook) mac(p proof) hash.Hash {
	key := h.secret
	if p.encoding == standard {
		if raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(string(key), "whsec_")); err == nil && strings.HasPrefix(string(key), "whsec_") {
			key = raw
		}
	}
	return hmac.New(sha256.New, key)
}

// Headers of the specification Standard Webhooks, by which a signature covers a time.
const (
	signatureHeader = "Webhook-Signature"
	idHeader        = "Webhook-Id"
	timeHeader      = "Webhook-Timestamp"
)

// Encodings of a signature.
type encoding int

const (
	hexadecimal encoding = iota
	standard             // some of v1,BASE64, with spaces between them
	plain                // the secret itself
)

// proof is what the headers say of who sent a request, and of what it is.
type proof struct {
	header, value string
	encoding      encoding
	prefix        string // is signed before the body
	time          string // in seconds, "" where none is signed
	event         string
	push          bool
	missing       string // a header
}

func (p proof) holds(sum, secret []byte) bool {
	switch p.encoding {
	case plain:
		return subtle.ConstantTimeCompare([]byte(p.value), secret) == 1
	case standard:
		for _, one := range strings.Fields(p.value) {
			given, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(one, "v1,"))
			if err == nil && strings.HasPrefix(one, "v1,") && hmac.Equal(given, sum) {
				return true
			}
		}
		return false
	}
	given, err := hex.DecodeString(p.value)
	return err == nil && hmac.Equal(given, sum)
}

// proofOf reads the headers of a maker.
func proofOf(kind string, h http.Header) proof {
	var p proof
	event := ""
	switch kind {
	case "github":
		p.header, event = "X-Hub-Signature-256", "X-GitHub-Event"
	case "gitea": // and Forgejo, which sends Gitea's headers besides its own
		p.header, event = "X-Gitea-Signature", "X-Gitea-Event"
	case "bitbucket":
		p.header, event = "X-Hub-Signature", "X-Event-Key"
	case "gitlab":
		p.header, p.encoding, event = "X-Gitlab-Token", plain, "X-Gitlab-Event"
		if h.Get(signatureHeader) != "" { // of a webhook with a signing token
			p.standard(h)
		}
	default:
		p.standard(h)
	}
	p.value = h.Get(p.header)
	if p.encoding == hexadecimal && kind != "gitea" {
		rest, ok := strings.CutPrefix(p.value, "sha256=")
		if !ok {
			rest = ""
		}
		p.value = rest
	}
	if p.value == "" && p.missing == "" {
		p.missing = p.header
	}
	p.event, p.push = "push", true
	if event != "" {
		p.event = document.Shorten(h.Get(event))
		p.push = pushes[strings.ToLower(p.event)]
	}
	return p
}

func (p *proof) standard(h http.Header) {
	p.header, p.encoding = signatureHeader, standard
	for _, name := range []string{signatureHeader, idHeader, timeHeader} {
		if h.Get(name) == "" && p.missing == "" {
			p.missing = name
		}
	}
	p.time = h.Get(timeHeader)
	p.prefix = h.Get(idHeader) + "." + p.time + "."
}

// pushes are the events after which there may be other commits.
var pushes = map[string]bool{
	"push": true, "create": true, "delete": true, // GitHub, Gitea: branches and tags that come and go
	"push hook": true, "tag push hook": true, "system hook": true, // GitLab
	"repo:push": true, "repo:refs_changed": true, // Bitbucket Cloud and Data Center
	"mirror:repo_synchronized": true,
}
