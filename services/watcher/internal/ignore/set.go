// Package ignore decides which paths of a source count. Every decision says
// why: the rule, and the file and line that it stands in.
package ignore

import (
	"strings"
	"sync"
)

// Names of the files that hold rules.
const (
	GitFile = ".gitignore"
	// OwnFile has the syntax of .gitignore and wins over it, and over what is
	// built in.
	OwnFile = ".freshetignore"
)

// IsRuleFile reports whether a change of the file named base changes rules.
func IsRuleFile(base string) bool { return base == GitFile || base == OwnFile }

// Class says what kind of rule made a decision.
type Class string

// The classes, in the order in which they are asked.
const (
	ClassNone    Class = ""                      // nothing matched: the path counts
	ClassFixed   Class = "state directory"       // never counts
	ClassLeft    Class = "exclude"               // named with the source; nothing lets it in again
	ClassOwn     Class = "freshetignore"         // .freshetignore
	ClassSecret  Class = "secret"                // holds credentials
	ClassGit     Class = "gitignore"             // .gitignore, info/exclude, global excludes
	ClassBuiltin Class = "built-in"              // what nobody wants to find
	ClassTracked Class = "tracked by git"        // ignored, but in git's index
	ClassNested  Class = "repository of its own" // a submodule, or a clone in the tree
)

// Decision says whether a path is ignored, and why.
type Decision struct {
	Ignored bool
	Class   Class
	Rule    string // the line or the built-in name that decided; "" for none
	File    string // where the rule stands; "" for built-in ones
	Line    int    // from 1
	// Named is true where .freshetignore lets the path in by name, which
	// lifts the check for secrets too.
	Named bool
}

// Reason returns the decision as one sentence fragment, of a line's length.
func (d Decision) Reason() string {
	switch {
	case d.Class == ClassNone:
		return "no rule matches"
	case d.File != "":
		return string(d.Class) + ": " + Printable(d.Rule) + " in " + Printable(d.File) + " line " + itoa(d.Line)
	case d.Rule != "":
		return string(d.Class) + ": " + d.Rule
	}
	return string(d.Class)
}

// Options say where rules come from.
type Options struct {
	// Read returns a file of the source by its path relative to the root, and
	// false where there is none. It is called for ignore files and for the
	// marks of directories made by builds.
	Read func(rel string) ([]byte, bool)
	// Excludes are further lists of git rules in rising precedence: the
	// user's global excludes, then info/exclude.
	Excludes []Exclude
	// Git is false where .gitignore has no say: in a bare repository
	// everything in the tree is tracked.
	Git bool
	// Fixed are relative paths that never count, such as the state directory
	// when it lies within the root.
	Fixed []string
	// LeftOut are rules, as lines of a .gitignore at the root, that were named with
	// the source. They win over all others.
	LeftOut []string
	// Tracked are relative paths in git's index that git's rules would
	// ignore; git does not apply its rules to them, and neither do we.
	Tracked []string
	// Nested, if set, reports whether a directory is the top of another
	// repository: a submodule, or a clone within the tree. Such a directory
	// itself counts, what is in it does not.
	Nested func(rel string) bool
}

// Exclude is a list of rules outside the tree.
type Exclude struct {
	Name    string // as decisions cite it
	Content string
}

// Set holds the rules of one source. It reads ignore files when it first
// comes to their directory, so a Set is a snapshot: make a new one when rules
// change. It is safe for concurrent use.
type Set struct {
	read     func(string) ([]byte, bool)
	git      bool
	excludes []ruleFile // falling precedence
	fixed    map[string]bool
	left     ruleFile
	nested   func(string) bool
	tracked  map[string]bool // files, and the directories above them

	mu   sync.Mutex
	dirs map[string]*Dir
}

