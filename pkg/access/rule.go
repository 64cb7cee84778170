// Package access decides who sees which documents. A file has the rules; who is named
// in none of them sees nothing, and the owner everything. Without a file everybody
// sees everything.
//
// One decision stands behind whatever is told of documents: [Sight.Document], of a
// principal, over source, collection, path, the roles that the document names and the
// rules that stand in its source. A changed file holds from the next decision on.
package access

import (
	"errors"
	"fmt"
	"slices"

	"github.com/goccy/go-yaml"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/pathset"
)

// policy is what a file says. It does not change.
type policy struct {
	// Owners are users of the NATS server who see everything, beside admin and the
	// services.
	Owners []string `yaml:"owners"`
	// Members are the users of the NATS server in each group; keys name their groups
	// themselves.
	Members map[string][]string `yaml:"members"`
	Rules   []rule              `yaml:"rules"`
}

// rule lets groups see documents. What it does not say it does not narrow.
type rule struct {
	Sources     []document.Source     `yaml:"sources"`
	Paths       []string              `yaml:"paths"`
	Collections []document.Collection `yaml:"collections"`
	Groups      []string              `yaml:"groups"`

	paths *pathset.Set
}

// parse reads the text of a file. The error is InvalidRequest.
func parse(file string, text []byte) (*policy, error) {
	p := &policy{}
	if err := understand(file, text, p); err != nil {
		return nil, err
	}
	if err := check(file, p.Rules); err != nil {
		return nil, err
	}
	return p, nil
}

// understand makes of the text of a file what it says. The error is InvalidRequest.
func understand(file string, text []byte, into any) error {
	err := yaml.UnmarshalWithOptions(text, into, yaml.Strict())
	if err == nil {
		return nil
	}
	var e yaml.Error
	if errors.As(err, &e) && e.GetToken() != nil {
		return document.Errorf(document.InvalidRequest, "%s:%d: %s", file, e.GetToken().Position.Line, e.GetMessage())
	}
	return document.Errorf(document.InvalidRequest, "%s is not understood: %w", file, err)
}

// check looks at the rules of a file, and prepares them. The error is InvalidRequest.
func check(file string, rules []rule) (err error) {
	for i := range rules {
		r := &rules[i]
		at := fmt.Sprintf("%s: rules[%d]", file, i)
		if len(r.Groups) == 0 {
			return document.Errorf(document.InvalidRequest, "%s names no group: say who sees it, %s for everybody", at, contract.Everyone)
		}
		for name, empty := range map[string]bool{"sources": isEmpty(r.Sources), "paths": isEmpty(r.Paths), "collections": isEmpty(r.Collections)} {
			if empty { // as a template makes it that had nothing to name
				return document.Errorf(document.InvalidRequest, "%s names none of the %s: name some, or leave the line out where the rule is for all", at, name)
			}
		}
		for _, s := range r.Sources {
			if _, err := document.ParseSource(string(s)); err != nil {
				return document.Errorf(document.InvalidRequest, "%s: %w", at, err)
			}
		}
		if r.paths, err = pathset.Parse(r.Paths); err != nil {
			return document.Errorf(document.InvalidRequest, "%s: the path %w", at, err)
		}
	}
	return nil
}

// isEmpty reports whether a list is there and names nothing.
func isEmpty[T any](list []T) bool { return list != nil && len(list) == 0 }

// groupsOf are the groups that a principal is in, sorted, without the one of
// everybody.
func (p *policy) groupsOf(who contract.Principal) []string {
	out := slices.Clone(who.Groups)
	for group, users := range p.Members {
		if slices.ContainsFunc(users, func(u string) bool { return who.Name == contract.UserPrefix+u }) {
			out = append(out, group)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (p *policy) owns(who contract.Principal) bool {
	return who.Owner() || slices.ContainsFunc(p.Owners, func(u string) bool { return who.Name == contract.UserPrefix+u })
}
