package access

import (
	"errors"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// inSource is what the file of rules in a source says. Whatever it shows, it shows to
// those whom the operator's rules let see it.
type inSource struct {
	Rules []sourceRule `yaml:"rules"`
}

// sourceRule lets groups see documents of its source.
type sourceRule struct {
	Paths       []string              `yaml:"paths"`
	Collections []document.Collection `yaml:"collections"`
	Groups      []string              `yaml:"groups"`
}

// parseSource reads the text of the file of rules in a source. The error is
// InvalidRequest.
func parseSource(text string) ([]rule, error) {
	file := string(document.AccessFile)
	var p inSource
	if err := understand(file, []byte(text), &p); err != nil {
		return nil, err
	}
	rules := make([]rule, len(p.Rules))
	for i, r := range p.Rules {
		rules[i] = rule{Paths: r.Paths, Collections: r.Collections, Groups: r.Groups}
	}
	return rules, check(file, rules)
}

// CheckSource says why the rules that stand in a source cannot be used, so that owners
// alone see its documents. The error is InvalidRequest.
func CheckSource(rules contract.SourceRules) error {
	if rules == contract.ClosedRules {
		return document.Errorf(document.InvalidRequest, "%s cannot be used: it has to be a text of rules, of at most %d bytes", document.AccessFile, contract.MaxSourceRules)
	}
	var all []error
	for _, text := range rules.Texts() {
		_, err := parseSource(text)
		all = append(all, err)
	}
	return errors.Join(all...)
}

// now are the rules that stand in a view of a source now.
func (s *Sight) now(source document.Source, view document.View) contract.SourceRules {
	if s.in == nil {
		return contract.SourceRules{}
	}
	return s.in(source, view)
}

// mostNarrowed bounds the rules of sources that are kept as they were made out.
const mostNarrowed = 1 << 10

// within reports whether rules that stand in a source let a document of it be seen.
func (s *Sight) within(rules contract.SourceRules, collection document.Collection, path document.Path) bool {
	if rules.None() || sourceSabotaged {
		return true
	}
	s.mu.RLock()
	each, known := s.narrowed[rules]
	s.mu.RUnlock()
	if !known {
		each = s.madeOut(rules)
		s.mu.Lock()
		if len(s.narrowed) >= mostNarrowed {
			clear(s.narrowed)
		}
		s.narrowed[rules] = each
		s.mu.Unlock()
	}
	for _, n := range each {
		if !n.has(collection, true, path) {
			return false
		}
	}
	return true
}

// madeOut is what each text shows the principal: nothing where it cannot be used.
func (s *Sight) madeOut(of contract.SourceRules) (each []*shown) {
	for _, text := range of.Texts() {
		n := &shown{}
		rules, err := parseSource(text)
		for i := range rules {
			if err == nil && rules[i].isFor(s.list) {
				n.add(&rules[i])
			}
		}
		each = append(each, n)
	}
	return each
}
