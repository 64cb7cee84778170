package access

import (
	"cmp"
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Tell adds to what is told of who may what the rules as they are now.
func (r *Rules) Tell(list *contract.AccessList) {
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.now()
	list.Restricted, list.Owners = true, p.Owners
	for group, users := range p.Members {
		for _, u := range users {
			list.Members = append(list.Members, contract.GroupMember{Group: group, User: u})
		}
	}
	slices.SortFunc(list.Members, func(a, b contract.GroupMember) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.User, b.User))
	})
	for i := range p.Rules {
		one := &p.Rules[i]
		list.Rules = append(list.Rules, contract.AccessRule{Groups: one.Groups, Sources: one.Sources, Paths: one.Paths, Collections: one.Collections})
	}
}
