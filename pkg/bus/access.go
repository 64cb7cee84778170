package bus

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"regexp"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Secret is what the passwords of an embedded server's users are made of: who
// has it is the owner, and who has the password of one role has no other.
type Secret string

// UserServices is the user of the services themselves: it writes and reads the
// log, and answers.
const UserServices = "services"

// secretLeast is how many characters a secret has at least.
const secretLeast = 16

// NewSecret returns a secret that nobody can guess.
func NewSecret() Secret { return Secret(rand.Text() + rand.Text()) }

// ReadSecret reads a secret from a file.
func ReadSecret(file string) (Secret, error) {
	text, err := os.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", document.Errorf(document.NotFound, "there is no secret in %s: start freshet, which makes it, or name its file in nats.secret_file", file)
	case errors.Is(err, fs.ErrPermission):
		return "", document.Errorf(document.Forbidden, "no permission to read the secret in %s: ask as the user who started freshet, or with a login", file).Do(document.DoConnectionShow)
	case err != nil:
		return "", document.Errorf(document.Unavailable, "the secret in %s cannot be read: %w", file, err)
	}
	s := Secret(strings.TrimSpace(string(text)))
	if len(s) < secretLeast {
		return "", document.Errorf(document.InvalidRequest, "the secret in %s has %d characters: use at least %d, such as `openssl rand -hex 32` writes", file, len(s), secretLeast)
	}
	return s, nil
}

// Reveal returns the secret itself.
func (s Secret) Reveal() string { return string(s) }

// String hides the secret.
func (s Secret) String() string { return "(secret)" }

// Password is that of a user: a role, or UserServices.
func (s Secret) Password(user string) string {
	mac := hmac.New(sha256.New, []byte(s))
	mac.Write([]byte("freshet " + user))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Login returns r with the login of a user of the secret's server.
func (s Secret) Login(r Remote, user string) Remote {
	r.User, r.Password = user, s.Password(user)
	return r
}

// plainUser is a user name that can be a token of a subject.
var plainUser = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// userInURL finds the user in the first URL of a list.
var userInURL = regexp.MustCompile(`^[^,/]*://([^:@/,]+):[^@/,]*@`)

// WithLogin is the URL with user and password in it.
func (r Remote) WithLogin() string {
	if r.User == "" {
		return r.URL
	}
	login := url.UserPassword(r.User, r.Password).String() + "@"
	servers := strings.Split(r.URL, ",")
	for i, s := range servers {
		servers[i] = strings.Replace(s, "://", "://"+login, 1)
	}
	return strings.Join(servers, ",")
}

// Inbox is the prefix of this user's inboxes.
func (r Remote) Inbox() string {
	if own := r.inbox(); own != "" {
		return own
	}
	return strings.TrimSuffix(nats.InboxPrefix, ".")
}

// inbox is the prefix of this user's inboxes, "" for the client's default.
func (r Remote) inbox() string {
	user := r.User
	if user == "" {
		if m := userInURL.FindStringSubmatch(r.URL); m != nil {
			user = m[1]
		}
	}
	if !plainUser.MatchString(user) {
		return ""
	}
	return contract.InboxOf(user)
}

// HasLogin reports whether r says who it is.
func (r Remote) HasLogin() bool {
	return r.User != "" || r.Credentials != "" || userOfURL.MatchString(r.URL)
}
