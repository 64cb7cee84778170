package rpc

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// A server says beside the answers, on the connection, that a login may not
// send on a subject, so that the request would only time out. What a role may
// ask is known here.

// refusedHere is the error of a request that the role of this login does not
// have; nil for a login that is no role.
func refusedHere(nc *nats.Conn, subject string) error {
	role := contract.Role(userOf(nc))
	i := slices.IndexFunc(contract.Endpoints, func(e contract.Access) bool { return e.Subject == subject })
	if i < 0 || !slices.Contains(contract.Roles, role) || role.Includes(contract.Endpoints[i].Role) {
		return nil
	}
	needs := contract.Endpoints[i].Role
	return document.Errorf(document.Forbidden, "the role %s may not ask on %s: use a login of the role %s", role, subject, needs).
		With(document.Action{Do: document.DoLoginShow, Value: string(needs)})
}

// refusedThere is the error of a request that the server has said last to be
// without permission.
func refusedThere(nc *nats.Conn, subject string) error {
	err := nc.LastError()
	if !errors.Is(err, nats.ErrPermissionViolation) || !strings.Contains(err.Error(), `"`+subject+`"`) {
		return nil
	}
	return document.Errorf(document.Forbidden, "the user of this connection may not ask on %s: give it that permission on the NATS server: %w", subject, err)
}

// userOf is the user of a connection, "" without one.
func userOf(nc *nats.Conn) string {
	if nc.Opts.User != "" {
		return nc.Opts.User
	}
	u, err := url.Parse(nc.ConnectedUrl())
	if err != nil {
		return ""
	}
	return u.User.Username()
}
