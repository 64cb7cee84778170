package contract

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// PrincipalHeader says for whom the gateway asks: a Principal as JSON. It counts in
// requests of the gateway's user alone.
const PrincipalHeader = "Freshet-Principal"

// Everyone is the group of everybody who is let in.
const Everyone = "everyone"

// Principal is who asks.
type Principal struct {
	// Name is that of a user of the NATS server ("user:ask"), of a key
	// ("key:laptop"), or of whom an OpenID Connect issuer knows ("oidc:1f3a");
	// "" where nobody says who asks.
	Name string `json:"name"`
	Role Role   `json:"role,omitempty"` // what it may ask; "" where the server alone decides
	// Groups are those that a key was made for, or an issuer names. What is in them is
	// seen.
	Groups []string `json:"groups,omitempty"`
}

// These begin the names of principals.
const (
	UserPrefix   = "user:"
	KeyPrefix    = "key:"
	IssuedPrefix = "oidc:"
)

// Owner reports whether the principal sees everything whatever the rules.
func (p Principal) Owner() bool { return p.Role == RoleAdmin }

// UserOf is the user of the NATS server who is answered on a subject. Of a connection
// without a user it is a random word, that is in no group.
func UserOf(reply string) string {
	rest, ok := strings.CutPrefix(reply, InboxOf(""))
	user, _, more := strings.Cut(rest, ".")
	if !ok || !more {
		return ""
	}
	return user
}

// serviceUser is that of the services of an embedded server; bus names it, too.
const serviceUser = "services"

// gateways are the users that say for whom they ask. Their inboxes are theirs alone:
// whoever says so in their place is not answered.
var gateways = []string{serviceUser, "gateway"}

// AskedBy says who sent a request that is to be answered on reply, and that names
// somebody in PrincipalHeader, or "". The error is Forbidden where who sent it may not
// ask for others.
func AskedBy(reply, named string) (Principal, error) {
	user := UserOf(reply)
	if named != "" {
		if !slices.Contains(gateways, user) {
			return Principal{}, document.Errorf(document.Forbidden, "the header %s is the gateway's: leave it out, who asks is known by the login", PrincipalHeader)
		}
		var p Principal
		if err := json.Unmarshal([]byte(named), &p); err != nil {
			return Principal{}, document.Errorf(document.InvalidRequest, "the header %s is no principal: %w", PrincipalHeader, err)
		}
		return p, nil
	}
	return OfUser(user), nil
}

// OfUser is the principal of a user of the NATS server.
func OfUser(user string) Principal {
	if user == "" {
		return Principal{}
	}
	p := Principal{Name: UserPrefix + user}
	service := slices.ContainsFunc(ServiceRights, func(r Rights) bool { return r.Service == user })
	switch {
	case user == serviceUser || service:
		p.Role = RoleAdmin
	case slices.Contains(Roles, Role(user)):
		p.Role = Role(user)
	}
	return p
}