// New returns the rules of a source.
func New(o Options) *Set {
	s := &Set{
		read: o.Read, git: o.Git, nested: o.Nested, dirs: map[string]*Dir{},
		fixed: map[string]bool{}, tracked: map[string]bool{},
	}
	for _, e := range o.Excludes {
		if rules := parsePatterns(e.Content); len(rules) > 0 {
			s.excludes = append([]ruleFile{{e.Name, rules}}, s.excludes...)
		}
	}
	s.left.rules = parsePatterns(strings.Join(o.LeftOut, "\n"))
	for _, f := range o.Fixed {
		s.fixed[f] = true
	}
	for _, f := range o.Tracked {
		for i := range len(f) {
			if f[i] == '/' {
				s.tracked[f[:i]] = true
			}
		}
		s.tracked[f] = true
	}
	return s
}

// Decide returns the decision on a path relative to the root; its parents are
// asked first. The root itself ("") always counts.
func (s *Set) Decide(rel string, dir bool) Decision {
	if rel == "" {
		return Decision{}
	}
	parent, base := "", rel
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		parent, base = rel[:i], rel[i+1:]
	}
	return s.Dir(parent).Decide(base, dir)
}

// Dir returns the rules that hold in a directory, relative to the root.
func (s *Set) Dir(rel string) *Dir {
	s.mu.Lock()
	d := s.dirs[rel]
	s.mu.Unlock()
	if d != nil {
		return d
	}
	if rel == "" {
		d = &Dir{set: s}
	} else {
		parent, base := "", rel
		if i := strings.LastIndexByte(rel, '/'); i >= 0 {
			parent, base = rel[:i], rel[i+1:]
		}
		up := s.Dir(parent)
		d = &Dir{set: s, rel: rel, parent: up, self: up.Decide(base, true)}
		if !d.self.Ignored && s.nested != nil && s.nested(rel) {
			d.self = Decision{Ignored: true, Class: ClassNested}
		}
	}
	d.load()
	s.mu.Lock()
	defer s.mu.Unlock()
	if other := s.dirs[rel]; other != nil {
		return other // another goroutine was faster; one tree of parents is enough
	}
	s.dirs[rel] = d
	return d
}

// Dir is one directory with the rules that stand in it.
type Dir struct {
	set    *Set
	rel    string
	parent *Dir
	self   Decision // on the directory itself
	own    ruleFile
	git    ruleFile
}

// Self returns the decision on what is in the directory as a whole: that on
// the directory itself, or ClassNested for another repository's top.
func (d *Dir) Self() Decision { return d.self }

// load reads the directory's ignore files. Those of an ignored directory say
// nothing.
func (d *Dir) load() {
	if d.self.Ignored || d.self.Class == ClassTracked {
		return
	}
	prefix := ""
	if d.rel != "" {
		prefix = d.rel + "/"
	}
	if b, ok := d.set.read(prefix + OwnFile); ok {
		d.own = ruleFile{prefix + OwnFile, parsePatterns(string(b))}
	}
	if d.set.git {
		if b, ok := d.set.read(prefix + GitFile); ok {
			d.git = ruleFile{prefix + GitFile, parsePatterns(string(b))}
		}
	}
}

// Decide returns the decision on an entry of the directory.
func (d *Dir) Decide(base string, dir bool) Decision {
	if d.self.Ignored {
		return d.self
	}
	rel := base
	if d.rel != "" {
		rel = d.rel + "/" + base
	}
	if d.set.fixed[rel] {
		return Decision{Ignored: true, Class: ClassFixed}
	}
	if rule, ok := fixedName(base); ok {
		return Decision{Ignored: true, Class: ClassBuiltin, Rule: rule}
	}
	if left, ok := d.set.left.decide(rel, base, dir); ok {
		return Decision{Ignored: true, Class: ClassLeft, Rule: left.Rule}
	}
	own, found := d.lookup(rel, base, dir, func(d *Dir) *ruleFile { return &d.own })
	own.Class = ClassOwn
	if found && own.Ignored {
		return own
	}
	var git Decision
	if !found {
		if git = d.decideGit(rel, base, dir); git.Ignored {
			return git
		}
	}
	if rule, ok := secretName(base, dir); ok && !own.Named {
		return Decision{Ignored: true, Class: ClassSecret, Rule: rule}
	}
	if found {
		return own
	}
	if rule, ok := d.builtin(rel, base, dir); ok {
		return Decision{Ignored: true, Class: ClassBuiltin, Rule: rule}
	}
	return git
}
