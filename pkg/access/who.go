package access

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Who tells of the groups that have to do with a document whether they see it: those that
// rules of the file name, the roles of the document and those that rules in its source
// name. A group is told with the rules of the file that let it see the document, those for
// everybody included where it has none of its own; without any it sees nothing and is left
// out. Owners, who are in no list, see everything, and a member of several groups what one
// of them, or all of them together, let see.
func (r *Rules) Who(h *contract.FileHead) []contract.GroupSight {
	if r == nil || h.Path == document.AccessFile {
		return nil
	}
	r.mu.Lock()
	p := r.now()
	r.mu.Unlock()
	everybody := p.showing(h, contract.Everyone)
	var out []contract.GroupSight
	for _, group := range r.about(p, h) {
		one := contract.GroupSight{View: h.View, Group: group, Rules: p.showing(h, group)}
		own := len(one.Rules) > 0
		if !own {
			one.Rules = everybody
		}
		if len(one.Rules) == 0 {
			continue
		}
		s := newSight(p.Rules, slices.Compact([]string{contract.Everyone, group}), r.in)
		switch one.Sees = s.Document(h); {
		case one.Sees:
		case !s.names(h.Source, h.Collection, h.Path, h.Metadata):
			one.Hidden = contract.HiddenByRoles
		default:
			one.Hidden = contract.HiddenBySource
		}
		if own || one.Sees { // what hides it from everybody hides it from who is nothing else
			out = append(out, one)
		}
	}
	if i := slices.IndexFunc(out, func(g contract.GroupSight) bool { return g.Group == contract.Everyone && g.Sees }); i >= 0 {
		return out[i : i+1]
	}
	return out
}

// about are the groups that something names which decides on a document, sorted.
func (r *Rules) about(p *policy, h *contract.FileHead) []string {
	all := slices.Clone(h.Metadata.Metadata()[document.MetadataRoles])
	for i := range p.Rules {
		all = append(all, p.Rules[i].Groups...)
	}
	texts := h.Access.Texts()
	if r.in != nil {
		texts = append(texts, r.in(h.Source, h.View).Texts()...)
	}
	for _, text := range texts {
		rules, err := parseSource(text)
		for i := range rules {
			if err == nil {
				all = append(all, rules[i].Groups...)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// showing are the places of the rules that name a group and let it see a document.
func (p *policy) showing(h *contract.FileHead, group string) (places []int) {
	for i := range p.Rules {
		if r := &p.Rules[i]; slices.Contains(r.Groups, group) && r.shows(h) {
			places = append(places, i)
		}
	}
	return places
}

// shows reports whether a rule lets a document be seen, by whomever it is for.
func (r *rule) shows(h *contract.FileHead) bool {
	return (len(r.Sources) == 0 || slices.Contains(r.Sources, h.Source)) &&
		(len(r.Collections) == 0 || slices.Contains(r.Collections, h.Collection)) && (r.paths.Any() || r.paths.Match(h.Path))
}
