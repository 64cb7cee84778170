package embedded

import (
	"github.com/nats-io/nats-server/v2/server"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// usersOf are those of a server with a secret. Of the subjects, each role has
// what contract.Endpoints gives it, and its own inbox; hushed, admin alone hears the feeds.
func usersOf(s bus.Secret, hushed bool) []*server.User {
	out := []*server.User{{Username: bus.UserServices, Password: s.Password(bus.UserServices)}}
	for _, role := range contract.Roles {
		hears := role.Hears()
		if hushed && role != contract.RoleAdmin {
			hears = nil
		}
		inbox := contract.InboxOf(string(role)) + ".>"
		out = append(out, &server.User{
			Username: string(role), Password: s.Password(string(role)),
			Permissions: &server.Permissions{
				Publish:   &server.SubjectPermission{Allow: append(role.Asks(), contract.CancelSubject("*"))},
				Subscribe: &server.SubjectPermission{Allow: append(hears, inbox)},
			},
		})
	}
	return out
}
