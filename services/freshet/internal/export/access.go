package export

import (
	"cmp"
	"context"
	"slices"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// access is who may ask what, and who sees what.
type access struct {
	contract.AccessList
	principals []principal
}

// principal is a user of the NATS server that the rules name, or a key.
type principal struct {
	Name   string        `json:"name"` // "user:ask", "key:laptop"
	Role   contract.Role `json:"role,omitempty"`
	Owner  bool          `json:"owner,omitempty"` // sees everything
	Groups []string      `json:"groups,omitempty"`
}

// askAccess returns nil where who asks is not told.
func askAccess(ctx context.Context, nc *nats.Conn) (*access, error) {
	rules, err := client.ListAccess.Ask(ctx, nc, client.None)
	if document.KindOf(err) == document.Forbidden {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	keys, err := client.ListKeys.Ask(ctx, nc, client.None)
	if document.KindOf(err) == document.Forbidden {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a := &access{AccessList: rules}
	users := map[string]*principal{}
	user := func(name string) *principal {
		if users[name] == nil {
			who := contract.OfUser(name)
			users[name] = &principal{Name: who.Name, Role: who.Role, Owner: who.Owner()}
		}
		return users[name]
	}
	for _, r := range contract.Roles { // those of the server within freshet
		user(string(r))
	}
	for _, name := range rules.Owners {
		user(name).Owner = true
	}
	for _, m := range rules.Members {
		p := user(m.User)
		p.Groups = append(p.Groups, m.Group)
	}
	for _, p := range users {
		a.principals = append(a.principals, *p)
	}
	for _, k := range keys.Keys {
		if !k.Expired {
			a.principals = append(a.principals, principal{contract.KeyPrefix + k.Name, k.Role, k.Role == contract.RoleAdmin, k.Groups})
		}
	}
	slices.SortFunc(a.principals, func(x, y principal) int { return cmp.Compare(x.Name, y.Name) })
	return a, nil
}

// groups are all that somebody is in, or a rule names, sorted.
func (a *access) groups() (out []string) {
	for _, p := range a.principals {
		out = append(out, p.Groups...)
	}
	for _, r := range a.Rules {
		out = append(out, r.Groups...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}
