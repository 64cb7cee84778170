package access

import (
	"slices"
	"strings"
	"sync"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/pathset"
)

// Sight is what a principal sees. nil sees everything. It is safe for concurrent use,
// and holds for one question: the next one asks anew.
type Sight struct {
	list   []string                   // the groups of the principal
	groups document.Metadata          // these, as documents name them
	named  map[document.Source]*shown // what rules say that name the source
	any    *shown                     // what those say that name none
	in     func(document.Source, document.View) contract.SourceRules

	mu       sync.RWMutex
	decided  map[place]bool
	narrowed map[contract.SourceRules][]*shown // by each text of rules in a source
}

// shown is what rules let a group see of a source.
type shown struct {
	whole   bool
	folders map[string]bool // and single files, whatever the collection
	rest    []rule
}

type place struct {
	source     document.Source
	collection document.Collection
	path       document.Path
}

// mostDecided bounds the decisions that are remembered.
const mostDecided = 1 << 16

// newSight takes the rules for groups.
func newSight(rules []rule, groups []string, in func(document.Source, document.View) contract.SourceRules) *Sight {
	s := &Sight{
		list: groups, groups: document.Metadata{document.MetadataRoles: groups}, named: map[document.Source]*shown{}, any: &shown{}, in: in,
		decided: map[place]bool{}, narrowed: map[contract.SourceRules][]*shown{},
	}
	for i := range rules {
		r := &rules[i]
		if !r.isFor(groups) {
			continue
		}
		if len(r.Sources) == 0 {
			s.any.add(r)
		}
		for _, source := range r.Sources {
			if s.named[source] == nil {
				s.named[source] = &shown{}
			}
			s.named[source].add(r)
		}
	}
	return s
}

func (r *rule) isFor(groups []string) bool {
	return slices.ContainsFunc(r.Groups, func(g string) bool { return slices.Contains(groups, g) })
}

func (n *shown) add(r *rule) {
	switch {
	case len(r.Collections) > 0:
		n.rest = append(n.rest, *r)
		return
	case r.paths.Any():
		n.whole = true
		return
	}
	for _, entry := range r.Paths {
		one, err := pathset.Parse([]string{entry})
		switch {
		case err != nil: // parse has looked at it
		case one.Any():
			n.whole = true
		case one.Exact():
			if n.folders == nil {
				n.folders = map[string]bool{}
			}
			for _, d := range one.Dirs() {
				n.folders[d] = true
			}
		default:
			n.rest = append(n.rest, rule{paths: one})
		}
	}
}

// has reports whether a document is shown. Without the collection it may be.
func (n *shown) has(collection document.Collection, known bool, path document.Path) bool {
	if n == nil {
		return false
	}
	if n.whole {
		return true
	}
	if len(n.folders) > 0 {
		for p := string(path); ; {
			if n.folders[p] {
				return true
			}
			i := strings.LastIndexByte(p, '/')
			if i < 0 {
				break
			}
			p = p[:i]
		}
	}
	return slices.ContainsFunc(n.rest, func(r rule) bool {
		return (!known || len(r.Collections) == 0 || slices.Contains(r.Collections, collection)) && r.paths.Match(path)
	})
}

// Document reports whether a document is seen: a rule has to let it be seen; where the
// document names roles, one of these has to be a group of the principal; and the rules
// that stand in its source have to, as they were when the log had this head, and as they
// are now.
func (s *Sight) Document(h *contract.FileHead) bool {
	if s == nil || sabotaged {
		return true
	}
	return s.names(h.Source, h.Collection, h.Path, h.Metadata) && s.within(h.Access, h.Collection, h.Path) && s.within(s.now(h.Source, h.View), h.Collection, h.Path)
}

// Change reports whether a change of a document is seen, by the rules that it tells of
// its source.
func (s *Sight) Change(c *contract.Change) bool {
	if s == nil || sabotaged {
		return true
	}
	return s.names(c.Source, c.Collection, c.Path, c.Metadata.Packed()) && s.within(contract.SourceRulesOf(c.Access...), c.Collection, c.Path)
}

// Told reports whether a hit is still seen that was found for the principal a moment
// ago: the rules in its source were asked then.
func (s *Sight) Told(h *contract.Hit) bool {
	if s == nil || sabotaged {
		return true
	}
	return s.names(h.Source, h.Collection, h.Path, h.Metadata.Packed())
}

// names reports whether a document is seen as far as the file of rules and its own roles
// say.
func (s *Sight) names(source document.Source, collection document.Collection, path document.Path, has document.PackedMetadata) bool {
	return s.byFile(source, collection, path) && (rolesSabotaged || !has.Has(document.MetadataRoles) || has.Fits(s.groups))
}

// anyCollection stands for all: those without configuration, and one that no rule names.
var anyCollection = append(slices.Clip(document.Collections), "-")

// Anyhow reports whether the rules let a document of a path be seen, if it names no roles,
// whatever collection it is in.
func (s *Sight) Anyhow(source document.Source, view document.View, path document.Path) bool {
	if s == nil || sabotaged {
		return true
	}
	for _, c := range anyCollection {
		if !s.byFile(source, c, path) || !s.within(s.now(source, view), c, path) {
			return false
		}
	}
	return true
}

// byFile reports whether the file of rules lets a document be seen. Rules that stand in a
// source are seen by owners alone.
func (s *Sight) byFile(source document.Source, collection document.Collection, path document.Path) bool {
	k := place{source, collection, path}
	s.mu.RLock()
	sees, known := s.decided[k]
	s.mu.RUnlock()
	if known {
		return sees
	}
	sees = path != document.AccessFile && (s.named[source].has(collection, true, path) || s.any.has(collection, true, path))
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.decided) >= mostDecided {
		clear(s.decided)
	}
	s.decided[k] = sees
	return sees
}

// Path reports whether a document of a path may be seen, whatever its collection and what
// the rules in its source say.
func (s *Sight) Path(source document.Source, path document.Path) bool {
	if s == nil || sabotaged {
		return true
	}
	return s.named[source].has("", false, path) || s.any.has("", false, path)
}

// Own reports whether what somebody named owner has left is told to a principal with
// this sight: who sees only a part is told of what is their own.
func (s *Sight) Own(owner string, who contract.Principal) bool {
	return s == nil || sabotaged || owner != "" && owner == who.Name
}

// mostDirs is how many folders a store is asked for at most.
const mostDirs = 64

// Dirs are folders and files below which everything lies that is seen of sources, as a
// store takes them; nil where that cannot be said in a few.
func (s *Sight) Dirs(sources []document.Source) []string {
	if s == nil || sabotaged {
		return nil
	}
	var dirs []string
	for _, n := range append([]*shown{s.any}, s.of(sources)...) {
		if n.whole {
			return nil
		}
		for d := range n.folders {
			dirs = append(dirs, d)
		}
		for _, r := range n.rest {
			if r.paths.Dirs() == nil {
				return nil
			}
			dirs = append(dirs, r.paths.Dirs()...)
		}
		if len(dirs) > mostDirs {
			return nil
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

func (s *Sight) of(sources []document.Source) (out []*shown) {
	for _, source := range sources {
		if n := s.named[source]; n != nil {
			out = append(out, n)
		}
	}
	return out
}
