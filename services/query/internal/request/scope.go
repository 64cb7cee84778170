package request

import (
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/pathset"
	"github.com/freshet-dev/freshet/services/query/internal/reading"
)

// Latest is the token that stands for the log's last sequence at arrival.
const Latest = "latest"

// Scope is which documents an answer is about, how fresh it must be, and until
// when it must be there.
type Scope struct {
	Collections []document.Collection
	Sources     []document.Source
	Views       []document.View
	Languages   []string
	Kinds       []string
	Paths       *pathset.Set // never nil
	Metadata    document.Metadata
	Left        Left
	Token       document.Token // zero: none, or the latest
	Latest      bool
	Commit      string // lower case; empty for none
	Deadline    time.Duration
}

// Wants is what a request says of its scope.
type Wants struct {
	Collections []document.Collection
	Filter      contract.Filter
	Token       string
	Commit      string
	DeadlineMS  int
}

// ParseScope checks what a request says of its scope. Every error is an
// InvalidRequest that names what is wrong and what would be right.
func ParseScope(in Wants, limits Limits) (*Scope, error) {
	s := &Scope{}
	return s, s.parse(in, &reading.Reading{}, limits)
}

// WantsToken reports whether the answer must have a certain freshness.
func (s *Scope) WantsToken() bool { return s.Latest || !s.Token.IsZero() || s.Commit != "" }

func (s *Scope) parse(in Wants, read *reading.Reading, limits Limits) error {
	s.Views = in.Filter.Views
	for _, step := range []func() error{
		func() error { return s.deadline(in.DeadlineMS, limits) },
		func() error { return s.token(in.Token) },
		func() error { return s.commit(in.Commit) },
		func() error { return s.collections(in.Collections, limits.Collections) },
		func() error { return s.filter(in.Filter, read.Filters) },
		func() error { return s.leave(read.Left) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Scope) deadline(ms int, limits Limits) error {
	s.Deadline = limits.Deadline
	if ms < 0 || int64(ms) > limits.MaxDeadline.Milliseconds() {
		return document.Errorf(document.InvalidRequest, "deadline_ms is %d: choose 1 to %d", ms, limits.MaxDeadline.Milliseconds())
	}
	if ms > 0 {
		s.Deadline = time.Duration(ms) * time.Millisecond
	}
	return nil
}

func (s *Scope) token(text string) error {
	switch text {
	case "":
		return nil
	case Latest:
		s.Latest = true
		return nil
	}
	t, err := document.ParseToken(text)
	if err != nil {
		return err
	}
	s.Token = t
	return nil
}

// The length of a commit's id: git shows no fewer than four digits, and SHA-256
// has 64.
const minCommit, maxCommit = 4, 64

func (s *Scope) commit(text string) error {
	s.Commit = strings.ToLower(text)
	if text == "" {
		return nil
	}
	if len(text) < minCommit || len(text) > maxCommit || strings.Trim(s.Commit, "0123456789abcdef") != "" {
		return document.Errorf(document.InvalidRequest, "the commit %q is no id: give %d to %d hexadecimal digits, as `git rev-parse` prints them", text, minCommit, maxCommit)
	}
	return nil
}

func (s *Scope) collections(asked, served []document.Collection) error {
	if len(asked) == 0 {
		s.Collections = served
		return nil
	}
	for _, c := range asked {
		if !slices.Contains(served, c) {
			return document.Errorf(document.InvalidRequest, "collection %q is not served: choose from %s", c, join(served))
		}
	}
	s.Collections = asked
	return nil
}

func (s *Scope) filter(f contract.Filter, typed []reading.Filter) error {
	languages, kinds, paths, sources := inline(typed)
	metadata, err := described(typed)
	if err != nil {
		return err
	}
	f.Metadata = joined(f.Metadata, metadata)
	f.Sources, f.Paths = slices.Concat(f.Sources, sources), slices.Concat(f.Paths, paths)
	f.Languages, f.Kinds = slices.Concat(f.Languages, languages), slices.Concat(f.Kinds, kinds)
	if err := contract.CheckLimits(struct {
		Filter contract.Filter `json:"filter"`
	}{f}); err != nil {
		return err // with those in the query there are too many
	}
	for _, name := range f.Sources {
		if _, err := document.ParseSource(string(name)); err != nil {
			return err
		}
		s.Sources = append(s.Sources, name)
	}
	for _, l := range f.Languages {
		if strings.TrimSpace(l) == "" {
			return document.Errorf(document.InvalidRequest, "a language of the filter is empty: leave it out")
		}
		if err := s.addLanguage(l); err != nil {
			return err
		}
	}
	for _, k := range f.Kinds {
		if strings.TrimSpace(k) == "" {
			return document.Errorf(document.InvalidRequest, "a kind of the filter is empty: leave it out")
		}
		kind, err := kindOf(k)
		if err != nil {
			return err
		}
		s.Kinds = append(s.Kinds, kind)
	}
	if slices.Contains(f.Views, "") {
		return document.Errorf(document.InvalidRequest, "a view of the filter is empty: leave it out")
	}
	if s.Metadata = f.Metadata; len(s.Metadata) > 0 {
		if err := s.Metadata.Check(); err != nil {
			return document.Errorf(document.InvalidRequest, "the filter: %w", err)
		}
	}
	s.Paths, err = ParsePaths(f.Paths)
	return err
}

// kindOf returns the kind that a word names.
func kindOf(word string) (string, error) {
	kind := strings.ToLower(word)
	if !slices.Contains(document.Kinds, kind) {
		return "", unknown("kind", kind, document.Kinds, "choose from "+strings.Join(document.Kinds, ", "))
	}
	return kind, nil
}

// ParsePaths checks the paths of a filter. An error is an InvalidRequest.
func ParsePaths(entries []string) (*pathset.Set, error) {
	p, err := pathset.Parse(entries)
	if err != nil {
		return nil, document.Errorf(document.InvalidRequest, "the filter's path %w", err)
	}
	return p, nil
}

func join[T ~string](list []T) string {
	names := make([]string, len(list))
	for i, name := range list {
		names[i] = string(name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
